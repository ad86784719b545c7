"""Results of looking after a collection, and the work of its index."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from textkin.base.paths import shown_output
from textkin.base.results import ResultRow, Summary
from textkin.base.spelling import spelt
from textkin.verbs.collections.opened import entries_in_words

if TYPE_CHECKING:
    from textkin.collection.store.collection_store import CollectionStore


@dataclass(frozen=True, slots=True, repr=False)
class ExportedEntries(Summary):
    """The result of an export.

    Attributes:
        out: the file.
        entries: the number of entries in it.
    """

    out: Path
    entries: int

    def _rows(self) -> Iterator[ResultRow]:
        yield {"file": str(self.out), "entries": self.entries}

    def text(self) -> str:
        """The number of entries, and the file."""
        return f"{entries_in_words(self.entries)} written to {shown_output(self.out)}"


@dataclass(frozen=True, slots=True, repr=False)
class IndexedCollection(Summary):
    """The index of a collection for approximate search.

    Attributes:
        cells: the number of cells, or of links in PostgreSQL; 0 without an index.
        recall: the recall of searches, by the number of probed cells; None where it can't be measured.
        about: the index in words.
    """

    cells: int
    recall: Mapping[int, Any]
    about: str = "no index: searches are exact"

    def _rows(self) -> Iterator[ResultRow]:
        recalls = {f"recall of probe {probe}": one and one.share.value for probe, one in self.recall.items()}
        yield {"cells": self.cells, **recalls}

    def text(self) -> str:
        """The index, and a line with the recall for each number of probed cells."""
        return "\n".join([self.about, *self._recalls()])

    def as_dict(self) -> dict[str, Any]:
        """The number of cells and the recalls."""
        return {"cells": self.cells, "recall": self.recall}

    def _recalls(self) -> Sequence[str]:
        return [
            f"{spelt(f'`probe={probe}`')}: {'too few entries to measure' if one is None else one.sentence()}"
            for probe, one in self.recall.items()
        ]


def make_index(store: CollectionStore, cells: int | None) -> IndexedCollection:
    """Make the index of a collection anew, or remove it if ``cells`` is 0.

    Raises:
        UsageError: there are too few entries.
        OutputError: another process is writing, or the disk is full.
    """
    if cells is None:
        cells = store.cells.usual_size(len(store))
    if not cells:
        store.cells.drop()
        return IndexedCollection(0, {})
    made = store.cells.make(cells)
    return IndexedCollection(
        cells, {probe: made.recall(probe) for probe in made.probes()}, store.cells.in_words()
    )
