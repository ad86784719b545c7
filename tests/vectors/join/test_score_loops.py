"""The loops over every score, against plain ones; each filter is used, and is exact."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest
from numpy.typing import NDArray

from textkin.vectors.join.pair_list import PAIR
from textkin.vectors.join.score_loop_arguments import Arrays, Best, Limits
from textkin.vectors.join.score_loops import insert, keep_best, sift

_Floats = NDArray[np.float32]
WIDE = 300  # two whole runs of 128 columns, and a rest
BITS = [np.int32, np.int16]


def arrays(values: _Floats) -> Arrays:
    """Rows with their squared lengths and the scales that make them unit vectors."""
    lengths = (values.astype(np.float64) ** 2).sum(axis=1)
    scales = np.divide(1, np.sqrt(lengths), where=lengths > 0, out=np.zeros(len(lengths)))
    return Arrays(values, lengths, scales.astype(np.float32))


@cache
def drawn(rows: int, columns: int, *, seed: int = 0) -> tuple[Arrays, Arrays, _Floats]:
    """Rows of small whole numbers, so that scores are often equal, some of them zero; and all the scores."""
    rng = np.random.default_rng(seed)
    one, other = (
        arrays(rng.integers(-2, 4, (count, 3)).astype(np.float32) * (rng.random((count, 1)) > 0.05))
        for count in (rows, columns)
    )
    found = np.zeros((rows, columns), dtype=np.float32)
    for row, column in np.ndindex(rows, columns):
        square = one.squares[row] * other.squares[column]
        dot = sum(float(a) * float(b) for a, b in zip(one.values[row], other.values[column], strict=True))
        found[row, column] = 0 if square == 0 else dot / np.sqrt(square)
    return one, other, found


def bits(scores: _Floats, kind: type[np.signedinteger]) -> NDArray[np.signedinteger]:
    """Numbers as their upper bits: 16 bits truncate towards zero."""
    whole = np.ascontiguousarray(scores, dtype=np.float32).view(np.int32)
    return (whole >> (32 - 8 * np.dtype(kind).itemsize)).astype(kind)


def sifted(tile: NDArray[np.signedinteger], limits: Limits, left: Arrays, right: Arrays, ahead: int) -> list:
    found = np.zeros(tile.size, dtype=PAIR)
    count = sift(tile, limits, left, right, ahead, found)
    assert not found[count:].view(np.uint8).any()
    return [(int(one["row"]), int(one["column"]), float(one["score"])) for one in found[:count]]


@pytest.mark.parametrize("kind", BITS)
@pytest.mark.parametrize("ahead", [-40, -3, 0, 1, 127, 128, 200, 299])
@pytest.mark.parametrize("threshold", [0.0, 0.5, 1.0])
def test_the_pairs_of_a_tile_are_those_of_plain_loops(kind, ahead: int, threshold: float) -> None:
    left, right, scores = drawn(6, WIDE)
    least = np.full(6, threshold, dtype=np.float32)
    limits = Limits(bits(least, kind), least - np.float32(1e-5), least)
    # A tile must not be below a score: negative values have no order as bits, and are raised to zero.
    tile = bits(np.maximum(scores, 0) + np.float32(1e-4), kind)
    expected = [
        (row, column, float(scores[row, column]))
        for row in range(6)
        for column in range(WIDE)
        if column > row + ahead and scores[row, column] >= threshold
    ]
    assert sifted(tile, limits, left, right, ahead) == expected
    assert (len(expected) > 0) is (ahead < 290)


@pytest.mark.parametrize("place", [0, 1, 126, 127, 128, 129, 255, 256, 299])
def test_a_single_pair_is_found_wherever_it_stands(place: int) -> None:
    values = np.zeros((WIDE, 2), dtype=np.float32)
    values[:, 1] = 1
    values[place] = 1, 0
    left, right = arrays(np.array([[2, 0]], dtype=np.float32)), arrays(values)
    tile = np.zeros((1, WIDE), dtype=np.int32)
    tile[0, place] = 7
    one = np.ones(1, dtype=np.float32)
    # The bar, the limit of single precision and the threshold are all reached exactly.
    limits = Limits(np.array([7], dtype=np.int32), one, one)
    assert sifted(tile, limits, left, right, -1) == [(0, place, 1.0)]
    assert sifted(tile, limits, left, right, place - 1) == [(0, place, 1.0)]
    assert sifted(tile, limits, left, right, place) == []
    higher = np.nextafter(one, np.float32(2))
    for wrong in (
        limits._replace(least=np.array([8], dtype=np.int32)),
        limits._replace(near=higher),
        limits._replace(score=higher),
    ):
        assert sifted(tile, wrong, left, right, -1) == []


def test_limits_belong_to_their_rows() -> None:
    left, right, scores = drawn(5, 140, seed=2)
    wanted = np.array([0.2, 2, 0.5, 0.9, 1], dtype=np.float32)
    tile = bits(np.maximum(scores, 0) + np.float32(1e-4), np.int32)
    limits = Limits(bits(wanted, np.int32), wanted - np.float32(1e-5), wanted)
    found = sifted(tile, limits, left, right, -5)
    assert [pair[:2] for pair in found] == list(
        zip(*(axis.tolist() for axis in np.nonzero(scores >= wanted[:, None])), strict=True)
    )


def kept(floor: _Floats, depth: int) -> Best:
    rows = len(floor)
    return Best(
        np.full((rows, depth), -np.inf, dtype=np.float32), np.full((rows, depth), -1, dtype=np.int64), floor
    )


def by_loops(scores: _Floats, floor: _Floats, depth: int, itself: int) -> tuple[list, list]:
    """The best columns of each row above its floor; ties go to the earlier one."""
    all_scores, all_columns = [], []
    for row, line in enumerate(scores):
        order = sorted(range(len(line)), key=lambda column, line=line: (-line[column], column))
        best = [c for c in order if line[c] > floor[row] and c != row + itself][:depth]
        spare = depth - len(best)
        all_scores.append([float(line[c]) for c in best] + [-np.inf] * spare)
        all_columns.append(best + [-1] * spare)
    return all_scores, all_columns


@pytest.mark.parametrize("kind", BITS)
@pytest.mark.parametrize("depth", [1, 2, 7, 400])
@pytest.mark.parametrize("least", [-np.inf, -0.3, 0.0, 0.6])
@pytest.mark.parametrize("itself", [-50, 0, 3, 255])
def test_the_best_of_each_row_are_those_of_plain_loops(kind, depth: int, least: float, itself: int) -> None:
    left, right, scores = drawn(5, 2 * WIDE, seed=1)
    best = kept(np.full(5, least, dtype=np.float32), depth)
    best.floor[1] = 0.25
    slack = np.full((2, 5), 0.01, dtype=np.float32)
    rough = bits(scores, kind)
    for start, end in ((0, WIDE), (WIDE, 2 * WIDE)):
        part = Arrays(*(values[start:end] for values in right))
        keep_best(rough[:, start:end], left, part, slack, best, start, itself - start)
    expected = by_loops(scores, best.floor, depth, itself)
    assert (best.scores.tolist(), best.columns.tolist()) == expected


@pytest.mark.parametrize("place", [0, 5, 127, 128, 255, 256, 299])
def test_a_number_may_lie_below_its_score_by_the_slack_and_no_further(place: int) -> None:
    values = np.zeros((WIDE, 2), dtype=np.float32)
    values[:, 1] = 1
    values[place] = 1, 0
    left, right = arrays(np.array([[1, 0]], dtype=np.float32)), arrays(values)
    numbers = np.zeros((1, WIDE), dtype=np.float32)
    for number, is_found in ((0.25, True), (np.nextafter(np.float32(0.25), np.float32(0)), False)):
        numbers[0, place] = number
        best = kept(np.array([0.5], dtype=np.float32), 2)
        slack = np.array([[0.25], [0]], dtype=np.float32)
        keep_best(bits(numbers, np.int32), left, right, slack, best, 1000, -1)
        assert best.columns.tolist() == [[1000 + place if is_found else -1, -1]]


def test_scores_in_single_precision_may_lie_below_by_their_slack_and_no_further() -> None:
    left, right = (arrays(np.array([[1, 0]], dtype=np.float32)) for _ in range(2))
    near = right._replace(scales=np.array([0.25], dtype=np.float32))  # as if it were computed as 0.25
    tile = bits(np.ones((1, 1), dtype=np.float32), np.int32)
    for slack, is_found in ((0.25, True), (0.125, False)):
        best = kept(np.array([0.5], dtype=np.float32), 1)
        keep_best(tile, left, near, np.array([[0], [slack]], dtype=np.float32), best, 0, -1)
        assert best.columns.tolist() == [[0 if is_found else -1]]


def test_the_bar_rises_with_what_was_found() -> None:
    """Once two are found, a number below the second one's score is skipped, whatever its score."""
    left = arrays(np.array([[1, 0]], dtype=np.float32))
    right = arrays(np.array([[1, 0], [1, 0.1], [1, 0]], dtype=np.float32))
    best, slack = kept(np.full(1, 0.1, dtype=np.float32), 2), np.zeros((2, 1), dtype=np.float32)
    numbers = np.array([[1, 1, 0.9]], dtype=np.float32)
    keep_best(bits(numbers, np.int32), left, right, slack, best, 0, -9)
    assert best.columns.tolist() == [[0, 1]]


def test_a_column_goes_behind_those_of_its_score() -> None:
    scores = np.array([0.9, 0.5, 0.5, 0.1], dtype=np.float32)
    columns = np.array([3, 1, 2, 7], dtype=np.int64)
    insert(scores, columns, np.float32(0.5), 9)
    assert columns.tolist() == [3, 1, 2, 9]
    insert(scores, columns, np.float32(0.6), 4)
    assert (columns.tolist(), scores.tolist()) == (
        [3, 4, 1, 2],
        [np.float32(s) for s in (0.9, 0.6, 0.5, 0.5)],
    )
    insert(scores, columns, np.float32(1), 8)
    assert columns.tolist() == [8, 3, 4, 1]
