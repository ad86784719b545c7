"""A reader's no-answer rule, from training to the changed answers."""

import json
import shutil

import numpy as np
import pytest

import textkin as tk
from tests.making_spans import spans, write_squad
from textkin.base.errors import DataError, LeakError, ModelError, UsageError
from textkin.kinds.measuring import Options
from textkin.measures.intervals.sampling import Sampling
from textkin.networks.recipes.recipe import Recipe
from textkin.verbs.answer.among_passages import passages_to_read
from textkin.verbs.evaluate.calibrate_model import CalibrateOptions
from textkin.verbs.evaluate.calibrate_spans import calibrate_reader
from textkin.verbs.evaluate.comparison import compared
from textkin.verbs.train.material import Material
from textkin.verbs.train.train_recipe import train

pytestmark = pytest.mark.torch

SAMPLING = Sampling(50, 99)
RECIPE = {
    "name": "small-spans",
    "task": "spans",
    "model": {
        "architecture": "bidaf",
        "arguments": {"dim": 16, "hidden": 8, "train_embedding": True, "most": 3, "answers_none": True},
    },
    "objectives": [{"loss": "span-likelihood", "rows": "spans", "batch_size": 4}],
    "training": {"epochs": 6, "learning_rate": 0.02},
}


@pytest.fixture(scope="module")
def trained(tmp_path_factory):
    """A reader that learnt from three passages, and questions about seven others."""
    folder = tmp_path_factory.mktemp("reader")
    material = Material(spans(3, impossible=True), spans(1, first=3, impossible=True))
    run = train(Recipe.from_dict(RECIPE), material, out=folder / "run", seed=0, device="cpu")
    write_squad(folder / "dev.json", spans(4, first=3, impossible=True))
    write_squad(folder / "test.json", spans(3, first=7, impossible=True))
    write_squad(folder / "seen.json", spans(3, impossible=True))
    write_squad(folder / "plain.json", spans(3, first=7))
    (folder / "town.txt").write_text("\n".join(one.text for one in spans(4, first=3).passages.values()))
    return folder, run.model


def test_the_rule_is_saved_and_used(trained, tmp_path):
    folder, model = trained
    copy = tmp_path / "model"
    shutil.copytree(model, copy)
    options = CalibrateOptions(sampling=SAMPLING)
    found = calibrate_reader(folder / "dev.json", model=copy, test=folder / "test.json", options=options)
    assert (found.saved_in, found.fitted_on, found.questions, found.left_out) == (copy, "dev.json", 12, 0)
    assert [row["questions"] for row in found.rows()] == [
        "fitted on dev.json",
        "expected on others",
        "test, unchanged",
    ]
    assert "No answer where its probability is above" in str(found)
    card = (copy / "README.md").read_text()
    assert card.startswith("# ") and card.count("## How it decides") == 1
    assert "on 12 questions of dev.json.\n\nExpected on other questions: F1 0." in card
    assert "\n\nOn test, unchanged: F1 0." in card
    reader = tk.load_reader(copy)
    assert (
        reader.no_answer == found.rule and reader.model.no_answer.figures["F1"][0] == found.test["F1"].value
    )
    measured = compared(folder / "test.json", models=[copy], options=Options(sampling=SAMPLING, baselines=()))
    (row,) = measured.rows()
    assert row["F1"] == pytest.approx(found.test["F1"].value)
    (abstention,) = measured.abstentions
    assert abstention.calibration_error.value == pytest.approx(found.test["ECE"].value)
    again = compared(folder / "dev.json", models=[copy], options=Options(sampling=SAMPLING, baselines=()))
    assert any("fitted on these very questions" in note for note in again.notes)
    assert not any("fitted on these very questions" in note for note in measured.notes)


