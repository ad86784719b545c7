from __future__ import annotations

import numpy as np
import pytest

from tests.vectors.index.test_corpus_ranking import Fixed
from textkin.base.errors import UsageError
from textkin.text.baselines import build
from textkin.vectors.index.retriever import Retriever

TEXTS = ["green apple", "red apple pie", "a red car", "nothing", "red apple pie"]


@pytest.mark.parametrize("name", ["bm25", "tfidf", "minhash", "lucene-classic"])
def test_finds_what_scores_best(name: str) -> None:
    scorer = build(name, fit_texts=TEXTS)
    found = Retriever(scorer, TEXTS).found(["red apple", "zebra"], 9)
    scores = scorer.score([("red apple", text) for text in TEXTS])
    order = [place for place in np.argsort(-scores, kind="stable").tolist() if scores[place] > 0]
    assert found.documents.tolist() == [order + [-1] * (5 - len(order)), [-1] * 5]
    assert found.scores[0, : len(order)] == pytest.approx(scores[order])
    assert np.isneginf(found.scores[found.documents < 0]).all()


def test_encoders_find_everything() -> None:
    scorer = Fixed({"q": (2.0, 0.0), "a": (0.0, 1.0), "b": (3.0, 0.0), "c": (-1.0, 0.0)})
    found = Retriever(scorer, ["a", "b", "c"]).found(["q"], 3)
    assert found.documents.tolist() == [[1, 0, 2]]
    assert found.scores.tolist() == [[1.0, 0.0, -1.0]]


def test_what_can_not_rank() -> None:
    with pytest.raises(UsageError) as error:
        Retriever(build("order", fit_texts=TEXTS), TEXTS)
    assert error.value.params == ("model",)
