"""The loops that look at every score."""

from __future__ import annotations

from functools import partial

import numpy as np
from numpy.typing import NDArray

from textkin.base.numba_cache import compiled
from textkin.vectors.join.score_loop_arguments import Arrays, Best, Bits, Limits

_LANES = 128
_sum = partial(compiled, sums_in_any_order=True)


@compiled
def sift(
    tile: Bits,
    limits: Limits,
    left: Arrays,
    right: Arrays,
    ahead: int,
    found: NDArray[np.void],
) -> int:
    """Write down the pairs of a tile whose scores reach the threshold; return how many there are.

    Args:
        tile: a number above or near the score of each pair, shape [rows, columns].
        limits: what belongs to the rows.
        left: likewise.
        right: what belongs to the columns.
        ahead: pairs whose column is not greater than their row + ``ahead`` are passed over.
        found: ``pair_list.PAIR`` records, numbered within the tile; as many as the tile has pairs.
    """
    count = 0
    for row in range(tile.shape[0]):
        line, bar, near, threshold = tile[row], limits.least[row], limits.near[row], limits.score[row]
        first = max(0, row + ahead + 1)
        for start in range(first // _LANES * _LANES, len(line), _LANES):
            part = line[start : start + _LANES]
            if len(part) == _LANES:  # a constant length, so that this becomes a few instructions
                top = part[0]
                for place in range(_LANES):
                    top = max(top, part[place])
                if top < bar:
                    continue
            for column in range(max(start, first), start + len(part)):
                if line[column] < bar:
                    continue
                if near_score(left, right, row, column) < near:
                    continue
                score = score_of(left, right, row, column)
                if score >= threshold:
                    found[count].row = row
                    found[count].column = column
                    found[count].score = score
                    count += 1
    return count


@compiled
def keep_best(
    tile: Bits,
    left: Arrays,
    right: Arrays,
    slack: NDArray[np.float32],
    best: Best,
    first_column: int,
    itself: int,
) -> None:
    """Put the columns of a tile among the best of their rows.

    Tiles of the same rows must come in the order of their columns: of equal scores the earlier one stays.

    Args:
        tile: a number above or near the score of each pair, shape [rows, columns].
        left: what belongs to the rows.
        right: what belongs to the columns.
        slack: how far the numbers of a row, and its scores in single precision, may lie below its scores:
            shape [2, rows].
        best: of the same rows.
        first_column: the number of the tile's first column.
        itself: row r is never paired with column r + ``itself`` of the tile.
    """
    real = np.empty(1, dtype=np.float32)
    shift = 32 - 8 * tile.itemsize
    depth = best.scores.shape[1]
    for row in range(tile.shape[0]):
        worst = max(best.floor[row], best.scores[row, depth - 1])
        real[0] = worst - slack[0, row]
        least = real.view(np.int32)[0] >> shift
        everything = not real[0] > 0
        line = tile[row]
        for start in range(0, len(line), _LANES):
            part = line[start : start + _LANES]
            if len(part) == _LANES and not everything:
                top = part[0]
                for place in range(_LANES):
                    top = max(top, part[place])
                if top < least:
                    continue
            for column in range(start, start + len(part)):
                if (line[column] < least and not everything) or column == row + itself:
                    continue
                if near_score(left, right, row, column) < worst - slack[1, row]:
                    continue
                score = score_of(left, right, row, column)
                if score > worst:
                    insert(best.scores[row], best.columns[row], score, first_column + column)
                    worst = max(best.floor[row], best.scores[row, depth - 1])
                    real[0] = worst - slack[0, row]
                    least = real.view(np.int32)[0] >> shift
                    everything = not real[0] > 0


@compiled
def insert(scores: NDArray[np.float32], columns: NDArray[np.int64], score: np.float32, column: int) -> None:
    """Put a column in its place in a list that falls; behind those of the same score. The last one goes."""
    place = scores.shape[0] - 1
    while place > 0 and scores[place - 1] < score:
        scores[place] = scores[place - 1]
        columns[place] = columns[place - 1]
        place -= 1
    scores[place] = score
    columns[place] = column


@compiled
def near_score(left: Arrays, right: Arrays, row: int, column: int) -> np.float32:
    """A score in single precision."""
    score: np.float32 = (
        _dot32(left.values[row], right.values[column]) * left.scales[row] * right.scales[column]
    )
    return score


@compiled
def score_of(left: Arrays, right: Arrays, row: int, column: int) -> np.float32:
    """The score, as ``prepared_rows.Rows`` says."""
    square = left.squares[row] * right.squares[column]
    if square == 0:
        return np.float32(0)
    return np.float32(_dot64(left.values[row], right.values[column]) / np.sqrt(square))


@_sum
def _dot32(x: NDArray[np.float32], y: NDArray[np.float32]) -> np.float32:
    total = np.float32(0)
    for place in range(x.shape[0]):
        total += x[place] * y[place]
    return total


@_sum
def _dot64(x: NDArray[np.float32], y: NDArray[np.float32]) -> float:
    total = 0.0
    for place in range(x.shape[0]):
        total += np.float64(x[place]) * np.float64(y[place])
    return total
