from __future__ import annotations

import os
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.vectors.index.test_corpus_ranking import collection, oracle
from textkin.text.baselines.lucene_classic import LuceneClassic
from textkin.vectors.index.corpus_ranking import rank_corpus
from textkin.vectors.index.exact_search import can_mine, mine_pairs, nearest, place
from textkin.vectors.index.lucene_postings import LexicalIndex

WORDS = st.lists(st.sampled_from(["red", "blue", "green", "grey", "the", "unseen"]), max_size=6).map(" ".join)
TEXTS = st.lists(WORDS, min_size=1, max_size=25).map(lambda texts: [*texts, "red grey"])


@pytest.mark.slow
@given(fitted=TEXTS, documents=TEXTS, queries=TEXTS, depth=st.integers(1, 30))
@settings(deadline=None, max_examples=60)
def test_the_best_are_those_of_scoring_every_pair(
    fitted: list[str], documents: list[str], queries: list[str], depth: int
) -> None:
    scorer = LuceneClassic.fit(fitted)
    index = LexicalIndex(scorer.counted(documents))
    found = index.nearest(scorer.clauses(queries), depth, workers=2)
    everything = index.scores(scorer.clauses(queries)).toarray()
    for row, query in enumerate(queries):
        scores = scorer.score([(query, document) for document in documents])
        assert everything[row].tolist() == scores.tolist()
        order = sorted(np.flatnonzero(scores).tolist(), key=lambda one: (-scores[one], one))[:depth]
        nothing = [-1] * (depth - len(order))
        assert found.documents[row].tolist() == order + nothing
        assert found.scores[row, : len(order)].tolist() == scores[order].tolist()
        assert np.isneginf(found.scores[row, len(order) :]).all()
    space = place(scorer, queries, documents)
    assert (nearest(space.queries, space.documents, depth, floor=space.floor) == found.documents).all()
    rows, columns = np.indices(everything.shape).reshape(2, -1)
    assert space.scores(rows, columns).tolist() == everything.ravel().tolist()


def test_more_queries_than_a_block() -> None:
    texts = [f"word{number} word{number % 10} same" for number in range(200)]
    scorer = LuceneClassic.fit(texts)
    index = LexicalIndex(scorer.counted(texts))
    found = index.nearest(scorer.clauses(texts), 3)
    assert found.documents[:, 0].tolist() == list(range(200))
    assert (index.nearest(scorer.clauses(texts)[100:], 3).documents == found.documents[100:]).all()
    assert len(index) == 200


@given(docs=st.lists(WORDS, min_size=1, max_size=15), depth=st.integers(1, 6))
@settings(deadline=None, max_examples=30)
def test_ranking_a_collection_is_that_of_scoring_every_pair(docs: list[str], depth: int) -> None:
    data = collection([*docs, "red grey"], ["red blue", "grey grey green", "unknown"])
    scorer = LuceneClassic.fit(list(data.corpus.values()))
    run = rank_corpus(scorer, data, depth=depth).to_dict()
    for query, text in data.queries.items():
        pairs = scorer.score([(text, document) for document in data.corpus.values()]).tolist()
        scores = {key: score for key, score in zip(data.corpus, pairs, strict=True) if score > 0}
        assert run[query] == oracle(scores, depth)


def test_pairs_are_mined() -> None:
    texts = ["red sky", "the red sky", "blue sea", "a blue lake"]
    scorer = LuceneClassic.fit(texts)
    assert can_mine(scorer)
    found = mine_pairs(scorer, texts)
    assert list(zip(found.a.tolist(), found.b.tolist(), strict=True)) == [(0, 1), (2, 3)]
    assert found.score[0] == pytest.approx(scorer.score([("red sky", "red sky")])[0])


@pytest.mark.slow
def test_the_loops_run_without_the_compiler() -> None:
    script = (
        "from textkin.vectors.index.lucene_postings import LexicalIndex\n"
        "from textkin.text.baselines.lucene_classic import LuceneClassic\n"
        "texts = ['red sky', 'red', 'blue']\n"
        "scorer = LuceneClassic.fit(texts)\n"
        "index = LexicalIndex(scorer.counted(texts))\n"
        "assert index.nearest(scorer.clauses(['red']), 2).documents.tolist() == [[1, 0]]\n"
        "assert index.scores(scorer.clauses(['sky blue'])).nnz == 2\n"
    )
    environment = {**os.environ, "NUMBA_DISABLE_JIT": "1"}
    subprocess.run([sys.executable, "-c", script], check=True, env=environment)
