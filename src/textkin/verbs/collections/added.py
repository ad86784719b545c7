"""The work of ``add`` and its result."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from textkin.base.counts import count
from textkin.base.errors import inapplicable
from textkin.base.results import ResultRow, Summary
from textkin.collection.collection import OpenCollection
from textkin.collection.open_collection import open_collection
from textkin.collection.store.address import Place, place_of, require_lasting
from textkin.data.entry_records import Added, Entry
from textkin.data.readers.entries import EntryFile, distinct
from textkin.data.readers.read_report import ReadReport, note_read
from textkin.text.truncation_account import Truncation
from textkin.vectors.unknown_token_report import Coverage
from textkin.verbs.collections.opened import entries_in_words, note_account


@dataclass(frozen=True, slots=True, repr=False)
class AddedTexts(Summary):
    """The result of adding texts to a collection.

    Attributes:
        collection: its location.
        entries: the number of its entries now.
        model: the name of its model.
        added: the numbers of new, changed and unchanged entries.
        has_ids: True if ids were given, False if they are hashes of the texts.
        read: the reader's account of skipped rows; None without a file.
        truncation: the number of texts longer than the model's limit; None if unknown.
        coverage: the model's vocabulary coverage of the texts; None without texts.
    """

    collection: Place
    entries: int
    model: str
    added: Added
    has_ids: bool
    read: ReadReport | None
    truncation: Truncation | None
    coverage: Coverage | None

    def _rows(self) -> Iterator[ResultRow]:
        yield {"collection": str(self.collection), "entries": self.entries, **self.added.rows()[0]}

    def _summary(self) -> str:
        return f"{self.added.new:,} new, {self.added.changed:,} changed, {entries_in_words(self.entries)}"

    def text(self) -> str:
        """The counts of new and changed texts, and of all entries."""
        added = self.added
        told = f"{added.new:,} new, {added.changed:,} changed, {added.unchanged:,} unchanged"
        several = f", the long ones in {count(added.windows, 'window')}" if added.windows else ""
        encoded = f"{count(added.encoded, 'different text')} encoded by {self.model}{several}"
        return f"{told}; {encoded}\n{self.collection} holds {entries_in_words(self.entries)}"


def add_texts(
    collection: Any,
    entries: EntryFile | Sequence[Entry],
    *,
    model: Any = None,
    analyser: str | None = None,
    windows: int | None = None,
    accept_drift: bool = False,
    wait: float | None = None,
) -> AddedTexts:
    """Add entries to a collection, which is created if it doesn't exist.

    Raises:
        UsageError: options don't go together.
        DataError: an entry can't be read or stored; earlier entries are stored.
        ModelError: the model can't be read.
        OutputError: another process is writing, or the disk is full.
    """
    if not isinstance(entries, EntryFile):
        entries = list(distinct(entries))
    if isinstance(collection, OpenCollection):
        given = {
            "model": model,
            "analyser": analyser,
            "windows": windows,
            "accept_drift": accept_drift or None,
        }
        if set_ones := [name for name, value in given.items() if value is not None]:
            raise inapplicable(*set_ones, to="an open collection")
        return _added(collection, entries, wait)
    require_lasting(place_of(collection))
    if isinstance(entries, EntryFile):
        entries.require_begin()  # so that no empty collection is made of a file that can't be read
    with open_collection(
        collection,
        model=model,
        create=True,
        analyser=analyser,
        windows=windows,
        wait=wait,
        accept_drift=accept_drift,
    ) as opened:
        return _added(opened, entries, wait)


def _added(opened: OpenCollection, entries: EntryFile | Sequence[Entry], wait: float | None) -> AddedTexts:
    read, has_ids = None, True
    if isinstance(entries, EntryFile):
        (added, read), has_ids = opened.add_file(entries, wait=wait), entries.has_ids
        note_read(read)
    else:
        added = opened.take(entries, wait=wait, quiet=True)
    note_account(opened.model.of_texts)
    return AddedTexts(
        collection=opened.folder,
        entries=len(opened),
        model=opened.model.name,
        added=added,
        has_ids=has_ids,
        read=read,
        truncation=opened.truncation,
        coverage=opened.coverage,
    )
