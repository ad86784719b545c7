"""The work of ``remove`` and its result."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from textkin.base.errors import conflict, required
from textkin.base.progress import note
from textkin.base.python_inputs import in_order
from textkin.base.results import ResultRow, Summary
from textkin.collection.store.address import Place
from textkin.collection.store.collection_store import CollectionStore
from textkin.data.readers.entries import entry_ids_of
from textkin.data.readers.text_files import lines
from textkin.verbs.collections.opened import entries_in_words, store_of


@dataclass(frozen=True, slots=True, repr=False)
class RemovedEntries(Summary):
    """The result of removing entries.

    Attributes:
        collection: the collection's location.
        removed: the number of removed entries.
        missing: the number of ids that had no entry.
        entries: the number of remaining entries.
    """

    collection: Place
    removed: int
    missing: int
    entries: int

    def _rows(self) -> Iterator[ResultRow]:
        yield {**self._fields("removed", "missing", "entries"), "collection": str(self.collection)}

    def _summary(self) -> str:
        return f"{entries_in_words(self.removed)} removed, {self.entries:,} left"

    def text(self) -> str:
        """The counts of removed, missing and remaining entries."""
        were = "s were" if self.missing > 1 else " was"
        absent = f", {self.missing:,} id{were} not there" if self.missing else ""
        removed = f"{entries_in_words(self.removed)} removed{absent}"
        return f"{removed}\n{self.collection} holds {entries_in_words(self.entries)}"


def remove_entries(
    collection: Any, *, ids: Any = None, where: str | None = None, wait: float | None = None
) -> RemovedEntries:
    """Remove entries by id or by a filter.

    Args:
        collection: an open collection, or its location.
        ids: ids, or the path of a file with one per line.
        where: a filter of metadata.
        wait: seconds to wait for another process that writes.

    Raises:
        UsageError: neither or both of ids and where are given, or the filter can't be parsed.
        OutputError: another process is writing, or the disk is full.
    """
    if ids is not None and where is not None:
        raise conflict("ids", "where")
    if ids is None and where is None:
        raise required("ids", by="`remove()`", fix="give `ids` or `where`")
    named = [] if ids is None else _named(ids)
    with store_of(collection) as store:
        return _removed(store, named, where, wait)


def _named(ids: Any) -> list[str]:
    if isinstance(ids, Path):
        return [line.strip() for line in lines(ids) if line.strip()]
    given = [ids] if isinstance(ids, str | int) else in_order(ids, "ids")
    return entry_ids_of(given)


def _removed(
    store: CollectionStore, named: Sequence[str], where: str | None, wait: float | None
) -> RemovedEntries:
    odd = () if where is None or not len(store) else store.filter_notes(where)
    removed = store.remove(named, where=where, wait=wait)
    for one in odd:
        note(str(one))
    missing = 0 if where is not None else len(set(named)) - removed
    return RemovedEntries(store.place, removed, missing, len(store))
