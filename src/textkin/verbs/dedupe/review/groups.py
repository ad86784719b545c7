"""Contents of a review: texts, their groups, and its progress."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum

from textkin.verbs.dedupe.review.state import DecidedBy


class GroupOrder(StrEnum):
    """Order of groups.

    Example:
        >>> from textkin.verbs import GroupOrder
        >>> GroupOrder("risk") is GroupOrder.RISK
        True
    """

    SIZE = "size"
    RISK = "risk"


@dataclass(frozen=True, slots=True)
class ReviewedText:
    """A text of a group.

    Attributes:
        text_id: its id.
        text: itself.
        goes: whether it is removed.
        decided: the origin of its decision; None of the kept text.
        score: its cosine with the kept text, by the run; None after a merge.
        why: the run keeps that one and not this one; "" where the run didn't say.

    Example:
        >>> import textkin as tk
        >>> from textkin.data import samples
        >>> run = tk.dedupe(samples.path("inbox.txt"), out="first", threshold=0.8)
        >>> tk.review("first").groups()[0].others[0].goes
        True
    """

    text_id: str
    text: str
    goes: bool
    decided: DecidedBy | None
    score: float | None
    why: str


@dataclass(frozen=True, slots=True)
class ReviewedGroup:
    """Texts that go together.

    Attributes:
        kept: the text that is kept.
        others: the other texts: merged ones first, then the least similar first.
        is_open: whether some of them are undecided.

    Example:
        >>> import textkin as tk
        >>> from textkin.data import samples
        >>> run = tk.dedupe(samples.path("inbox.txt"), out="second", threshold=0.8)
        >>> group = tk.review("second").groups()[0]
        >>> group.is_open, len(group.others)
        (True, 1)
    """

    kept: ReviewedText
    others: tuple[ReviewedText, ...]
    is_open: bool

    @property
    def lowest(self) -> float:
        """The lowest undecided score; 1 where all is decided."""
        return min((one.score for one in self._undecided() if one.score is not None), default=1.0)

    def _undecided(self) -> Iterator[ReviewedText]:
        return (one for one in self.others if one.decided is DecidedBy.SCORE)


@dataclass(frozen=True, slots=True)
class ReviewCounts:
    """Progress of a review at a threshold.

    Attributes:
        texts: number of texts of the run, including those in no group.
        go: number of these to remove.
        groups: number of groups of several texts.
        open: the number of these that aren't fully decided.
        decisions: that stand.

    Example:
        >>> import textkin as tk
        >>> from textkin.data import samples
        >>> run = tk.dedupe(samples.path("inbox.txt"), out="third", threshold=0.8)
        >>> found = tk.review("third").counts()
        >>> found.texts, found.go, found.decisions
        (184, 21, 0)
    """

    texts: int
    go: int
    groups: int
    open: int
    decisions: int
