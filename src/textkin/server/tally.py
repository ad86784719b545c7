"""Counts and times that can be added up, such as those of several worker processes."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from threading import Lock
from typing import Self, final

import orjson

Labels = tuple[tuple[str, str], ...]


@final
@dataclass(slots=True)
class Times:
    """How often a number was at most each bound.

    Attributes:
        counts: of the numbers up to each bound and above the one before, and of those above all.
        total: of all numbers.
    """

    counts: list[int]
    total: float = 0.0


@final
@dataclass(slots=True, eq=False)
class Tally:
    """What one process has counted. Threads may count at once.

    Attributes:
        bounds: of each histogram, by its name, rising.
        counts: by name and labels.
        times: by name.
        waiting: texts that wait or are computed now.
    """

    bounds: Mapping[str, tuple[float, ...]]
    counts: Counter[tuple[str, Labels]] = field(default_factory=Counter)
    times: dict[str, Times] = field(default_factory=dict)
    waiting: int = 0
    _turn: Lock = field(default_factory=Lock, repr=False)

    def __post_init__(self) -> None:
        for name, bounds in self.bounds.items():
            self.times.setdefault(name, Times([0] * (len(bounds) + 1)))

    def count(self, name: str, by: int, labels: Mapping[str, str]) -> None:
        """Count something."""
        with self._turn:
            self.counts[name, tuple(sorted(labels.items()))] += by

    def observe(self, name: str, numbers: Iterable[float]) -> None:
        """Take numbers into a histogram."""
        with self._turn:
            times = self.times[name]
            for number in numbers:
                times.counts[bisect_left(self.bounds[name], number)] += 1
                times.total += number

    def add(self, content: bytes) -> Self:
        """Add what another process has written by :meth:`to_bytes`; b"" is nothing."""
        if not content:
            return self
        other = orjson.loads(content)
        with self._turn:
            self.waiting += other["waiting"]
            for name, labels, count in other["counts"]:
                self.counts[name, tuple((key, value) for key, value in labels)] += count
            for name, (counts, total) in other["times"].items():
                mine = self.times[name]
                mine.counts = [one + more for one, more in zip(mine.counts, counts, strict=True)]
                mine.total += total
        return self

    def to_bytes(self, *, waiting: int) -> bytes:
        """For :meth:`add` of another process."""
        with self._turn:
            return orjson.dumps(
                {
                    "waiting": waiting,
                    "counts": [(name, labels, count) for (name, labels), count in self.counts.items()],
                    "times": {name: (one.counts, one.total) for name, one in self.times.items()},
                }
            )
