"""How many of the best phrases an inexact search finds: measured beside an exact one, with an interval."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

from textkin.base.progress import progress
from textkin.data.protocols import Features
from textkin.measures.intervals.bootstrap import Interval
from textkin.measures.intervals.proportions import clustered_share
from textkin.vectors.join.nearest import Nearest

DEPTHS = (1, 10)

_AT_ONCE = 64


class PhraseSearch(ABC):
    """Finds the best of the stored phrases."""

    @abstractmethod
    def nearest(self, questions: Features, depth: int) -> Nearest:
        """The ``depth`` best phrases for each question; questions of shape [questions, dim]."""


@final
@dataclass(frozen=True, slots=True)
class MeasuredRecall:
    """The share of the best phrases that are found.

    Attributes:
        depth: so many of the best of each question.
        share: with an interval of 95 %, in which a question's phrases count as alike.
        of: what was asked: questions, or stored phrases in their place.
    """

    depth: int
    share: Interval
    of: str

    def as_json(self) -> dict[str, Any]:
        """As JSON values."""
        return {"depth": self.depth, "of": self.of, **asdict(self.share)}

    def sentence(self) -> str:
        """Such as "recall@10 0.953 (0.941 to 0.962) on 500 questions"."""
        found = self.share
        return (
            f"recall@{self.depth} {found.value:.3f} ({found.low:.3f} to {found.high:.3f}) "
            f"on {found.n:,} {self.of}"
        )


def measured_recall(
    exact: PhraseSearch,
    quick: PhraseSearch,
    questions: Features,
    *,
    of: str,
    itself: NDArray[np.int64] | None = None,
    depths: Sequence[int] = DEPTHS,
) -> tuple[MeasuredRecall, ...]:
    """Compare two searches.

    Args:
        exact: finds what is right.
        quick: is measured.
        questions: at least one. Shape [questions, dim].
        of: what they are, in the plural.
        itself: the phrase that each question is, which both leave out; None where they are none.
        depths: how many of the best phrases are looked for.

    Returns:
        One for each depth; none where there is no phrase to find.
    """
    deepest = max(depths) + (itself is not None)
    right, found = [], []
    with progress("recall measured", total=questions.shape[0]) as shown:
        for start in range(0, questions.shape[0], _AT_ONCE):
            part = questions[start : start + _AT_ONCE]
            right.append(exact.nearest(part, deepest).documents)
            found.append(quick.nearest(part, deepest).documents)
            shown.advance(part.shape[0])
    wanted, got = np.concatenate(right), np.concatenate(found)
    if itself is not None:
        wanted, got = _others(wanted, itself), _others(got, itself)
    measured = []
    for depth in depths:
        sought = wanted[:, :depth]
        hit = (sought[:, :, None] == got[:, None, :depth]).any(axis=2)
        question = np.broadcast_to(np.arange(len(sought))[:, None], sought.shape)
        there = sought >= 0
        if share := clustered_share(hit[there], question[there]):
            measured.append(MeasuredRecall(depth, share, of))
    return tuple(measured)


def _others(numbers: NDArray[np.int64], itself: NDArray[np.int64]) -> NDArray[np.int64]:
    """Each row without a phrase, or without its last one. Shapes [rows, depth] to [rows, depth - 1]."""
    own = numbers == itself[:, None]
    own[~own.any(axis=1), -1] = True
    others: NDArray[np.int64] = numbers[~own].reshape(len(numbers), -1)
    return others
