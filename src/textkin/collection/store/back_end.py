"""The seam between a collection and what keeps its rows: a back end.

Everything that collections have in common stands above: ids and their duplicates, checks of what is stored,
checksums, encoding, filters, searches by vectors and by words. A back end keeps rows, facts and the journal
of removals. It gives the rows that are asked for, as of one moment, and takes one change at a time, whole or
not at all.
"""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from base64 import b64decode, b64encode
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import asdict, dataclass, field, replace
from itertools import islice
from pathlib import Path
from typing import Any, Self

from textkin.base.arrays import Floats32, Ints
from textkin.base.closing import Closing
from textkin.collection.store.address import Place
from textkin.collection.store.filters import Where


@dataclass(frozen=True, slots=True)
class State:
    """The state of a collection.

    Attributes:
        counter: the number of the last change.
        live: the number of rows.
        forgotten: removals up to this change are no longer in the journal.
    """

    counter: int = 0
    live: int = 0
    forgotten: int = 0


@dataclass(frozen=True, slots=True)
class StoredRow:
    """A row, as a back end keeps it.

    Attributes:
        number: its number, which is the number of the change that brought its text.
        entry_id: the id, which no other row has.
        metadata: a JSON object.
        text: the text.
        checksum: of these four.
        text_key: a key that equal texts share.
        vectors: the vectors of the text's windows, one after another.
        vector_checksum: of these.
        spans: the positions of the windows; None if there is only one.
        spans_checksum: of these.
    """

    number: int
    entry_id: str
    metadata: str
    text: str
    checksum: int
    text_key: int
    vectors: bytes
    vector_checksum: int
    spans: bytes | None = None
    spans_checksum: int | None = None

    @property
    def size(self) -> int:
        """The bytes of the vectors."""
        return len(self.vectors)


TEXT = ("number", "entry_id", "metadata", "text", "checksum")
VECTORS = ("number", "vectors", "vector_checksum")
WINDOWED = (*VECTORS, "spans", "spans_checksum")
"""Columns that are read together: attributes of :class:`StoredRow`."""


@dataclass(frozen=True, slots=True)
class Which:
    """The rows that are asked for: those that fulfil every condition given here.

    Attributes:
        low: numbers above this.
        high: numbers up to this; all if None.
        numbers: these numbers.
        ids: these ids.
        text_keys: these keys of texts.
        where: a condition on metadata.
        several: only texts in several windows.
        limit: at most so many.
    """

    low: int = 0
    high: int | None = None
    numbers: Sequence[int] | None = None
    ids: Sequence[str] | None = None
    text_keys: Sequence[int] | None = None
    where: Where | None = None
    several: bool = False
    limit: int | None = None

    @property
    def listed(self) -> tuple[str, Sequence[int] | Sequence[str]] | None:
        """The attribute of rows that is listed, and its values; None if all rows are looked at."""
        listed = (("number", self.numbers), ("entry_id", self.ids), ("text_key", self.text_keys))
        return next(((name, values) for name, values in listed if values is not None), None)

    def of(self, rows: Iterable[StoredRow]) -> Iterator[StoredRow]:
        """The selected ones of some rows."""
        name, values = self.listed or ("number", ())
        wanted = None if self.listed is None else frozenset(values)
        return islice(
            (
                one
                for one in rows
                if self.low < one.number
                and (self.high is None or one.number <= self.high)
                and (wanted is None or getattr(one, name) in wanted)
                and (not self.several or one.spans is not None)
                and (self.where is None or self.where.holds(json.loads(one.metadata)))
            ),
            self.limit,
        )


@dataclass(frozen=True, slots=True)
class Retold:
    """New metadata of a row, with the checksum that it then has."""

    number: int
    metadata: str
    checksum: int

    def of(self, row: StoredRow) -> StoredRow:
        """The row with them."""
        return replace(row, metadata=self.metadata, checksum=self.checksum)


@dataclass(frozen=True, slots=True)
class Change:
    """One write: rows to remove, rows to add, then new metadata and facts.

    Attributes:
        before: the counter that it was planned at.
        state: the state afterwards.
        removed: the numbers of rows that go.
        added: rows that come, by ascending number.
        retold: rows with new metadata.
        facts: JSON texts by name.
    """

    before: int
    state: State
    removed: Sequence[int] = ()
    added: Sequence[StoredRow] = ()
    retold: Sequence[Retold] = ()
    facts: Mapping[str, str] = field(default_factory=dict)

    @property
    def journal(self) -> list[tuple[int, int]]:
        """The change number of each removal, and the number of its row."""
        return list(enumerate(self.removed, self.before + 1))

    def to_json(self) -> str:
        """One line of JSON, for back ends that keep changes as they come."""
        return json.dumps(asdict(self), ensure_ascii=False, default=lambda some: b64encode(some).decode())

    @classmethod
    def from_json(cls, text: str) -> Self:
        """A change from its line."""
        given = json.loads(text)
        added = [
            StoredRow(**row | {name: b64decode(row[name]) for name in ("vectors", "spans") if row[name]})
            for row in given["added"]
        ]
        retold = [Retold(**one) for one in given["retold"]]
        return cls(**given | {"state": State(**given["state"]), "added": added, "retold": retold})


