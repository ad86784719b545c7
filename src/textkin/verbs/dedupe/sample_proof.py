"""Anytime-valid proof of a precision by a labelled sample.

The pairs of each range are drawn without replacement, in a random order that the sample's column ``draw``
records. So the pairs labelled by any time are a random sample of each range. The test is
``measures.intervals.finite_counts``, at the edge of each range, with an even part of the error. A pair left
blank before the last labelled one counts as not the same, so that skipping pairs can't help the proof.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from textkin.base.arrays import Bools, Ints
from textkin.base.errors import DataError, PromiseError
from textkin.measures.decisions.guaranteed_threshold import ERROR
from textkin.measures.decisions.saved_thresholds import LabelProof
from textkin.measures.intervals.finite_counts import least_so
from textkin.verbs.dedupe.sample import DrawnPair, read_draws
from textkin.verbs.dedupe.sample_answers import Strata


@dataclass(frozen=True, slots=True)
class ProvenFrom:
    """Proven precision at a threshold.

    Attributes:
        threshold: the lower edge of a range.
        pairs: number of pairs that score at least this.
        least: the proven precision of these pairs.
    """

    threshold: float
    pairs: int
    least: float


@dataclass(frozen=True, slots=True)
class SampleProof:
    """Proof by a labelled sample.

    Attributes:
        labels: number of pairs up to the last labelled one, blank ones included.
        blank: number of these without a label; they count as not the same.
        at: the proof at the lower edge of each range, ascending.
        error: probability that any of these bounds is ever wrong.
    """

    labels: int
    blank: int
    at: tuple[ProvenFrom, ...]
    error: float = ERROR

    def of(self, one: ProvenFrom) -> LabelProof:
        """The proof at a threshold, as decisions keep it."""
        return LabelProof(one.least, max(each.pairs for each in self.at), self.labels, self.error)

    def reaching(self, level: float) -> ProvenFrom:
        """The lowest threshold whose precision is proven to reach a level.

        Raises:
            PromiseError: there is none.
        """
        found = next((one for one in self.at if one.least >= level), None)
        if found is None:
            best = max(self.at, key=lambda one: one.least)
            raise PromiseError(
                f"no threshold of the sample is proven to have a precision of {level:g}: {self.labels:,} "
                f"labels prove {best.least:.3f} from {best.threshold:.6g} on",
                fix="label more pairs of this sample, draw a larger one, or lower the goal",
            )
        return found


def read_proof(path: Path) -> SampleProof:
    """Read a labelled sample and compute its proof.

    Raises:
        DataError: the file is not a sample, or doesn't say how its pairs were drawn.
    """
    ranges, draws = read_draws(path)
    last = max((place for place, one in enumerate(draws, 1) if one.same is not None), default=0)
    if not last:
        raise DataError("has no labels", path=path, fix="write yes or no into the column same")
    return proof_of(ranges, draws[:last])


def proof_of(ranges: Strata, draws: Sequence[DrawnPair]) -> SampleProof:
    """The proof by a sequence of draws; the last one has a label."""
    member = np.array([one.member for one in draws], dtype=np.int64)
    same = np.array([one.same is True for one in draws])
    at = [
        ProvenFrom(
            float(edge),
            int(ranges.pairs[place:].sum()),
            _least(member, same, ranges.pairs, place, error=ERROR / len(ranges.edges)),
        )
        for place, edge in enumerate(ranges.edges)
    ]
    return SampleProof(len(draws), sum(one.same is None for one in draws), tuple(at))


def _least(member: Ints, same: Bools, sizes: Ints, place: int, *, error: float) -> float:
    """The proven precision at or above a range: the best over time, before a miss or at the end."""
    here = member >= place
    moments = [*np.flatnonzero(here & ~same).tolist(), len(member)]
    found = 0
    for end in moments:
        drawn = np.bincount(member[:end], minlength=len(sizes))[place:]
        yes = np.bincount(member[:end][same[:end]], minlength=len(sizes))[place:]
        found = max(found, least_so(yes, drawn, sizes[place:], error=error))
    return found / int(sizes[place:].sum())
