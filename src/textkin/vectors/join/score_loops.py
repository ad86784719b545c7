"""Compiled loops over the scores of tiles."""

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
    """Write the pairs of a tile whose scores reach the threshold; return their number.

    Args:
        tile: an upper bound or approximation of each pair's score, shape [rows, columns].
        limits: minimum values for the rows.
        left: arrays of the rows.
        right: arrays of the columns.
        ahead: pairs whose column is at most their row + ``ahead`` are skipped.
        found: output of ``pair_list.PAIR`` records, numbered within the tile; one for each pair of the tile.
    """
    count = 0
    for row in range(tile.shape[0]):
        line, bar, near, threshold = tile[row], limits.least[row], limits.near[row], limits.score[row]
        first = max(0, row + ahead + 1)
        for start in range(first // _LANES * _LANES, len(line), _LANES):
            part = line[start : start + _LANES]
            if len(part) == _LANES:  # a constant length compiles to a few instructions
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
    """Insert the columns of a tile into the best lists of their rows.

    Tiles of the same rows must come in column order: ties go to the earlier column.

    Args:
        tile: an upper bound or approximation of each pair's score, shape [rows, columns].
        left: arrays of the rows.
        right: arrays of the columns.
        slack: maximum amount by which a row's numbers, and its single-precision scores, may be below its
            scores: shape [2, rows].
        best: best lists of the same rows.
        first_column: number of the tile's first column.
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
    """Insert a column into a decreasing list, after ties; drop the last one."""
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
    return _dot32(left.values[row], right.values[column]) * left.scales[row] * right.scales[column]


@compiled
def score_of(left: Arrays, right: Arrays, row: int, column: int) -> np.float32:
    """The score as defined in ``prepared_rows.Rows``."""
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
