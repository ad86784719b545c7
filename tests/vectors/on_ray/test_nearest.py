"""The nearest by blocks equal those of one searcher."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.vectors.on_ray.fake_workers import crew, vectors
from textkin.base.errors import DataError
from textkin.vectors.join.nearest import Searcher
from textkin.vectors.on_ray.nearest import nearest


@settings(max_examples=15)
@given(st.integers(1, 50), st.integers(9, 60), st.integers(1, 9), st.integers(0, 5), st.booleans())
def test_the_nearest_of_one_machine_to_the_byte(count, block, depth, seed, apart):
    documents = vectors(count, seed=seed)
    queries = documents if apart else vectors(17, seed=seed + 1)
    floor = np.where(np.arange(len(queries)) % 5 == 0, 0.3, -np.inf).astype(np.float32)
    expected = Searcher(documents, cosine=True).nearest(queries, depth, floor=floor, apart=apart)
    found = nearest(crew(block, seed=seed), queries, documents, depth, floor=floor, apart=apart, quiet=True)
    assert found.documents.tolist() == expected.documents.tolist()
    assert found.scores.tobytes() == expected.scores.tobytes()


def test_of_equals_the_first_one_is_found():
    documents, queries = np.ones((12, 3), dtype=np.float32), np.ones((2, 3), dtype=np.float32)
    floor = np.full(2, -np.inf, dtype=np.float32)
    found = nearest(crew(5, seed=3), queries, documents, 4, floor=floor, quiet=True)
    assert found.documents.tolist() == [[0, 1, 2, 3], [0, 1, 2, 3]]


def test_vectors_of_two_models_are_refused():
    floor = np.full(4, -np.inf, dtype=np.float32)
    with pytest.raises(DataError, match="16 and of 3 dimensions"):
        nearest(crew(5), vectors(4), vectors(4, dim=3), 2, floor=floor)
