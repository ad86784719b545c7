from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from textkin.base.errors import DataError, UsageError
from textkin.data.protocols import Side
from textkin.data.records import Qrels, RetrievalSet
from textkin.text.baselines import build
from textkin.vectors.index.corpus_ranking import rank_corpus


class Fixed:
    """An encoder of two dimensions with a table of texts."""

    name = "fixed"
    dim = 2

    def __init__(self, vectors: dict[str, tuple[float, float]]) -> None:
        self.vectors = vectors

    def encode(self, texts, *, side: Side = Side.DOCUMENT) -> NDArray[np.float32]:
        return np.array([self.vectors[text] for text in texts], dtype=np.float32)

    def score(self, pairs) -> NDArray[np.float32]:
        one, other = (self.encode(side) for side in zip(*pairs, strict=True))
        return np.vecdot(one, other).astype(np.float32)


def collection(docs: list[str], queries: list[str]) -> RetrievalSet:
    return RetrievalSet(
        {f"d{number}": text for number, text in enumerate(docs)},
        {f"q{number}": text for number, text in enumerate(queries)},
        Qrels.from_dict({f"q{number}": {"d0": 1} for number in range(len(queries))}),
    )


def oracle(scores: dict[str, float], depth: int) -> dict[str, float]:
    ranked = sorted(scores, key=lambda name: (scores[name], name.encode()), reverse=True)
    return {name: scores[name] for name in ranked[:depth]}


WORDS = st.lists(st.sampled_from(["red", "blue", "green", "grey"]), max_size=4).map(" ".join)


@pytest.mark.slow
@given(docs=st.lists(WORDS, min_size=1, max_size=15), depth=st.integers(1, 6))
@settings(deadline=None, max_examples=40)
def test_lexical_ranking_is_that_of_scoring_every_pair(docs: list[str], depth: int) -> None:
    data = collection([*docs, "red grey"], ["red blue", "grey grey green", "unknown"])
    for name in ("bm25", "tfidf", "minhash"):
        scorer = build(name, fit_texts=list(data.corpus.values()))
        run = rank_corpus(scorer, data, depth=depth).to_dict()
        for query, text in data.queries.items():
            pairs = scorer.score([(text, document) for document in data.corpus.values()]).tolist()
            scores = {key: score for key, score in zip(data.corpus, pairs, strict=True) if score > 0}
            # Sums in another order may part ties by a rounding error, so compare scores, then sets.
            expected = oracle({key: round(score, 5) for key, score in scores.items()}, depth)
            found = {key: round(score, 5) for key, score in run[query].items()}
            assert sorted(found.values()) == pytest.approx(sorted(expected.values()), abs=2e-5)
            assert found == pytest.approx({key: scores[key] for key in found}, abs=2e-5)
    assert run["q2"] == {}


@given(
    angles=st.lists(st.sampled_from([0.0, 0.5, 1.0, 1.5]), min_size=1, max_size=30), depth=st.integers(1, 8)
)
@settings(deadline=None, max_examples=40)
def test_ties_at_the_cut_follow_the_tie_rule(angles: list[float], depth: int) -> None:
    docs = [f"doc {number}" for number in range(len(angles))]
    vectors = {text: (3 * np.cos(a), 3 * np.sin(a)) for text, a in zip(docs, angles, strict=True)}
    data = collection(docs, ["query"])
    run = rank_corpus(Fixed({**vectors, "query": (1.0, 0.0)}), data, depth=depth)
    by_angle = {f"d{number}": -angle for number, angle in enumerate(angles)}
    assert set(run.to_dict()["q0"]) == set(oracle(by_angle, depth))
    best = run.doc_ids[0].decode()
    assert run.scores[0] == pytest.approx(np.cos(-by_angle[best]), abs=1e-6)


def test_a_text_without_a_vector_scores_zero_and_nan_is_refused() -> None:
    data = collection(["one", "two"], ["query"])
    vectors = {"one": (0.0, 0.0), "two": (1.0, 0.0), "query": (2.0, 0.0)}
    assert rank_corpus(Fixed(vectors), data).to_dict()["q0"] == {"d0": 0.0, "d1": 1.0}
    with pytest.raises(DataError) as error:
        rank_corpus(Fixed({**vectors, "one": (np.nan, 0.0)}), data)
    assert (error.value.params, error.value.expected) == (("fixed",), "finite numbers")


def test_more_queries_than_a_block_and_queries_without_text() -> None:
    data = collection(["red", "blue"], ["red"] * 130)
    queries = {name: text for name, text in data.queries.items() if name != "q5"}
    run = rank_corpus(
        build("tfidf", fit_texts=["red", "blue"]), RetrievalSet(data.corpus, queries, data.qrels)
    )
    assert len(run.query_ids) == 129
    assert all(list(found) == ["d0"] for found in run.to_dict().values())


def test_what_cannot_rank() -> None:
    with pytest.raises(UsageError) as error:
        rank_corpus(build("random", fit_texts=[]), collection(["a"], ["b"]))
    assert error.value.params == ("model",)
