from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.sparse import csr_array

from tests.vectors.index.test_corpus_ranking import Fixed
from textkin.base.errors import DataError, UsageError
from textkin.kinds.systems import load_encoder
from textkin.text.baselines import build
from textkin.text.baselines.trivial import Constant
from textkin.vectors.index import exact_search as module
from textkin.vectors.index.exact_search import Retriever, nearest, place

_NUMBERS = st.sampled_from([-2.0, -1.0, -0.0, 0.0, 1.0, 3.0])


def matrix(rows: int):
    return arrays(np.float32, (rows, 3), elements=_NUMBERS)


@given(data=st.data(), depth=st.integers(1, 7), block=st.integers(1, 9))
def test_the_nearest_are_those_of_sorting_everything(data: st.DataObject, depth: int, block: int) -> None:
    queries, documents = data.draw(matrix(4)), data.draw(matrix(data.draw(st.integers(1, 20))))
    floor = np.array([-np.inf, 0, 2, np.inf], dtype=np.float32)
    expected = []
    for row, least in zip(queries @ documents.T, floor, strict=True):
        order = sorted(range(len(documents)), key=lambda one: (-row[one], one))
        kept = [one for one in order if row[one] > least][:depth]
        expected.append(kept + [-1] * (depth - len(kept)))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "_DOCUMENTS_AT_ONCE", block)
        assert nearest(queries, documents, depth, floor=floor).tolist() == expected
        sparse = nearest(csr_array(queries), csr_array(documents), depth, floor=floor)
        assert sparse.tolist() == expected


def test_scores_are_those_of_the_scorer() -> None:
    texts = ["green apple", "red apple pie", "a red car", "nothing"]
    for name in ("bm25", "tfidf", "minhash"):
        scorer = build(name, fit_texts=texts)
        space = place(scorer, texts[:2], texts)
        pairs = [(0, 1), (1, 3), (1, 2), (0, 0)]
        one, other = np.array(pairs).T
        expected = scorer.score([(texts[a], texts[b]) for a, b in pairs])
        assert space.scores(one, other) == pytest.approx(expected)
        assert nearest(space.queries, space.documents, 4, floor=space.floor)[0].tolist() == [0, 1, -1, -1]


class Broken:
    name = "broken"
    dim = 1

    def encode(self, texts, *, side):
        return np.full((len(texts), 1), np.nan, dtype=np.float32)

    def score(self, pairs):
        raise AssertionError


def test_what_can_not_rank_is_refused() -> None:
    with pytest.raises(UsageError) as error:
        place(Constant(), ["a"], ["b"])
    assert error.value.params == ("model",)
    with pytest.raises(DataError) as error:
        place(Broken(), ["a"], ["b"])
    assert (error.value.params, error.value.expected) == (("broken",), "finite numbers")


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


@pytest.mark.parametrize("name", ["tfidf", "tfidf-char", "default"])
def test_a_cosine_with_itself_is_1_despite_rounding(name: str) -> None:
    texts = [
        " ".join(f"apple{n}" for n in range(start, start + count))
        for start in range(8)
        for count in range(1, 9)
    ]
    scorer = load_encoder(name) if name == "default" else build(name, fit_texts=texts)
    space, rows = place(scorer, texts, texts), np.arange(len(texts))
    scores = space.scores(rows, rows)
    assert (scores.max(), scores.min()) == (1, pytest.approx(1, abs=1e-6))
