"""textkin compare: classes, questions with candidates."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.conftest import WIKIQA, Textkin

LINES = [
    ("a cat sleeps", "an animal sleeps", "entailment"),
    ("a cat sleeps", "a cat never sleeps", "contradiction"),
    ("a cat sleeps", "the cat is black", "neutral"),
    ("two men talk", "people talk", "entailment"),
    ("two men talk", "men never talk", "contradiction"),
    ("two men talk", "the men are friends", "neutral"),
]


@pytest.fixture
def data(tmp_path: Path) -> Path:
    lines = ["sentence1\tsentence2\tgold_label", *map("\t".join, LINES)]
    (tmp_path / "nli.tsv").write_text("\n".join(lines) + "\n")
    return tmp_path / "nli.tsv"


def test_evaluate_prints_class_by_class(textkin: Textkin, data: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    shown = textkin(
        *("compare", data, "bag-of-words", "--fit", data),
        *("--resamples", 20, "--rounds", 50, "--out", out, "-q"),
    )
    assert (shown.code, shown.err) == (0, "")
    for words in (
        "accuracy",
        "macro F1",
        "Baselines are fitted on 6 labelled pairs of nli.tsv.",
        "nli.tsv and nli.tsv share 8 texts and 6 pairs: figures may be too good",
        "Decisions of bag-of-words.",
        "called contradiction",
    ):
        assert words in shown.out
    found = textkin("compare", data, "majority", "--resamples", 20, "--rounds", 50, "--json").json
    assert [row["name"] for row in found["systems"]["rows"]] == ["random", "majority"]
    assert found["by_class"][0]["rows"][0]["called"] == [2, 0, 0]
    assert (
        (out / "classes.tsv").read_text().startswith("label\trandom\tmajority\tsecond-text\tbag-of-words\n")
    )


def test_dev_pairs_do_not_go_with_classes(textkin: Textkin, data: Path) -> None:
    failed = textkin("compare", data, "majority", "--dev", data)
    assert failed.code == 2 and "--dev doesn't apply" in failed.error


THREAD = """<Thread><RelQuestion RELQ_ID="Q1"><RelQSubject>bank</RelQSubject></RelQuestion>
<RelComment RELC_ID="C1" RELC_RELEVANCE2RELQ="PotentiallyUseful"><RelCText>the bank</RelCText></RelComment>
<RelComment RELC_ID="C2" RELC_RELEVANCE2RELQ="Bad"><RelCText>no</RelCText></RelComment></Thread>
"""


def test_a_reference_file_says_which_questions(textkin: Textkin, wikiqa: Path) -> None:
    reference = wikiqa.with_name("WikiQA-test-filtered.ref")
    reference.write_text("1 0 0 1\n1 0 1 0\n")
    found = textkin("compare", wikiqa, "order", "--reference", reference, "--baselines", "constant", "--json")
    assert found.json["data"] == "WikiQA-test.tsv, questions of WikiQA-test-filtered.ref"
    assert found.json["systems"]["queries"] == 1
    reference.write_text("2 0 0 0\n")
    refused = textkin("compare", wikiqa, "order", "--reference", reference)
    assert refused.code == 3 and str(reference) in refused.error
    assert textkin("compare", wikiqa, "order", "--labels", "graded").code == 2


def test_graded_comments(textkin: Textkin, tmp_path: Path) -> None:
    path = tmp_path / "dev.xml"
    path.write_text(f"<xml>{THREAD}</xml>")
    assert textkin("compare", path, "order").code == 3, "no question has a good comment"
    found = textkin(
        "compare", path, "bm25", "--labels", "graded", "--baselines", "order", "-m", "AP", "--json"
    )
    assert found.json["systems"]["queries"] == 1
    assert "graded labels" in found.json["data"]


@pytest.mark.slow
def test_evaluate_reads_answers_out_of_passages(textkin: Textkin, tmp_path: Path) -> None:
    path, out = tmp_path / "squad.json", tmp_path / "p.json"
    asked = [
        {"id": "1", "question": "Who met Bob?", "answers": [{"text": "Ada", "answer_start": 0}]},
        {"id": "2", "question": "Who met Cy?", "answers": [], "is_impossible": True},
        {"id": "3", "question": "Who?", "answers": [{"text": "Cy", "answer_start": 0}]},
    ]
    paragraphs = [{"context": "Ada met Bob.", "qas": [one]} for one in asked]
    path.write_text(json.dumps({"data": [{"title": "A", "paragraphs": paragraphs}]}))
    few = ("--resamples", 20, "--rounds", 50)
    shown = textkin("compare", path, "constant", *few, "--out", out)
    assert shown.code == 0, shown.error
    for words in ("sentence-bm25", "no-answer", "F1 HasAns", "NoAns", "SQuAD 2.0's rules", "area under the"):
        assert words in shown.out
    assert "1 answer that does not stand where its offset says (question 3)" in shown.err
    assert json.loads(out.read_text()) == {"1": "Ada met Bob.", "2": "Ada met Bob."}
    assert json.loads((tmp_path / "p.na.json").read_text()) == {"1": 0.0, "2": 0.0}
    page = tmp_path / "page.html"
    grouped = ("--group-by", "article", "--report", page, "--json")
    found = textkin("compare", path, "constant", "sliding-window", *few, *grouped).json
    assert page.read_text().count("sliding-window") > 1
    assert (found["kind"], found["systems"]["questions"], found["systems"]["components"]) == ("spans", 2, 1)
    failed = textkin("compare", path, "default")
    assert failed.code == 5 and "points at no answers" in failed.error


@pytest.mark.torch
def test_a_recipe_is_measured_untrained(textkin: Textkin, data: Path, tmp_path: Path) -> None:
    few = ("--resamples", 20, "--rounds", 50, "--json")
    path = tmp_path / "candidates.tsv"
    asked = [("Q1", "who sleeps"), ("Q2", "who talks")]
    said = ["a cat sleeps", "two men talk"]
    path.write_text(
        WIKIQA
        + "".join(
            f"{q}\t{text}\tD\tT\tS{at}\t{sentence}\t{int(at == right)}\n"
            for right, (q, text) in enumerate(asked)
            for at, sentence in enumerate(said)
        )
    )
    figures = {}
    for seed in (1, 1, 2):
        found = textkin("compare", path, "siamese-lstm", "--untrained", "--seed", seed, *few).json
        (row,) = (row for row in found["systems"]["rows"] if row["name"] == "siamese-lstm untrained")
        assert figures.setdefault(seed, row) == row
    classes = textkin("compare", data, "classes-esim", "--untrained", "--fit", data, *few).json
    assert "classes-esim untrained" in [row["name"] for row in classes["systems"]["rows"]]
    failed = textkin("compare", path, "no-recipe", "--untrained")
    assert failed.code == 4 and "no-recipe" in failed.error
