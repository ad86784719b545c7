"""Few pairs on arrays: equal to those of the loops, or none if rounding leaves it open."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from tests.vectors.join.plans import kindred
from textkin.vectors.join import tile_join as few
from textkin.vectors.join import tile_join as joiner
from textkin.vectors.join.all_pairs import JoinedPairs, pairs_above
from textkin.vectors.join.prepared_rows import by_cosine
from textkin.vectors.join.tile_join import few_pairs

_NUMBERS = st.sampled_from([-2.0, -1.0, -0.0, 0.0, 1.0, 3.0, 1e-20, 1e15])
_ROWS = st.integers(0, 12).flatmap(lambda rows: arrays(np.float32, (rows, 3), elements=_NUMBERS))
_THRESHOLDS = st.sampled_from([-1.0, -0.5, 0.0, 0.3, 0.8, 1.0])


def joined(vectors, threshold: float, *, most: int, **options) -> JoinedPairs:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(joiner, "FEW", most)
        return pairs_above(vectors, threshold, quiet=True, **options)


def listed(found: JoinedPairs) -> list[tuple[float, int, int]]:
    return list(zip(found.scores.tolist(), found.rows.tolist(), found.columns.tolist(), strict=True))


def both(vectors, threshold: float, **options) -> tuple[list, list]:
    return tuple(listed(joined(vectors, threshold, most=most, **options)) for most in (few.FEW, 0))


@given(vectors=_ROWS, threshold=_THRESHOLDS, limit=st.none() | st.integers(1, 20))
def test_pairs_of_one_set_are_those_of_the_loops(vectors, threshold: float, limit: int | None) -> None:
    ours, theirs = both(vectors, threshold, limit=limit)
    assert ours == theirs


@given(vectors=_ROWS, against=_ROWS, threshold=_THRESHOLDS, limit=st.none() | st.integers(1, 20))
def test_pairs_of_two_sets_are_those_of_the_loops(vectors, against, threshold: float, limit) -> None:
    ours, theirs = both(vectors, threshold, limit=limit, against=against)
    assert ours == theirs


@pytest.mark.parametrize("limit", [None, 1, 50])
def test_wanted_pairs_are_those_of_the_loops(limit: int | None) -> None:
    vectors = kindred(90)
    ours, theirs = both(vectors, 0.2, limit=limit, wanted=lambda rows, columns: (rows + columns) % 3 == 0)
    assert ours == theirs
    assert len(ours) == (limit or len(ours)) > 0


def pairs(vectors, threshold: float, *, most: int | None = None):
    rows = by_cosine(np.asarray(vectors, dtype=np.float32))
    return few_pairs(rows.arrays, rows.arrays, np.float32(threshold), same=True, most=most)


def test_pairs_beyond_the_best_may_be_left_out() -> None:
    vectors = kindred(60)
    found, every = pairs(vectors, -1, most=30), pairs(vectors, -1)
    assert 30 <= len(found) < 100 < len(every) == 60 * 59 // 2
    best = np.sort(every["score"])[-30:]
    assert np.sort(found["score"])[-30:].tolist() == best.tolist()


def test_nothing_is_said_where_rounding_could_change_a_score() -> None:
    # The cosine is 1/2 + 2^-25 to the last bit of a double: between two numbers of single precision.
    middle = 0.5 + 2.0**-25 + 2.0**-54
    apart = np.sqrt(1 - middle**2)
    vectors = np.array([[1, 0, 0], [middle, apart, 0]], dtype=np.float32)
    rows = by_cosine(vectors)
    exact = float(rows.values[0].astype(float) @ rows.values[1]) / np.sqrt(np.prod(rows.squares))
    between = (np.float64(np.float32(exact)) + np.nextafter(np.float32(exact), np.float32(1))) / 2
    # Squares that put the cosine just there; the loops' own would not.
    shifted = rows.arrays._replace(squares=rows.squares * (exact / between))
    args = {"same": True, "most": None}
    assert few_pairs(shifted, shifted, np.float32(0.3), **args) is None
    assert len(few_pairs(shifted, shifted, np.float32(0.6), **args)) == 0  # it can't reach that anyway
    assert len(few_pairs(rows.arrays, rows.arrays, np.float32(0.3), **args)) == 1


def test_many_pairs_and_parts_of_the_rows_are_left_to_the_loops(monkeypatch) -> None:
    asked = []
    monkeypatch.setattr(joiner, "few_pairs", lambda *rest, **named: asked.append(rest))
    monkeypatch.setattr(joiner, "FEW", 40 * 40)
    assert len(pairs_above(kindred(40), 0.6, quiet=True)) > 0
    assert len(asked) == 1
    assert len(pairs_above(kindred(41), 0.6, quiet=True)) > 0
    assert len(asked) == 1