class VectorIndex(ABC):
    """An index of vectors that a back end has itself, and that its changes keep up to date.

    It only names candidates: scores are computed from the rows, as in every search.

    Attributes:
        most: the most candidates that it can be asked for.
    """

    most: int

    @abstractmethod
    def is_made(self) -> bool:
        """True if it exists."""

    @abstractmethod
    def make(self, vectors: Iterable[tuple[Ints, Floats32]], dim: int, size: int) -> None:
        """Build it.

        Args:
            vectors: numbers of rows and their vectors, in parts; a number appears once per vector.
            dim: the dimension of vectors.
            size: the size that the user wants.
        """

    @abstractmethod
    def drop(self) -> None:
        """Remove it."""

    @abstractmethod
    def candidates(self, query: Floats32, count: int, only: Ints | None) -> list[int]:
        """The numbers of some rows near a query, best first.

        Args:
            query: a vector. Shape [dim].
            count: the number of vectors to look for.
            only: numbers of the rows that may be found; all if None.
        """

    @abstractmethod
    def in_words(self, size: int) -> str:
        """A description of an index of this size."""


class BackEnd(Closing):
    """What keeps the rows of one collection: derive a class for a store of your own.

    One thread calls it at a time. Between :meth:`begin` and :meth:`end` all reads are of one moment, whatever
    others write; at other times they are of the latest. The first argument of a user's class is what follows
    its scheme in an address.

    Attributes:
        place: where it is, for messages; a user's class needn't set it.
        many_write: True if several processes may add at once, each change between those of others.
        holds_nul: True if texts may contain the character NUL.
        in_memory: True if texts are objects of this process, which may be held without a further copy.
        cache: a folder on this machine for files that make opening fast; None for none.
        index: its own index of vectors, for approximate searches; None if textkin's cells do.

    Example:
        >>> from textkin.verbs import BackEnd
        >>> sorted(BackEnd.__abstractmethods__)
        ['begin', 'close', 'end', 'facts', 'is_created', 'removed', 'rows', 'state', 'write']
    """

    place: Place = Path("collection")
    many_write: bool = False
    holds_nul: bool = True
    in_memory: bool = False
    cache: Path | None = None
    index: VectorIndex | None = None

    @abstractmethod
    def is_created(self) -> bool:
        """True if the collection exists."""

    @abstractmethod
    def begin(self) -> None:
        """Begin a transaction that reads one snapshot."""

    @abstractmethod
    def end(self) -> None:
        """End that transaction; do nothing if none began."""

    @abstractmethod
    def state(self) -> State | None:
        """The state; None if it is missing."""

    @abstractmethod
    def facts(self, name: str | None = None) -> Mapping[str, str]:
        """All facts as JSON texts by name, or the one with a name."""

    @abstractmethod
    def rows(self, which: Which, columns: Sequence[str]) -> Iterator[tuple[Any, ...]]:
        """The given attributes of some rows.

        By ascending number, unless numbers, ids or keys are listed. Many rows are asked for only between
        :meth:`begin` and :meth:`end`, so that they needn't be in memory together.
        """

    @abstractmethod
    def removed(self, change: int, high: int) -> list[int]:
        """The numbers up to ``high`` that were removed after a change, from the journal."""

    @abstractmethod
    def write(self, change: Change) -> bool:
        """Make a change, and forget the journal up to ``change.state.forgotten``.

        It is durable when this returns. False, with nothing done, if the counter is no longer that of
        ``change.before``: somebody else was faster.
        """

    @staticmethod
    def read_change(line: str) -> Change:
        """The change that ``to_json`` wrote."""
        return Change.from_json(line)

    def create(self, change: Change, wait: float) -> None:
        """Make an empty collection with the facts of a first change, unless another process is faster."""
        with self.locked(wait, alone=True):
            if not self.is_created():
                self.write(change)

    def count(self, which: Which) -> int:
        """The number of some rows."""
        return sum(1 for _ in self.rows(which, ("number",)))

    def locked(self, wait: float, *, alone: bool) -> AbstractContextManager[None]:
        """Lock for writing, from the first change to the last. A context manager.

        Args:
            wait: seconds to wait for others.
            alone: exclude other writers; False only if ``many_write``.

        Raises:
            OutputError: somebody else is writing.
        """
        return nullcontext()

    def errors(self) -> AbstractContextManager[None]:
        """Translate its errors into textkin's. A context manager."""
        return nullcontext()

    def require_place(self) -> None:
        """Check that the collection is still where it was opened.

        Raises:
            OutputError: it was deleted or replaced.
        """

    def require_whole(self) -> None:
        """Check, when it is opened, that no change that was acknowledged is missing.

        Raises:
            DataError: one is.
        """

    def check(self) -> Iterator[str]:
        """Problems that only the back end can find."""
        yield from ()

    def compact(self) -> None:
        """Release the space of removed rows."""

    def size(self) -> int:
        """The bytes that it takes; 0 if unknown."""
        return 0


@contextmanager
def moment(back_end: BackEnd) -> Iterator[None]:
    """Read one moment. A context manager."""
    try:
        back_end.begin()
        yield
    finally:
        back_end.end()


def write_until_done(back_end: BackEnd, planned: Callable[[State], Change]) -> None:
    """Write a change that others can't contradict, planned anew if somebody else was faster."""
    while not back_end.write(planned(back_end.state() or State())):
        pass


def forget(back_end: BackEnd, change: int, facts: Mapping[str, str] | None = None) -> None:
    """Shorten the journal of removals, up to a change; older readers read everything again."""

    def planned(state: State) -> Change:
        after = replace(state, forgotten=max(change, state.forgotten))
        return Change(state.counter, after, facts=facts or {})

    write_until_done(back_end, planned)
