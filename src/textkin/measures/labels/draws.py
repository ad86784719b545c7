"""Labels of pairs that were drawn at random, and what they prove of thresholds: precision, and recall.

A threshold is chosen out of a few that are fixed before the first answer. Each has a test of its own that is
valid at any time (``measures.intervals.betting``), at its part of the error, so the chance that any threshold
is ever called proven whose precision is below the goal is the error at most, whenever and however one stops.

Recall is of the pairs of the file, those that nobody mined left out. A threshold's is at least found /
(found + missed): "found" is how many of its pairs are proven the same, which takes no more of the error;
"missed" is the most pairs below it that may be the same (``measures.intervals.finite_counts``). Where recall
is asked for, half of the error is for the precisions and half for what is missed, each in even parts for the
thresholds.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise
from typing import final

import numpy as np
from numpy.typing import NDArray

from textkin.measures.intervals.betting import (
    BlindDraws,
    labels_left,
    needed,
    proven_after,
    proven_count,
    wealth,
)
from textkin.measures.intervals.finite_counts import MostSo, most_so

_Counts = NDArray[np.int64]

MOST_RANGES = 8  # of scores below the thresholds
_NARROWEST = 50  # pairs of a range


@final
@dataclass(frozen=True, slots=True)
class Draw:
    """A pair that was drawn.

    Attributes:
        row: the pair, by its place among all, the highest score first.
        among: of how many first pairs it was drawn.
        start: how many of these were left out, beside those that were drawn before.
    """

    row: int
    among: int
    start: int = 0


@final
@dataclass(frozen=True, slots=True)
class ThresholdProof:
    """What the labels prove of a threshold.

    Attributes:
        threshold: pairs from this score on.
        pairs: how many they are.
        labels: of draws from all of these alike that nobody had judged.
        same: of those labels.
        proven: whether the goal is proven.
        least: the precision that is proven, at this threshold's part of the error.
        left: how many more labels a proof takes if they come as those so far; None if that proves nothing.
        found: so many of the pairs are the same at least.
        missed: so many pairs of the file that score less are the same at most; None where nobody asked.

    Example:
        >>> import textkin as tk
        >>> from textkin.data import samples
        >>> found = tk.mine(samples.path("inbox.txt"), top=50, out="likely.tsv")
        >>> one = tk.label("likely.tsv", threshold=0.8, recall=True).state().thresholds[0]
        >>> one.found, one.missed == 50 - one.pairs, one.recall
        (0, True, 0.0)
    """

    threshold: float
    pairs: int
    labels: int
    same: int
    proven: bool
    least: float
    left: int | None
    found: int = 0
    missed: int | None = None

    @property
    def recall(self) -> float | None:
        """The recall that is proven, of the pairs of the file; None where nobody asked."""
        if self.missed is None:
            return None
        return self.found / (self.found + self.missed) if self.found else 0.0


@final
@dataclass(frozen=True, eq=False)
class DrawnLabels:
    """Draws with the labels of the pairs that were drawn.

    Attributes:
        scores: of the pairs that the thresholds end with, the highest first. Shape [thresholds].
        sizes: how many pairs each threshold has, the fewest first. Shape [thresholds].
        pairs: how many there are in all.
        draws: in their order. A pair counts once: one whose answer was taken back is drawn again.
        labels: of pairs, by their places: True for the same, None where people were unsure. A pair that is
            not here has no answer yet.
        error: how probable a false proof may be.
        bounds_recall: whether recall is bounded.
        bounds: of counts that were met before; a session hands them on, as they take the most time.
    """

    scores: tuple[float, ...]
    sizes: tuple[int, ...]
    pairs: int
    draws: Sequence[Draw]
    labels: Mapping[int, bool | None]
    error: float = 0.05
    bounds_recall: bool = False
    bounds: dict[tuple[int, ...], MostSo] = field(default_factory=dict, repr=False)

    @property
    def part(self) -> float:
        """Each threshold's part of the error, for its precision; as much is for what it misses."""
        return self.error / len(self.sizes) / (2 if self.bounds_recall else 1)

    def blind(self, size: int) -> BlindDraws:
        """The labels of the first pairs: of draws from all of them alike, or from more that fell on them.

        What was drawn from a part of them says nothing of the others, and is known as what it is. A pair
        without an answer counts as one that is not the same, which makes the bets on others no better.
        """
        so, judged, found, drawn, same = [], [], [], 0, 0
        for one in self._firsts:
            if one.row >= size:
                continue
            is_same = self.labels.get(one.row) is True
            if one.start == 0 and one.among >= size and one.row in self.labels:
                so.append(is_same)
                judged.append(drawn)
                found.append(same)
            drawn, same = drawn + 1, same + is_same
        labels, before, same_before = (np.array(one, dtype=np.float64) for one in (so, judged, found))
        return BlindDraws(labels, before, same_before, size)

    def known(self, size: int) -> tuple[int, int]:
        """How many of the first pairs were drawn, in whatever way, and how many of them are the same."""
        rows = [one.row for one in self._firsts if one.row < size]
        return len(rows), sum(self.labels.get(row) is True for row in rows)

    def is_proven(self, size: int, goal: float) -> bool:
        """Whether the precision of the first pairs has reached a goal at some time."""
        if (size, goal) not in self._proven:
            least = needed(goal, size)
            self._proven[size, goal] = (
                self.known(size)[1] >= least
                or proven_after(wealth(self.blind(size), least=least), error=self.part) is not None
            )
        return self._proven[size, goal]

    def proof(self, place: int, goal: float) -> ThresholdProof:
        """What the labels prove of a threshold, by its place among all."""
        size = self.sizes[place]
        draws, (judged, same) = self.blind(size), self.known(size)
        found = max(same, proven_count(draws, error=self.part))
        return ThresholdProof(
            threshold=self.scores[place],
            pairs=size,
            labels=len(draws.so),
            same=int(draws.so.sum()),
            proven=self.is_proven(size, goal),
            least=found / size,
            left=labels_left(draws, least=needed(goal, size), judged=judged, found=same, error=self.part),
            found=found,
            missed=self.missed(size) if self.bounds_recall else None,
        )

    def missed(self, size: int) -> int:
        """How many pairs after the first ones may be the same at most, those that people are unsure of too.

        It is that of the best moment so far: before a pair of these was found to be the same, or now.
        """
        moments = (self._tally(size, until=row) for row in self._missed_rows(size))
        return min([self.missed_now(size).total, *(self._most(size, *one).total for one in moments)])

    def missed_now(self, size: int) -> MostSo:
        """The same by all labels, with the counts of each range of scores after the first pairs."""
        return self._most(size, *self._tally(size))

    def ranges(self, size: int) -> list[tuple[int, int]]:
        """The ranges of scores after the first pairs, by the places where they begin and end."""
        ends = [size, *(end for end in self._ends if end > size)]
        return list(pairwise(ends))

    def tally(self, size: int) -> tuple[_Counts, _Counts]:
        """Of each range after the first pairs: the labels that may be the same, and all labels."""
        return self._tally(size)

    @cached_property
    def _proven(self) -> dict[tuple[int, float], bool]:
        return {}

    @cached_property
    def _ends(self) -> list[int]:
        """Where ranges end: at thresholds; below the lowest each is about twice as wide as the last."""
        lowest = self.sizes[-1]
        ends, width = list(self.sizes), max(lowest, _NARROWEST)
        ratio = max(2.0, (self.pairs / width) ** (1 / MOST_RANGES))
        end = float(lowest + width * (ratio - 1))
        while end < self.pairs - width / 2:
            ends.append(round(end))
            end *= ratio
        return sorted({*ends, self.pairs})

    @cached_property
    def _firsts(self) -> list[Draw]:
        """The first draw of each pair, in order: a sample without replacement."""
        found: dict[int, Draw] = {}
        for one in self.draws:
            found.setdefault(one.row, one)
        return list(found.values())

    @cached_property
    def _labelled(self) -> list[int]:
        """The labelled pairs in the order in which they were first drawn.

        Of each range they are a sample without replacement, from whichever first pairs they were drawn.
        """
        return [one.row for one in self._firsts if one.row in self.labels]

    def _missed_rows(self, size: int) -> list[int]:
        return [row for row in self._labelled if row >= size and self.labels[row] is not False]

    def _most(self, size: int, yes: _Counts, drawn: _Counts) -> MostSo:
        key = (size, *yes.tolist(), *drawn.tolist())
        if key not in self.bounds:
            widths = [end - start for start, end in self.ranges(size)]
            self.bounds[key] = most_so(yes, drawn, widths, error=self.part)
        return self.bounds[key]

    def _tally(self, size: int, *, until: int | None = None) -> tuple[_Counts, _Counts]:
        rows = self._labelled if until is None else self._labelled[: self._labelled.index(until)]
        below = np.array([row for row in rows if row >= size], dtype=np.int64)
        unsure = np.array([row for row in below.tolist() if self.labels[row] is not False], dtype=np.int64)
        edges = [size, *(end for _, end in self.ranges(size))]
        yes, drawn = (np.histogram(one, bins=edges)[0] for one in (unsure, below))
        return yes.astype(np.int64), drawn.astype(np.int64)


def told(likely: float, highest: float) -> float:
    """How much a label tells against the highest count: the divergence of its likely share from that one."""
    share = min(max(highest, 1e-9), 1 - 1e-9)
    return likely * math.log(likely / share) + (1 - likely) * math.log((1 - likely) / (1 - share))
