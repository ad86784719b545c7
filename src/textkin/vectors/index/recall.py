"""Recall of an approximate phrase search against an exact one, with an interval."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from textkin.base.arrays import Ints
from textkin.base.progress import progress
from textkin.data.protocols import Features
from textkin.measures.intervals.bootstrap import Interval
from textkin.measures.intervals.proportions import clustered_share
from textkin.vectors.join.nearest import Nearest

DEPTHS = (1, 10)

_AT_ONCE = 64


class PhraseSearch(ABC):
    """A search over stored phrases."""

    @abstractmethod
    def nearest(self, questions: Features, depth: int) -> Nearest:
        """Return the ``depth`` best phrases for each question; questions have the shape [questions, dim]."""


@dataclass(frozen=True, slots=True)
class MeasuredRecall:
    """The fraction of the best phrases that an approximate search finds.

    Attributes:
        depth: number of best phrases per question.
        share: the recall with its 95 % interval, where the phrases of a question count as dependent.
        of: type of the queries: questions, or stored phrases in place of questions.
    """

    depth: int
    share: Interval
    of: str

    def as_json(self) -> dict[str, Any]:
        """The recall as JSON-compatible values."""
        return {"depth": self.depth, "of": self.of, **asdict(self.share)}

    def sentence(self) -> str:
        """The recall in words, such as "recall@10 0.953 (0.941 to 0.962) on 500 questions"."""
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
    itself: Ints | None = None,
    depths: Sequence[int] = DEPTHS,
) -> tuple[MeasuredRecall, ...]:
    """Compare two searches.

    Args:
        exact: the exact search.
        quick: the approximate search.
        questions: at least one. Shape [questions, dim].
        of: name of the queries, in the plural.
        itself: number of the phrase that each question is, excluded from both results; None for real
            questions.
        depths: numbers of best phrases to compare.

    Returns:
        One recall per depth; none if there is no phrase to find.
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


def _others(numbers: Ints, itself: Ints) -> Ints:
    """Each row without one phrase, or without its last one.

    Shapes [rows, depth] to [rows, depth - 1].
    """
    own = numbers == itself[:, None]
    own[~own.any(axis=1), -1] = True
    return numbers[~own].reshape(len(numbers), -1)