def test_a_decision_in_a_file_changes_answers(trained, tmp_path):
    folder, model = trained
    out = tmp_path / "decision.json"
    options = CalibrateOptions(out=out, sampling=SAMPLING)
    found = calibrate_reader(folder / "dev.json", model=model, options=options)
    assert tk.load_reader(model).no_answer is None
    told = json.loads(out.read_text())
    assert told["fitted_on"] == "dev.json" and len(told["data_sha256"]) == 64
    question = "Why is the mill blue?"
    answers = {}
    for threshold in (0.0, 1.0):
        out.write_text(json.dumps({**told, "threshold": threshold}))
        (answers[threshold],) = tk.answer(
            question, passages=folder / "town.txt", model=model, decision=out
        ).questions
        assert answers[threshold].threshold == threshold
    assert answers[0.0].is_none and not answers[1.0].is_none
    texts = (folder / "town.txt").read_text().splitlines()
    margins = [margin for margin, _ in tk.load_reader(model).margins([question] * 4, texts)]
    (ranks,) = passages_to_read([question], texts, None)
    nones = found.rule.probability(np.array(margins))
    among = [none / (none + (1 - none) / ranks[place] ** 2) for place, none in enumerate(nones)]
    assert answers[1.0].no_answer == pytest.approx(min(among), rel=1e-4)
    # The answer is read in the passage that the probability is of.
    assert int(answers[1.0].answers[0].passage_id) - 1 == int(np.argmin(among))
    out.write_text(json.dumps({**told, "threshold": 0.0}))
    nothing = compared(
        folder / "test.json", models=[model], options=Options(sampling=SAMPLING, baselines=(), decision=out)
    )
    assert nothing.rows()[0]["NoAns"] == 1 and nothing.rows()[0]["F1"] == pytest.approx(1 / 3)
    for models in ([model, f"b={model}"], ["no-answer"]):
        with pytest.raises(UsageError) as error:
            compared(folder / "test.json", models=models, options=Options(decision=out))
        assert error.value.params == ("decision",)
    with pytest.raises(UsageError) as error:
        compared([("a", "b", 1), ("a", "c", 0)], models=["tfidf"], options=Options(decision=out))
    assert error.value.params == ("decision",)


def test_the_report_shows_risk_and_reliability(trained, tmp_path):
    folder, model = trained
    decision, page = tmp_path / "decision.json", tmp_path / "report.html"
    saved = CalibrateOptions(out=decision, sampling=SAMPLING)
    calibrate_reader(folder / "dev.json", model=model, options=saved)
    options = Options(sampling=SAMPLING, decision=decision, report=page)
    found = compared(folder / "test.json", models=[model], options=options)
    made = page.read_text()
    assert "fitted on dev questions" in made and "Risk by coverage" in made
    assert sum(one.count for one in found.abstentions[0].bins) == 9
    compared(folder / "test.json", models=[model], options=Options(sampling=SAMPLING, report=page))
    assert "not fitted: tk.calibrate does it" in page.read_text()


def test_what_is_refused(trained, tmp_path):
    folder, model = trained
    out = CalibrateOptions(out=tmp_path / "decision.json", sampling=SAMPLING)
    for data, extra, error, words in (
        ("seen.json", {}, LeakError, "was trained on 9 of the 9 pairs"),
        ("plain.json", {}, DataError, "no question without an answer"),
        ("dev.json", {"test": folder / "dev.json"}, LeakError, "share 12 questions"),
        ("dev.json", {"goal": "recall=0.9"}, UsageError, "goal is"),
        ("dev.json", {"model": "sentence-bm25"}, UsageError, "model is"),
        ("dev.json", {"model": "no-answer"}, UsageError, "model is"),
        ("dev.json", {"model": "no-answer", "options": None}, ModelError, "give out='decision.json'"),
        (
            "dev.json",
            {"options": CalibrateOptions(method="isotonic", out="x.json")},
            UsageError,
            "method is",
        ),
    ):
        with pytest.raises(error, match=words):
            calibrate_reader(folder / data, **{"model": model, "options": out, **extra})
    assert not (tmp_path / "decision.json").exists()
