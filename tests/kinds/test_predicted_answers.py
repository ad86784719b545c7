"""Answers of other programs, in the forms in which they write them."""

import json

import pytest

import textkin as tk
from textkin.base.errors import UsageError

PASSAGE = "Ada met Bob in 1887."
DOCUMENT = {
    "version": "v2.0",
    "data": [
        {
            "title": "Ada",
            "paragraphs": [
                {
                    "context": PASSAGE,
                    "qas": [
                        {
                            "id": "1",
                            "question": "Who met Bob?",
                            "answers": [{"text": "Ada", "answer_start": 0}],
                        },
                        {"id": "2", "question": "Who met Eve?", "answers": [], "is_impossible": True},
                    ],
                }
            ],
        }
    ],
}
ROWS = [
    {"id": "1", "prediction_text": "ada", "no_answer_probability": 0.25},
    {"id": "2", "prediction_text": "", "no_answer_probability": 0.75},
]
RIGHT = {"1": "ada", "2": ""}


def frame_of(rows):
    pandas = pytest.importorskip("pandas", reason="pandas is not installed")
    return pandas.DataFrame(rows)


@pytest.mark.parametrize(
    "given",
    [lambda: RIGHT, lambda: {1: "ada", 2: ""}, lambda: ROWS, lambda: frame_of(ROWS)],
    ids=["dictionary", "whole numbers", "rows", "frame"],
)
def test_predictions_are_a_dictionary_or_rows(given, tmp_path):
    (tmp_path / "squad.json").write_text(json.dumps(DOCUMENT))
    for data in (DOCUMENT, tmp_path / "squad.json"):
        found = tk.compare(data, predictions=given())
        assert (found.official["exact"], found.official["total"], found.missing) == (100.0, 2, ())


def test_rows_bring_their_probabilities():
    found = tk.compare(DOCUMENT, predictions=ROWS, na_threshold=0.2).official  # both above it
    apart = tk.compare(DOCUMENT, predictions=RIGHT, na_prob={"1": 0.25, "2": 0.75}, na_threshold=0.2).official
    assert found == apart and found["HasAns_exact"] == 0.0 and "best_exact" in found


@pytest.mark.parametrize("wrong", [3, ["ada"], [{"id": "1", "said": "ada"}]])
def test_what_is_no_predictions_is_refused(wrong):
    with pytest.raises(UsageError) as caught:
        tk.compare(DOCUMENT, predictions=wrong)
    assert caught.value.params == ("predictions",)


@pytest.mark.parametrize("wrong", [[*ROWS, {**ROWS[0], "prediction_text": "no"}], {1.5: "ada", 2: ""}])
def test_ids_are_ids_and_come_once(wrong):
    with pytest.raises(UsageError):
        tk.compare(DOCUMENT, predictions=wrong)


def test_rows_stand_beside_models():
    found = tk.compare(DOCUMENT, {"theirs": frame_of(ROWS)}, baselines=["no-answer"], resamples=20, rounds=20)
    assert {row["system"]: row["EM"] for row in found.rows()} == {"theirs": 1.0, "no-answer": 0.5}


@pytest.mark.parametrize(
    ("options", "params"),
    [
        ({"out": "scores", "report": "report.html"}, ("report", "out")),
        ({"baselines": ["constant"], "threshold": 0.5}, ("baselines", "threshold")),
        ({"dev": DOCUMENT, "decision": "d.json"}, ("dev", "decision")),
        ({"fit": "texts.txt", "analyser": "english"}, ("analyser", "fit")),
        ({"measures": ["F1"], "agreement": True}, ("agreement", "measures")),
    ],
)
def test_options_that_predictions_have_no_use_for(options, params):
    with pytest.raises(UsageError) as error:
        tk.compare(DOCUMENT, predictions=RIGHT, **options)
    assert error.value.params == params


def test_predictions_are_of_questions_about_passages():
    with pytest.raises(UsageError) as error:
        tk.compare([("a", "b", 1), ("c", "d", 0)], predictions={"1": "a"})
    assert (error.value.params, error.value.value) == (("data",), "PairSet")
