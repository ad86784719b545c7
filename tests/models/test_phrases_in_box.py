"""The built-in encoder of phrases: an index answers by it, better than by words."""

import json

import numpy as np
import pytest

import textkin as tk
from textkin.base.hub import PHRASES, located
from textkin.data import samples
from textkin.models.adapters import ADAPTER, merged
from textkin.models.packed_weights import PACKED, unpacked

pytestmark = [pytest.mark.torch, pytest.mark.slow]

PASSAGES = [
    "The mill on the Aller was built in 1742. It ground flour for 161 years.",
    "The library lends tents, drills and sewing machines for two weeks.",
    "Clemency Hurst designed the town hall, which has a green roof.",
]


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("When was the mill built?", "1742"),
        ("How long does the library lend tents?", "two weeks"),
        ("Who designed the town hall?", "Clemency Hurst"),
    ],
)
def test_an_index_answers(question, answer, tmp_path):
    made = tk.phrases.index(PASSAGES, out=tmp_path / "index")
    assert made.model == PHRASES
    found = tk.answer(question, tmp_path / "index")
    assert (found.model, found[0].answer) == (PHRASES, answer)


def test_it_finds_more_than_words_do(tmp_path):
    town = samples.path("town.json")
    figures = {}
    for model in (PHRASES, "tfidf"):
        tk.phrases.index(town, model=model, out=tmp_path / model)
        answers = tk.phrases.evaluate(tmp_path / model, town).answers
        figures[model] = next(row["value"] for row in answers.rows() if row["figure"] == "f1")
    assert figures[PHRASES] > 25 > 20 > figures["tfidf"]


def test_few_phrases_of_a_passage_do_by_their_priors(tmp_path):
    made = tk.phrases.index(PASSAGES, per_passage=20, out=tmp_path / "few")
    assert made.phrases == 60
    assert tk.answer("When was the mill built?", tmp_path / "few")[0].answer == "1742"


def test_its_words_are_those_of_the_trunk():
    change = merged(located(PHRASES) / ADAPTER)
    assert all(np.isfinite(tensor).all() for tensor in change.values())
    words = "embeddings.word_embeddings.weight"
    assert np.array_equal(change[f"backbone.{words}"], unpacked(located("minilm") / PACKED)[words])
    manifest = json.loads((located(PHRASES) / "textkin.json").read_text())
    assert manifest["architecture"] == "piqa-transformer" and "seen.npy" in manifest["files"]
