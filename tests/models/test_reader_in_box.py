"""The built-in reader: the words of an answer, or none, and what it is made of."""

import json

import numpy as np
import pytest

import textkin as tk
from textkin.base.hub import READER, located
from textkin.data import samples
from textkin.models.adapters import ADAPTER, merged

pytestmark = pytest.mark.torch

PASSAGES = [
    "The mill on the Aller was built in 1742. It ground flour for 161 years.",
    "The library lends tents, drills and sewing machines for two weeks.",
]


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("When was the mill built?", "1742"),
        ("How long did the mill grind flour?", "161 years"),
        ("How long does the library lend tents?", "two weeks"),
    ],
)
def test_it_gives_the_words_of_an_answer(question, answer):
    found = tk.answer(question, PASSAGES)
    assert (found.model, found[0].answer, found.questions[0].is_none) == (READER, answer, False)


def test_it_says_that_there_is_no_answer():
    (found,) = tk.answer("Who won the chess cup of 1988?", PASSAGES).questions
    assert found.is_none and found.no_answer > found.threshold


def test_it_answers_the_handbook_of_the_samples():
    found = tk.compare(
        samples.path("town.json"), READER, baselines=["sentence-bm25"], resamples=50, rounds=50
    )
    reader, sentence = (
        next(row for row in found if row.system == name) for name in (READER, "sentence-bm25")
    )
    assert reader["F1"] > 0.6 > 0.4 > sentence["F1"]


def test_its_weights_are_near_those_of_the_trunk():
    change = merged(located(READER) / ADAPTER)
    assert all(np.isfinite(tensor).all() for tensor in change.values())
    assert "qa_outputs.weight" in change
    manifest = json.loads((located(READER) / "textkin.json").read_text())
    assert manifest["no_answer"]["goal"] == "f1" and "seen.npy" in manifest["files"]
