"""The choice of the fastest short rows, by timing on a sample."""

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from textkin.base.threads import cores, one_thread_each
from textkin.vectors.join import bfloat16
from textkin.vectors.join.pair_list import PAIR
from textkin.vectors.join.prepared_rows import Rows
from textkin.vectors.join.score_bounds import Rotation, Sketch, near_slack, rotation_for, sketch
from textkin.vectors.join.score_loop_arguments import Bits, Limits

ROWS = 1024
"""Rows of a tile."""

_TILE_BYTES = 1 << 21  # in fp32 with AVX-512, four times as many took 1.16 times as long

_WORTH_A_TRIAL = 1 << 24
_WIDTHS = (32, 48, 64, 96, 128, 192, 256, 384, 512)
_TRIALS = range(5, 40)
_SECONDS = 0.008
_HOPELESS = 1.3


@dataclass(frozen=True, slots=True, eq=False)
class Plan:
    """A plan for filtering pairs.

    Attributes:
        width: width of the short rows; all dimensions without a rotation.
        bf16: True to round them to bfloat16.
        rotation: rotation before truncation; None for whole rows.
    """

    width: int
    bf16: bool
    rotation: Rotation | None

    @property
    def columns(self) -> int:
        """The columns of a tile, chosen so that it stays in the processor's cache."""
        return _TILE_BYTES // (ROWS * (2 if self.bf16 else 4))

    def sketch(self, rows: Rows) -> Sketch:
        """The short rows of these rows."""
        return sketch(rows, self.width, self.rotation, bf16=self.bf16)

    def __str__(self) -> str:
        kind = "bf16" if self.bf16 else "fp32"
        return f"{kind}, {'all' if self.rotation is None else 'first'} {self.width} dimensions"


def make_plan(left: Rows, right: Rows, thresholds: Callable[[Rows, Rows], NDArray[np.float32]]) -> Plan:
    """The fastest of several plans, timed on a sample of the pairs.

    The results don't depend on the plan. The timing counts this thread's processor time, so that a busy
    neighbour doesn't matter. Plans in bfloat16 need torch. They are timed if torch is loaded, or if the pairs
    take longer than loading it.

    Args:
        left: rows of one side.
        right: rows of the other side, or the same.
        thresholds: function from a sample of rows of each side to the minimum scores of the former.
    """
    whole = Plan(left.dim, False, None)
    if not worth_a_trial(left, right):
        return whole
    some, others = left.spread(ROWS // 2), right.spread(ROWS, phase=0.5)
    trial = _Trial(some, others, thresholds(some, others))
    rotation = rotation_for([left] if left is right else [left, right])
    with one_thread_each():
        best = trial.best_from(whole, rotation)
    tiles = len(left) * len(right) / (len(some) * len(others))
    tiles /= 2 if left is right else 1  # pairs within one side are compared once
    if bfloat16.worth_loading(trial.seconds(best) * tiles / cores()) and bfloat16.load():
        with one_thread_each():
            half = Plan(left.dim, True, None)
            if sound_in_bf16(half.sketch(some), half.sketch(others)) and trial.seconds(half) < trial.seconds(
                whole
            ):
                best = min(best, trial.best_from(half, rotation), key=trial.seconds)
    return best


def sound_in_bf16(left: Sketch, right: Sketch) -> bool:
    """True if bfloat16 products are accurate enough here; some libraries sum in bfloat16.

    Args:
        left: a few short rows in bfloat16.
        right: other rows of the same width.
    """
    one, other = (bfloat16.widened(side.table).astype(np.float64) for side in (left, right))
    exact = one @ other.T
    allowed = 2.0**-8 * np.abs(exact) + 1e-4 * float(left.lengths.max() * right.lengths.max())
    found = bfloat16.widened(Tile(bf16=True).product(left.table, right.table))
    return bool(np.all(np.abs(found - exact) <= allowed))


def worth_a_trial(left: Rows, right: Rows) -> bool:
    """True if there are enough pairs for the fastest plan to repay the timing."""
    return len(left) * len(right) >= _WORTH_A_TRIAL


class _Trial:
    """A tile of a sample for timing plans."""

    def __init__(self, left: Rows, right: Rows, thresholds: NDArray[np.float32]) -> None:
        self._left, self._right, self._thresholds = left, right, thresholds
        self._seconds: dict[tuple[int, bool], float] = {}

    def seconds(self, plan: Plan) -> float:
        """The time for the tile, the best of several runs."""
        key = plan.width, plan.bf16
        if key not in self._seconds:
            self._seconds[key] = self._measure(plan)
        return self._seconds[key]

    def best_from(self, whole: Plan, rotation: Rotation) -> Plan:
        """The fastest of a plan with all dimensions and plans with fewer."""
        best = whole
        for width in [each for each in _WIDTHS if each * 4 <= whole.width * 3][::-1]:
            plan = Plan(width, whole.bf16, rotation)
            if self.seconds(plan) > _HOPELESS * self.seconds(best):
                break  # too many candidates remain, and fewer dimensions leave even more
            best = min(best, plan, key=self.seconds)
        return best

    def _measure(self, plan: Plan) -> float:
        from textkin.vectors.join.score_loops import sift

        left, right = plan.sketch(self._left), plan.sketch(self._right)
        least = least_bits(self._thresholds - left.slack(right), bf16=plan.bf16)
        near = (self._thresholds - near_slack(self._left, self._right)).astype(np.float32)
        limits = Limits(least, near, self._thresholds)
        tile = Tile(bf16=plan.bf16)
        arrays = self._left.arrays, self._right.arrays
        found = np.empty(len(self._left) * len(self._right), dtype=PAIR)
        seconds: list[float] = []
        while len(seconds) < _TRIALS.start or (sum(seconds) < _SECONDS and len(seconds) < _TRIALS.stop):
            start = time.thread_time()
            sift(tile.product(left.table, right.table), limits, *arrays, -ROWS, found)
            seconds.append(time.thread_time() - start)
        return min(seconds)


class Tile:
    """A buffer for the products of short rows."""

    def __init__(self, *, bf16: bool) -> None:
        self._bf16 = bf16
        self._room: NDArray[Any] = np.empty(_TILE_BYTES, np.uint8).view(np.int16 if bf16 else np.float32)

    def product(self, left: NDArray[Any], right: NDArray[Any]) -> Bits:
        """All products, read as integers.

        The result is valid until the next call. Shape [rows of left, rows of right].
        """
        tile = self._room[: len(left) * len(right)].reshape(len(left), len(right))
        if self._bf16:
            bfloat16.multiply(left, right, tile)
            return tile
        np.matmul(left, right.T, out=tile)
        return tile.view(np.int32)


def least_bits(limits: NDArray[np.float64], *, bf16: bool) -> Bits:
    """The minimum product for a limit, read as an integer. Shape [rows].

    Rounded down. Below zero, the order of floats and integers differs, so everything passes.
    """
    rounded = limits.astype(np.float32)
    rounded = np.where(rounded > limits, np.nextafter(rounded, np.float32(-np.inf)), rounded)
    bits = rounded.view(np.int32) >> (16 if bf16 else 0)
    if bf16:
        return np.where(rounded > 0, bits, np.iinfo(np.int16).min).astype(np.int16)
    return np.where(rounded > 0, bits, np.iinfo(np.int32).min).astype(np.int32)
