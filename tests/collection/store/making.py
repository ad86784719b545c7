"""Common parts of the store's tests."""

from __future__ import annotations

import os
import tempfile
import zlib
from contextlib import contextmanager
from pathlib import Path

import numpy as np

DIM = 4


def vector_of(text):
    """A vector of few whole numbers, so that ties are frequent and cosines exact; zeros for some texts."""
    draws = np.random.default_rng(zlib.crc32(text.encode()))
    return draws.integers(-1, 2, DIM).astype(np.float32)


def vectors_of(texts):
    return np.stack([vector_of(text) for text in texts])


def check_ranking(hits, expected, k):
    """The hits are the ``k`` best of the expected scores, in the order of the tie rule."""
    assert len(hits) == min(k, len(expected))
    for hit in hits:
        assert abs(hit.score - expected[hit.doc_id]) < 1e-5
    keys = [(hit.score, hit.doc_id.encode()) for hit in hits]
    assert keys == sorted(keys, reverse=True)
    left_out = [score for name, score in expected.items() if name not in {hit.doc_id for hit in hits}]
    if hits and left_out:
        assert max(left_out) <= hits[-1].score + 1e-5


def exact(expected, k):
    """The ranking that scores give, exactly."""
    best = sorted(((score, name.encode()) for name, score in expected.items()), reverse=True)
    return [(name.decode(), score) for score, name in best[:k]]


@contextmanager
def folder_for_commits():
    """A new folder, in memory where possible, for thousands of commits."""
    memory = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
    with tempfile.TemporaryDirectory(dir=memory) as folder:
        yield Path(folder)
