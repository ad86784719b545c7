"""Answers that overlap: the best spans of a passage mostly begin and end at neighbouring tokens."""

from collections.abc import Iterable
from typing import Protocol, TypeVar

_SPANS = 30


class Placed(Protocol):
    """A part of a passage."""

    @property
    def passage_id(self) -> str:
        """The passage."""

    @property
    def start(self) -> int:
        """The offset of its first character."""

    @property
    def end(self) -> int:
        """The offset after its last one."""


_Placed = TypeVar("_Placed", bound=Placed)


def apart(spans: Iterable[_Placed]) -> list[_Placed]:
    """The spans, best first, without those that overlap a better one."""
    kept: list[_Placed] = []
    of_passages: dict[str, list[_Placed]] = {}
    for one in spans:
        others = of_passages.setdefault(one.passage_id, [])
        if all(one.end <= other.start or other.end <= one.start for other in others):
            others.append(one)
            kept.append(one)
    return kept


def overlapping(k: int) -> int:
    """The number of spans to find for ``k`` that don't overlap, which is mostly enough."""
    return k if k == 1 else _SPANS * k
