"""Vectors in cells."""

import numpy as np
import pytest

from textkin.base.errors import UsageError
from textkin.vectors.index.vector_cells import assigned, centres_of, check_cells, nearest_cells


def test_clusters_become_cells():
    draws = np.random.default_rng(0)
    homes = np.eye(6, dtype=np.float32)
    own = draws.integers(6, size=600)
    vectors = (homes[own] + 0.05 * draws.normal(size=(600, 6))).astype(np.float32)
    vectors *= draws.uniform(0.1, 9, size=(600, 1)).astype(np.float32)  # lengths don't matter
    centres = centres_of(vectors, 12, seed=1)
    np.testing.assert_allclose(np.linalg.norm(centres, axis=1), 1, atol=1e-5)
    cells = assigned(vectors, centres)
    for cell in np.unique(cells):
        assert len(set(own[cells == cell].tolist())) == 1
    assert (nearest_cells(vectors, centres)[:, 0] == cells).all()
    assert (np.sort(nearest_cells(vectors[:5], centres)) == np.arange(12)).all()


def test_the_same_seed_gives_the_same_cells():
    vectors = np.random.default_rng(0).normal(size=(300, 8)).astype(np.float32)
    one, other = (centres_of(vectors, 9, seed=4) for _ in range(2))
    assert np.array_equal(one, other)
    assert not np.array_equal(one, centres_of(vectors, 9, seed=5))


def test_few_vectors_and_none():
    vectors = np.zeros((3, 4), dtype=np.float32)
    centres = centres_of(vectors, 5)
    assert centres.shape == (5, 4)
    assert assigned(vectors, centres).tolist() == [0, 0, 0]
    assert centres_of(vectors[:0], 1).shape == (1, 4)
    assert assigned(vectors[:0], centres).shape == (0,)


@pytest.mark.parametrize(
    ("cells", "rows", "fine"), [(1, 0, True), (1, 3, True), (2, 16, True), (3, 16, False)]
)
def test_how_many_cells_there_can_be(cells, rows, fine):
    if fine:
        check_cells(cells, rows)
    else:
        with pytest.raises(UsageError) as error:
            check_cells(cells, rows)
        assert (error.value.params, error.value.value) == (("cells",), 3)
    with pytest.raises(UsageError):
        check_cells(0, 100)
