"""Changes to a collection: each batch in its own transaction, durable when reported.

Several writers may add at once if the database allows it: a batch is planned and encoded before its
transaction, which plans again if the collection has changed since.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice

from textkin.base.arrays import Floats32
from textkin.base.errors import UsageError
from textkin.base.python_inputs import texts_of
from textkin.collection.store import database as db
from textkin.collection.store import rows as stored
from textkin.collection.store.entry_windows import stored_windows, windows_in_sql
from textkin.collection.store.filters import Where, unknown_names
from textkin.data.entry_records import Added, Entry, Window, WindowsOf

BATCH = 8192
"""The maximum number of entries that become durable together."""

_FIRST, _FIRST_WINDOWED = 256, 64
_SHORT, _LONG = 1.0, 4.0  # seconds; the batch size is adapted to stay between these

VectorsOf = Callable[[Sequence[str]], Floats32]
"""Encodes texts, or their windows, one vector each."""


@dataclass(frozen=True, slots=True)
class _Wanted:
    """An entry to be stored."""

    entry_id: str
    text: str
    metadata: str


@dataclass(frozen=True, slots=True)
class _Vectors:
    """The stored vectors of a text; ``spans`` are its window positions, none for one vector."""

    vectors: bytes
    spans: tuple[Window, ...] = ()


@dataclass(frozen=True, slots=True)
class _Encoded:
    """The vectors of texts, and the number of texts encoded and their windows."""

    of_texts: dict[str, _Vectors] = field(default_factory=dict)
    texts: int = 0
    windows: int = 0


@dataclass(frozen=True, slots=True)
class _Plan:
    """The planned changes: new rows, rows with new metadata, and numbers of rows to remove."""

    fresh: list[_Wanted]
    retold: list[tuple[int, _Wanted]]
    replaced: list[int]

    @property
    def writes(self) -> bool:
        """True if there is anything to do."""
        return bool(self.fresh or self.retold)


class Writer:
    """Adds and removes entries; the collection's lock must be held.

    Args:
        database: the database, not in a transaction.
        windows_of: splits texts into windows, if the collection has them.

    Raises:
        UsageError: it is missing although needed, or given although the collection has no windows.
    """

    def __init__(self, database: db.Database, windows_of: WindowsOf | None = None) -> None:
        self._database = database
        self._windows_of = windows_of
        self._windowed = bool(db.fact(database, db.WINDOWS))

    def add(self, entries: Iterable[Entry], vectors_of: VectorsOf, *, batch: int = BATCH) -> Iterator[Added]:
        """Add entries, some thousands at a time; results appear once they are durable.

        Args:
            entries: may be endless.
            vectors_of: encodes the texts that are new here, or their windows.
            batch: the maximum number of entries at a time; fewer if encoding is slow, so that progress is
                visible, and kept when the call is interrupted.

        Raises:
            UsageError: the collection has windows and no splitter is given, or vice versa.
            DataError: an entry or a vector can't be stored; earlier batches are.
            OutputError: the disk is full; earlier batches are stored.
        """
        if self._windowed != (self._windows_of is not None):
            has = "windows" if self._windowed else "one vector for each text"
            raise UsageError(
                f"{db.collection_of(self._database.place)} has {has}, and texts come in another way",
                fix="add them by `open_collection()` or `add()`",
            )
        stream, size = iter(entries), min(_FIRST_WINDOWED if self._windowed else _FIRST, batch)
        nul = self._database.holds_nul
        while part := [stored.checked_entry(one, nul=nul) for one in islice(stream, size)]:
            start = time.monotonic()
            done = self._add(part, vectors_of)
            seconds = time.monotonic() - start
            yield done
            size = min(2 * size, batch) if seconds < _SHORT else size
            size = max(size // 2, 1) if seconds > _LONG else size

    def remove(self, ids: Sequence[str]) -> int:
        """Remove entries by id, and return their number.

        Raises:
            UsageError: an id isn't text.
        """
        database, ids = self._database, texts_of(list(ids), name="ids")
        with db.transaction(database):
            found = stored.selected(
                database, "SELECT number FROM texts WHERE id IN ({})", list(dict.fromkeys(ids))
            )
            numbers = [row[0] for row in found]
            self._drop(numbers)
        self._acknowledge()
        return len(numbers)

    def remove_where(self, where: Where) -> int:
        """Remove the entries whose metadata match a filter, and return their number.

        Raises:
            UsageError: they match since they lack a name that no entry has, such as a misspelt one.
        """
        database = self._database
        with db.transaction(database):
            rows = database.execute(f"SELECT number FROM texts WHERE {where.sql}", where.values)
            numbers = [row[0] for row in rows]
            if numbers and (unknown := unknown_names(database, where.denied)):
                name = unknown[0] if unknown[0].isidentifier() else f"`{unknown[0]}`"
                raise UsageError(
                    f"no entry has the metadata {unknown[0]!r}, so that {len(numbers):,} entries match",
                    fix=f"see that the name is right, or say what is meant: not {name} exists",
                    params=("where",),
                )
            self._drop(numbers)
        self._acknowledge()
        return len(numbers)

    def _add(self, part: Sequence[Entry], vectors_of: VectorsOf) -> Added:
        wanted = {
            one.entry_id: _Wanted(one.entry_id, one.text, stored.metadata_text(one.metadata, one.entry_id))
            for one in part
        }
        encoded, done = _Encoded(), None
        while done is None:  # again if another writer intervened, and texts lack vectors now
            counter = db.state_of(self._database).counter
            plan = self._planned(wanted)
            encoded = self._encoded([one.text for one in plan.fresh], vectors_of, encoded)
            done = self._written(wanted, plan, encoded, counter) if plan.writes else plan
        changed = len(done.replaced) + len(done.retold)
        new = len(done.fresh) - len(done.replaced)
        unchanged = len(wanted) - new - changed
        repeated = len(part) - len(wanted)
        return Added(len(part), new, changed, unchanged, repeated, encoded.texts, encoded.windows)

    def _planned(self, wanted: dict[str, _Wanted]) -> _Plan:
        known = self._known(list(wanted))
        same_text = {
            name: known[name].number
            for name, one in wanted.items()
            if name in known and known[name].text == one.text
        }
        fresh = [one for name, one in wanted.items() if name not in same_text]
        retold = [
            (number, wanted[name])
            for name, number in same_text.items()
            if known[name].metadata != wanted[name].metadata
        ]
        return _Plan(fresh, retold, [known[one.entry_id].number for one in fresh if one.entry_id in known])

    def _written(
        self, wanted: dict[str, _Wanted], plan: _Plan, encoded: _Encoded, counter: int
    ) -> _Plan | None:
        """The executed plan, as of now; None if some of its texts have no vectors yet."""
        with db.transaction(self._database):
            if db.state_of(self._database).counter != counter:
                plan = self._planned(wanted)
                if any(one.text not in encoded.of_texts for one in plan.fresh):
                    return None
            self._drop(plan.replaced)
            self._insert(plan.fresh, [encoded.of_texts[one.text] for one in plan.fresh])
            self._retell(plan.retold)
        self._acknowledge()
        return plan

    def _known(self, ids: Sequence[str]) -> dict[str, stored.StoredText]:
        statement = "SELECT number, id, metadata, text FROM texts WHERE id IN ({})"
        return {row[1]: stored.StoredText(*row) for row in stored.selected(self._database, statement, ids)}

    def _encoded(self, texts: Sequence[str], vectors_of: VectorsOf, before: _Encoded) -> _Encoded:
        """The vectors of texts, in addition to known ones; existing texts aren't encoded."""
        dim: int | None = db.fact(self._database, "dim")
        found = dict(before.of_texts)
        found |= self._vectors_of_equals(set(texts) - found.keys(), dim) if dim is not None else {}
        missing = [text for text in dict.fromkeys(texts) if text not in found]
        windows = 0
        if missing:
            parted: Sequence[Sequence[Window]] = (
                [((0, len(text)),) for text in missing]
                if self._windows_of is None
                else self._windows_of(missing)
            )
            pieces = [
                text[start:end] for text, spans in zip(missing, parted, strict=True) for start, end in spans
            ]
            vectors = stored.checked_vectors(vectors_of(pieces), len(pieces), dim).astype("<f4", copy=False)
            done = 0
            for text, spans in zip(missing, parted, strict=True):
                several = len(spans) > 1
                own = vectors[done : done + len(spans)].tobytes()
                found[text] = _Vectors(own, tuple(spans) if several else ())
                done += len(spans)
                windows += len(spans) if several else 0
            if dim is None:
                self._note_dim(vectors)
        return _Encoded(found, before.texts + len(missing), before.windows + windows)

    def _note_dim(self, vectors: Floats32) -> None:
        """Note the dimension of the first vectors; another writer may have been faster."""
        with db.transaction(self._database):
            if (there := db.fact(self._database, "dim")) is None:
                db.set_fact(self._database, "dim", int(vectors.shape[1]))
            else:
                stored.checked_vectors(vectors, len(vectors), there)

    def _vectors_of_equals(self, texts: set[str], dim: int) -> dict[str, _Vectors]:
        """The vectors of texts that already occur in some row."""
        keys, windowed = sorted({stored.text_key(text) for text in texts}), self._windowed
        columns, joined = windows_in_sql(windowed=windowed)
        statement = (
            f"SELECT text, {columns} FROM texts JOIN vectors USING (number) {joined} WHERE text_key IN ({{}})"
        )
        return {
            text: _Vectors(*stored_windows(self._database.place, row, dim, windowed=windowed))
            for text, *row in stored.selected(self._database, statement, keys)
            if text in texts
        }

    def _insert(self, rows: Sequence[_Wanted], vectors: Sequence[_Vectors]) -> None:
        first = db.state_of(self._database).counter + 1
        self._database.executemany(
            "INSERT INTO texts VALUES (?, ?, ?, ?, ?, ?)",
            (
                (
                    number,
                    one.entry_id,
                    stored.text_checksum(number, one.entry_id, one.metadata, one.text),
                    stored.text_key(one.text),
                    one.metadata,
                    one.text,
                )
                for number, one in enumerate(rows, first)
            ),
        )
        self._database.executemany(
            "INSERT INTO vectors VALUES (?, ?, ?)",
            (
                (number, stored.vector_checksum(number, one.vectors), one.vectors)
                for number, one in enumerate(vectors, first)
            ),
        )
        dim = int(db.fact(self._database, "dim")) if vectors else 0
        self._database.keep_near(((number, one.vectors) for number, one in enumerate(vectors, first)), dim)
        if self._windowed:
            several = [(number, one.spans) for number, one in enumerate(vectors, first) if one.spans]
            parted = [(number, stored.span_bytes(spans)) for number, spans in several]
            self._database.executemany(
                "INSERT INTO windows VALUES (?, ?, ?)",
                ((number, stored.vector_checksum(number, spans), spans) for number, spans in parted),
            )
        self._count(len(rows), len(rows))

    def _retell(self, rows: Sequence[tuple[int, _Wanted]]) -> None:
        """Replace the metadata of rows; they keep their numbers, as nothing else changes."""
        self._database.executemany(
            "UPDATE texts SET metadata = ?, checksum = ? WHERE number = ?",
            (
                (
                    one.metadata,
                    stored.StoredText(number, one.entry_id, one.metadata, one.text).checksum(),
                    number,
                )
                for number, one in rows
            ),
        )
        self._count(len(rows), 0)

    def _drop(self, numbers: Sequence[int]) -> None:
        first = db.state_of(self._database).counter + 1
        for table in ("texts", "vectors", *(["windows"] if self._windowed else [])):
            self._database.executemany(
                f"DELETE FROM {table} WHERE number = ?", ((number,) for number in numbers)
            )
        self._database.executemany("INSERT INTO gone VALUES (?, ?)", enumerate(numbers, first))
        self._count(len(numbers), -len(numbers))

    def _count(self, changes: int, live: int) -> None:
        self._database.execute("UPDATE state SET counter = counter + ?, live = live + ?", (changes, live))

    def _acknowledge(self) -> None:
        self._database.acknowledge(db.state_of(self._database).counter)
