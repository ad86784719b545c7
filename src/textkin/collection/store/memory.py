"""A collection in the memory of this process: for tests, notebooks, and services that begin empty."""

from __future__ import annotations

import threading
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from operator import attrgetter
from typing import Any

from textkin.base.errors import OutputError, either
from textkin.collection.store.address import Address
from textkin.collection.store.back_end import BackEnd, Change, State, StoredRow, Which


class _Kept:
    """Rows and facts as of one moment. While somebody reads them, a change is made to a copy."""

    def __init__(self) -> None:
        self.state = State()
        self.facts: dict[str, str] = {}
        self.rows: dict[int, StoredRow] = {}
        self.numbers: list[int] = []  # of rows that came, ascending; some may be gone
        self.by_id: dict[str, int] = {}
        self.by_key: defaultdict[int, set[int]] = defaultdict(set)
        self.journal: list[tuple[int, int]] = []
        self.readers = 0

    def copied(self) -> _Kept:
        """The same for somebody else."""
        made = _Kept()
        made.state, made.facts, made.rows = self.state, dict(self.facts), dict(self.rows)
        made.numbers, made.by_id, made.journal = list(self.numbers), dict(self.by_id), list(self.journal)
        made.by_key.update((key, set(numbers)) for key, numbers in self.by_key.items())
        return made

    def apply(self, change: Change) -> None:
        """Make a change."""
        for number in change.removed:
            row = self.rows.pop(number)
            del self.by_id[row.entry_id]
            self.by_key[row.text_key].discard(number)
        for row in change.added:
            self.rows[row.number] = row
            self.by_id[row.entry_id] = row.number
            self.by_key[row.text_key].add(row.number)
            self.numbers.append(row.number)
        for one in change.retold:
            self.rows[one.number] = one.of(self.rows[one.number])
        self.facts |= change.facts
        self.journal += change.journal
        if change.state.forgotten > self.state.forgotten:
            self.journal = [one for one in self.journal if one[0] > change.state.forgotten]
            self.numbers = sorted(self.rows)
            self.by_key = defaultdict(set, {key: some for key, some in self.by_key.items() if some})
        self.state = change.state

    def chosen(self, which: Which) -> Iterator[StoredRow]:
        """Rows that may be asked for: the listed ones, or those between two numbers."""
        if which.numbers is not None:
            numbers: Sequence[int] = which.numbers
        elif which.ids is not None:
            numbers = [self.by_id[one] for one in which.ids if one in self.by_id]
        elif which.text_keys is not None:
            numbers = [one for key in which.text_keys for one in self.by_key.get(key, ())]
        else:
            end = None if which.high is None else bisect_right(self.numbers, which.high)
            numbers = self.numbers[bisect_right(self.numbers, which.low) : end]
        return (self.rows[one] for one in numbers if one in self.rows)


class _Collection:
    """A collection of this process, which any number of back ends have open."""

    def __init__(self) -> None:
        self.kept = _Kept()
        self.is_created = False
        self.lock = threading.Lock()  # for the moment that a change takes
        self.writing = threading.Lock()


_COLLECTIONS: defaultdict[str, _Collection] = defaultdict(_Collection)
"""The named collections, which last as long as the process."""


class MemoryBackEnd(BackEnd):
    """A collection in memory, ``memory://NAME``; without a name, this back end's alone.

    Args:
        address: the address.
    """

    in_memory = True

    def __init__(self, address: Address) -> None:
        self.place = address
        self._collection = _COLLECTIONS[address.secret] if address.secret else _Collection()
        self._moment: _Kept | None = None

    def is_created(self) -> bool:
        """See the base class."""
        return self._collection.is_created

    def begin(self) -> None:
        """See the base class."""
        with self._collection.lock:
            self._moment = self._kept
            self._moment.readers += 1

    def end(self) -> None:
        """See the base class."""
        if self._moment is not None:
            with self._collection.lock:
                self._moment.readers -= 1
            self._moment = None

    def state(self) -> State:
        """See the base class."""
        return self._kept.state

    def facts(self, name: str | None = None) -> Mapping[str, str]:
        """See the base class."""
        with self._collection.lock:
            return {key: text for key, text in self._kept.facts.items() if name in (None, key)}

    def rows(self, which: Which, columns: Sequence[str]) -> Iterator[tuple[Any, ...]]:
        """See the base class."""
        values = attrgetter(columns[0], *columns)  # always several, so that it gives tuples
        with self._collection.lock:
            found: Iterable[StoredRow] = self._kept.chosen(which)
            if which.listed is not None or self._moment is None:
                found = list(found)
        left = replace(which, low=0, high=None, numbers=None, ids=None, text_keys=None)
        if which.listed is not None:
            left = replace(left, low=which.low, high=which.high)
        return (values(row)[1:] for row in (found if left == Which() else left.of(found)))

    def removed(self, change: int, high: int) -> list[int]:
        """See the base class."""
        journal = self._kept.journal
        first = bisect_right(journal, change, key=lambda one: one[0])
        return [number for _, number in journal[first:] if number <= high]

    def create(self, change: Change, wait: float) -> None:
        """See the base class."""
        with self._collection.lock:
            if not self._collection.is_created:
                self._collection.kept.apply(change)
                self._collection.is_created = True

    def write(self, change: Change) -> bool:
        """See the base class."""
        with self._collection.lock:
            kept = self._collection.kept
            if kept.state.counter != change.before:
                return False
            made = kept.copied() if kept.readers else kept
            made.apply(change)
            self._collection.kept = made
        return True

    @contextmanager
    def locked(self, wait: float, *, alone: bool) -> Iterator[None]:
        """See the base class."""
        if not self._collection.writing.acquire(timeout=wait):
            raise OutputError(
                f"{self.place} is being written elsewhere in this process",
                fix=either("try again", "with a longer `wait`"),
            )
        try:
            yield
        finally:
            self._collection.writing.release()

    def size(self) -> int:
        """See the base class."""
        return sum(len(one.text) + len(one.metadata) + one.size for one in self._kept.rows.values())

    def close(self) -> None:
        """See the base class."""
        self.end()

    @property
    def _kept(self) -> _Kept:
        """The moment that is read, else the latest."""
        return self._moment or self._collection.kept
