"""--attention of textkin score and textkin answer."""

import json

import pytest

from tests.training.test_span_rows import network, pipeline
from textkin.models.manifest import ModelFacts
from textkin.models.model_folder import Model, save_model
from textkin.networks.architectures.table import build

pytestmark = pytest.mark.torch

QUESTION, PASSAGE = "Who built the mill?", "The mill stands by the river. Ada built it."


@pytest.fixture(scope="module")
def models(tmp_path_factory):
    folder, words = tmp_path_factory.mktemp("models"), pipeline()
    made = {"size": words.size, "pad_id": words.pad_id, "dim": 8}
    for name in ("knrm", "arc-i"):
        save_model(Model(ModelFacts(name), name, made, build(name, **made), words), folder / name)
    save_model(Model(ModelFacts("bidaf"), "bidaf", {**made, "hidden": 4}, network(), words), folder / "bidaf")
    return folder


def test_a_score_with_a_page_of_what_the_model_looked_at(textkin, models, tmp_path):
    out = tmp_path / "seen.html"
    told = textkin("score", QUESTION, PASSAGE, "--model", models / "knrm", "--attention", out)
    assert told.code == 0 and f"1 attention matrix written to {out}" in told.err
    assert "Translation matrix M: cosines" in out.read_text(encoding="utf-8")
    plain = textkin("score", QUESTION, PASSAGE, "--model", models / "knrm")
    assert told.out == plain.out


def test_an_answer_with_the_numbers_of_its_passage(textkin, models, tmp_path):
    passages, out = tmp_path / "passages.txt", tmp_path / "seen.json"
    passages.write_text(f"The barn is red.\n{PASSAGE}\n")
    told = textkin("answer", QUESTION, passages, "--model", models / "bidaf", "--attention", out, "--json")
    seen = json.loads(out.read_text(encoding="utf-8"))
    best = told.json["questions"][0]["answers"][0]["passage_id"]
    assert (seen["kind"], seen["format"], seen["first"]) == ("attention", 1, QUESTION)
    assert seen["second"] == ("The barn is red.", PASSAGE)[int(best) - 1]
    assert [one["sums"] for one in seen["maps"]] == ["none", "columns", "rows"]
    for one in seen["maps"]:
        assert {len(row) for row in one["weights"]} == {len(one["columns"])}
        assert len(one["weights"]) == len(one["rows"])


def test_what_can_not_be_looked_at_takes_one_line(textkin, models, tmp_path):
    passages = tmp_path / "passages.txt"
    passages.write_text(PASSAGE)
    knrm, two = models / "knrm", (QUESTION, PASSAGE)
    page = ("--attention", tmp_path / "seen.html")
    for arguments, said in (
        (
            ("score", *two, "--model", knrm, "--attention", "seen.txt"),
            "'seen.txt', expected a file that ends in .html or .json",
        ),
        (
            ("score", *two, "--model", knrm, "--layers", "1", *page),
            "--layers and --heads don't apply to models other than pretrained transformers",
        ),
        (
            ("score", *two, "--model", models / "arc-i", *page),
            "--model is 'ArcI', expected a model that compares tokens",
        ),
        (("score", *two, *page), "default has no network with attention"),
        (("answer", QUESTION, passages, "--model", "no-answer", *page), "no answer was found"),
        (("answer", QUESTION, passages, "--model", "sentence-bm25", *page), "has no network with attention"),
    ):
        told = textkin(*arguments)
        assert (told.code, told.out) == (2, ""), arguments
        assert said in told.err and "Traceback" not in told.err
    assert not (tmp_path / "seen.html").exists()
