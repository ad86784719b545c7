"""Pairs scored in chunks, with distinct texts processed once."""

import numpy as np
import pytest
from scipy.sparse import csr_array

from textkin.data.protocols import Scorer
from textkin.text.baselines.analysers import analyser_of
from textkin.text.baselines.bm25 import Bm25
from textkin.text.baselines.pair_scoring import dense_cosine, score_pairs, sparse_dot
from textkin.text.baselines.tfidf import TfIdf


def test_chunks_and_repeated_texts_change_nothing(monkeypatch):
    generator = np.random.default_rng(1)
    texts = [" ".join(generator.choice(["red", "blue", "green", "sky"], 3)) for _ in range(9)]
    pairs = [(a, b) for a in texts for b in texts]
    for scorer in (TfIdf.fit(texts), TfIdf.fit(texts, analyser=analyser_of("characters")), Bm25.fit(texts)):
        whole = scorer.score(pairs)
        monkeypatch.setattr("textkin.text.baselines.pair_scoring.CHUNK", 7)
        assert scorer.score(pairs).tolist() == whole.tolist()
        monkeypatch.undo()
        assert isinstance(scorer, Scorer)
        assert scorer.score([]).shape == (0,)


def test_each_distinct_text_of_a_chunk_is_looked_at_once():
    seen = []

    def features(texts):
        seen.append(list(texts))
        return np.array([[len(text), 1] for text in texts], dtype=np.float32)

    pairs = [("a", "bb"), ("a", "ccc"), ("dd", "bb")]
    scores = score_pairs(pairs, lambda a, b: (a * b).sum(axis=1), first=features, second=features)
    assert scores.tolist() == [3, 4, 5]
    assert seen == [["a", "dd"], ["bb", "ccc"]]


def test_cosines_of_rows_and_of_zero_rows():
    left = np.array([[3, 4], [0, 0], [1, 0], [0, 0]], dtype=np.float32)
    right = np.array([[4, 3], [1, 1], [-2, 0], [0, 0]], dtype=np.float32)
    assert dense_cosine(left, right).tolist() == pytest.approx([0.96, 0, -1, 0])


def test_products_of_sparse_rows():
    left, right = csr_array([[1.0, 2, 0], [0, 0, 5]]), csr_array([[3.0, 4, 5], [1, 1, 0]])
    assert sparse_dot(left, right).tolist() == [11, 0]
