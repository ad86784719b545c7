"""Labels of randomly drawn pairs, and the precision and recall of thresholds that they prove.

A threshold is chosen from a few that are fixed before the first answer. Each has its own anytime-valid test
(``measures.intervals.betting``) at its part of the error. So the probability that any threshold is ever
falsely proven is at most the error, for any stopping rule.

Recall refers to the pairs of the file, without those that were never mined. A threshold's recall is at least
found / (found + missed). "found" is the proven number of positives at or above it, at no extra error.
"missed" is the upper bound on the positives below it (``measures.intervals.finite_counts``). If recall is
requested, half of the error is for the precisions and half for the missed pairs, each split evenly among the
thresholds.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise

import numpy as np

from textkin.base.arrays import Ints
from textkin.measures.intervals import betting
from textkin.measures.intervals.finite_counts import MostSo, most_so

MOST_RANGES = 8  # score ranges below the thresholds
_NARROWEST = 50  # minimum number of pairs in a range


@dataclass(frozen=True, slots=True)
class Draw:
    """A drawn pair.

    Attributes:
        row: position of the pair, highest score first.
        among: number of first pairs it was drawn from.
        start: number of first pairs excluded, besides those drawn before.
    """

    row: int
    among: int
    start: int = 0


@dataclass(frozen=True, slots=True)
class ThresholdProof:
    """The proof of a threshold by labels.

    Attributes:
        threshold: minimum score.
        pairs: number of pairs at or above it.
        labels: number of labels from uniform draws among these pairs.
        same: number of positives among those labels.
        proven: True if the goal is proven.
        least: proven precision, at this threshold's part of the error.
        left: expected number of further labels for a proof at the current rate; None if it isn't reachable.
        found: lower bound on the number of positives.
        missed: upper bound on the number of positives below the threshold; None if recall wasn't requested.

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
        """The proven recall among the pairs of the file; None if it wasn't requested."""
        if self.missed is None:
            return None
        return self.found / (self.found + self.missed) if self.found else 0.0


@dataclass(frozen=True, eq=False)
class DrawnLabels:
    """Draws with the labels of the drawn pairs.

    Attributes:
        scores: the lowest score of each threshold, highest first. Shape [thresholds].
        sizes: number of pairs at each threshold, smallest first. Shape [thresholds].
        pairs: number of all pairs.
        draws: the draws in order. A pair counts once: if its answer was taken back, it is drawn again.
        labels: labels by position of the pair: True for the same, None for unsure. A pair that is missing has
            no answer yet.
        error: maximum probability of a false proof.
        bounds_recall: True to bound the recall.
        bounds: cache of upper bounds by counts, shared within a session since they are slow to compute.
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
        """The part of the error for each threshold's precision; its missed pairs get the same."""
        return self.error / len(self.sizes) / (2 if self.bounds_recall else 1)

    def blind(self, size: int) -> betting.BlindDraws:
        """The labels of uniform draws among the first ``size`` pairs.

        Draws from a larger set count if they fall on these pairs. A draw from a part of the first pairs says
        nothing about the others, and counts as judged. A pair without an answer counts as negative, which
        never helps a proof.
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
        return betting.BlindDraws(labels, before, same_before, size)

    def known(self, size: int) -> tuple[int, int]:
        """The number of the first pairs drawn by any means, and of positives among them."""
        rows = [one.row for one in self._firsts if one.row < size]
        return len(rows), sum(self.labels.get(row) is True for row in rows)

    def is_proven(self, size: int, goal: float) -> bool:
        """True if the precision of the first pairs has reached a goal at any time."""
        if (size, goal) not in self._proven:
            least = betting.needed(goal, size)
            self._proven[size, goal] = (
                self.known(size)[1] >= least
                or betting.proven_after(betting.wealth(self.blind(size), least=least), error=self.part)
                is not None
            )
        return self._proven[size, goal]

    def proof(self, place: int, goal: float) -> ThresholdProof:
        """The proof of a threshold, by its index."""
        size = self.sizes[place]
        draws, (judged, same) = self.blind(size), self.known(size)
        found = max(same, betting.proven_count(draws, error=self.part))
        return ThresholdProof(
            threshold=self.scores[place],
            pairs=size,
            labels=len(draws.so),
            same=int(draws.so.sum()),
            proven=self.is_proven(size, goal),
            least=found / size,
            left=betting.labels_left(
                draws, least=betting.needed(goal, size), judged=judged, found=same, error=self.part
            ),
            found=found,
            missed=self.missed(size) if self.bounds_recall else None,
        )

    def missed(self, size: int) -> int:
        """Upper bound on the positives after the first ``size`` pairs; unsure ones count as positive.

        It is the best bound of any time: before each of these positives was found, and now.
        """
        moments = (self._tally(size, until=row) for row in self._missed_rows(size))
        return min([self.missed_now(size).total, *(self._most(size, *one).total for one in moments)])

    def missed_now(self, size: int) -> MostSo:
        """The bound by all labels, with the counts of each score range after the first pairs."""
        return self._most(size, *self._tally(size))

    def ranges(self, size: int) -> list[tuple[int, int]]:
        """The score ranges after the first pairs, as start and end positions."""
        ends = [size, *(end for end in self._ends if end > size)]
        return list(pairwise(ends))

    def tally(self, size: int) -> tuple[Ints, Ints]:
        """For each range after the first pairs, the number of possible positives and of labels."""
        return self._tally(size)

    @cached_property
    def _proven(self) -> dict[tuple[int, float], bool]:
        return {}

    @cached_property
    def _ends(self) -> list[int]:
        """The ends of ranges: the thresholds, then ranges that double in width."""
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
        """The labelled pairs in the order of their first draws.

        Within each range they are a sample without replacement, whatever set they were drawn from.
        """
        return [one.row for one in self._firsts if one.row in self.labels]

    def _missed_rows(self, size: int) -> list[int]:
        return [row for row in self._labelled if row >= size and self.labels[row] is not False]

    def _most(self, size: int, yes: Ints, drawn: Ints) -> MostSo:
        key = (size, *yes.tolist(), *drawn.tolist())
        if key not in self.bounds:
            widths = [end - start for start, end in self.ranges(size)]
            self.bounds[key] = most_so(yes, drawn, widths, error=self.part)
        return self.bounds[key]

    def _tally(self, size: int, *, until: int | None = None) -> tuple[Ints, Ints]:
        rows = self._labelled if until is None else self._labelled[: self._labelled.index(until)]
        below = np.array([row for row in rows if row >= size], dtype=np.int64)
        unsure = np.array([row for row in below.tolist() if self.labels[row] is not False], dtype=np.int64)
        edges = [size, *(end for _, end in self.ranges(size))]
        yes, drawn = (np.histogram(one, bins=edges)[0] for one in (unsure, below))
        return yes.astype(np.int64), drawn.astype(np.int64)


def told(likely: float, highest: float) -> float:
    """Evidence per label against the highest count: the divergence of the likely proportion from it."""
    share = min(max(highest, 1e-9), 1 - 1e-9)
    return likely * math.log(likely / share) + (1 - likely) * math.log((1 - likely) / (1 - share))
