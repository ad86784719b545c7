"""Approximate search in the cells nearest to the query.

Newer rows are in no cell, and are always searched; removed ones are skipped as in every search. Rows are
identified by their numbers, so cells stay valid when other cache files change.
"""

from __future__ import annotations

from contextlib import suppress
from functools import partial
from math import isqrt

import numpy as np

from textkin.base.arrays import Bools, Floats32, Ints
from textkin.base.errors import OutputError, UsageError
from textkin.base.progress import note
from textkin.collection.store import cells_file
from textkin.collection.store.facts import note_fact, rows_since, state_of
from textkin.collection.store.segment import RowSource, Segment
from textkin.collection.store.session import Session
from textkin.collection.store.view import Found, Numbers
from textkin.vectors.index.vector_cells import SAMPLED, centres_of, check_cells, most_cells, nearest_cells

_MOST_PLACED = 32
_MAKE = "make them: `index_collection()`"


def _without_cells() -> UsageError:
    return UsageError("the collection has no cells to search in", fix=_MAKE, params=("probe",))


class ApproximateSearch:
    """Searches in the cells of a collection.

    Args:
        session: the collection's session.
    """

    def __init__(self, session: Session) -> None:
        self._session = session
        self._folder = session.back_end.cache
        self._known: cells_file.KnownCells | None = None
        self._cells: cells_file.StoredCells | None = None
        self._placed: dict[int, _CellRows] = {}

    def known(self) -> cells_file.KnownCells | None:
        """The cells noted in the collection; None without."""
        with self._session.reading():
            return cells_file.KnownCells.of(self._session.back_end)

    def usual_size(self, entries: int) -> int:
        """The number of cells unless another is wanted, about the square root of the entries."""
        return isqrt(entries)

    def make(self, cells: int, *, seed: int = 0) -> cells_file.StoredCells:
        """Assign all rows to cells, measure the recall, and store both.

        Raises:
            UsageError: there are too few rows.
            OutputError: another process is writing, or the disk is full.
        """
        made, high = self._made(cells, seed)
        self._keep(made, seed, high)
        return made

    def drop(self) -> None:
        """Remove the cells; searches become exact.

        Raises:
            OutputError: another process is writing.
        """
        self._note(None)
        self._known = self._cells = None
        self._tidy()

    def prepare(self) -> cells_file.StoredCells:
        """Load the cells for the following searches, rebuilding a corrupt file.

        Raises:
            UsageError: the collection has none.
        """
        with self._session.reading():
            known, source = cells_file.KnownCells.of(self._session.back_end), self._session.source()
        if known is None or source is None:
            raise _without_cells()
        if self._cells is not None and known == self._known:
            return self._cells
        try:
            if self._folder is not None:
                self._take(cells_file.read_cells(self._folder, known, source.dim), known)
        except cells_file.UnusableCells as error:
            note(f"{error}; cells are made again")
        if self._cells is not None and self._known == known:
            return self._cells
        found, high = self._made(known.cells, known.seed, at_most=True)
        self._take(found, known)
        with suppress(OutputError):  # locked or read-only: keep them in memory
            self._keep(found, known.seed, high)
        return found

    def in_words(self, probe: int | None = None) -> str:
        """A description of the cells, or of the recall of a search in some of them; "" without.

        Raises:
            DataError: the database is damaged.
        """
        with self._session.reading():
            known = cells_file.KnownCells.of(self._session.back_end)
            if known is None:
                return ""
            newer = rows_since(self._session.back_end, known.high)
        beside = f"; {newer:,} newer rows are searched exactly" if newer else ""
        if probe is None or self._cells is None:
            return f"{known.cells:,} cells, made at change {known.high:,}{beside}"
        if probe >= len(self._cells):
            return f"exact, all {len(self._cells):,} cells are looked at"
        recall = self._cells.recall(probe)
        told = "" if recall is None else f", {recall.sentence()}"
        return f"approximate, {probe:,} of {len(self._cells):,} cells{told}{beside}"

    def nearest(
        self, source: RowSource, queries: Floats32, depth: int, only: Numbers | None, probe: int, /
    ) -> list[Found]:
        """As ``View.nearest``, for rows in some cells.

        Args:
            source: the rows, in a transaction.
            queries: shape [queries, dim].
            depth: at least 1.
            only: numbers of the rows that may be found; all if None. The fewer there are, the more cells are
                searched, to cover as many rows.
            probe: the number of cells searched.

        Raises:
            UsageError: the collection has no cells, or :meth:`prepare` wasn't called.
        """
        view, cells = self._session.view, self._cells
        if cells is None:
            raise _without_cells()
        view.refresh(source, again=True)
        if only is not None:
            live = state_of(source.back_end).live
            probe = min(len(cells), -(-probe * live // max(len(only), 1)))
        if probe >= len(cells):
            return view.nearest(source, queries, depth, only)
        order = nearest_cells(queries, cells.centres)[:, :probe]
        found: list[Found] = []
        for place in range(len(queries)):
            within = partial(self._looked_at, cells, order[place])
            found += view.nearest(source, queries[place : place + 1], depth, only, within=within)
        return found

    def _made(self, cells: int, seed: int, *, at_most: bool = False) -> tuple[cells_file.StoredCells, int]:
        """Cells of all current rows, and the change that they were made at."""
        with self._session.reading(searching=True):
            source, state = self._session.refreshed(), state_of(self._session.back_end)
            if source is None:
                raise UsageError("the collection is empty", fix="add texts to it: `add()`")
            cells = min(cells, most_cells(state.live)) if at_most else cells
            check_cells(cells, state.live)
            members = cells_file.Members(self._session.view.parts())
            draws = np.random.default_rng(seed)
            centres = centres_of(members.drawn(SAMPLED * cells, draws), cells, seed=seed)
            numbers, own = members.assigned(centres)
            asked, nearest = cells_file.drawn_neighbours(members, self._session.view, source, draws)
            ranks = np.full((len(asked), cells_file.DEPTH), -1, dtype=np.int32)
            order = nearest_cells(asked, centres)
            for place, best in enumerate(nearest):
                rank_of = np.argsort(order[place])
                for column, number in enumerate(best.tolist()):
                    first, last = np.searchsorted(numbers, [number, number + 1])
                    ranks[place, column] = rank_of[own[first:last]].min()
        return cells_file.StoredCells(centres, numbers, own, ranks), state.counter

    def _take(self, cells: cells_file.StoredCells, known: cells_file.KnownCells) -> None:
        self._cells, self._known, self._placed = cells, known, {}

    def _keep(self, cells: cells_file.StoredCells, seed: int, high: int) -> None:
        """Note cells, in a file if there is a folder for it."""
        if self._folder is None:
            known = cells_file.KnownCells(len(cells), seed, high, "", 0)
        else:
            known = cells_file.write_cells(self._folder, cells, seed=seed, high=high)
        self._note(known)
        self._take(cells, known)
        self._tidy()

    def _tidy(self) -> None:
        """Remove the files that the database doesn't name."""
        for path in () if self._folder is None else self._folder.glob("*.cells"):
            if self._known is None or path.name != self._known.file:
                with suppress(OSError):
                    path.unlink()

    def _note(self, known: cells_file.KnownCells | None) -> None:
        with self._session.writing(None):
            value = None if known is None else known.to_dict()
            note_fact(self._session.back_end, cells_file.FACT, value)

    def _looked_at(self, cells: cells_file.StoredCells, wanted: Ints, segment: Segment) -> Bools:
        """A mask of the rows of a segment to search."""
        placed = self._placed.get(id(segment))
        if placed is None or placed.segment is not segment:
            if len(self._placed) >= _MOST_PLACED:
                self._placed = {}
            placed = self._placed[id(segment)] = _CellRows(segment, cells)
        return placed.mask(wanted)


class _CellRows:
    """The positions of each cell's rows in a segment. A row with several vectors may be in several cells."""

    def __init__(self, segment: Segment, cells: cells_file.StoredCells) -> None:
        self.segment = segment
        order = np.argsort(segment.numbers, kind="stable")
        inside = slice(*np.searchsorted(cells.numbers, [segment.low + 1, segment.high + 1]).tolist())
        numbers, own = cells.numbers[inside], cells.cells[inside]
        at = np.minimum(np.searchsorted(segment.numbers, numbers, sorter=order), max(len(segment) - 1, 0))
        places = order[at] if len(segment) else at[:0]
        here = segment.numbers[places] == numbers if len(segment) else np.zeros(0, dtype=np.bool_)
        places, own = places[here], own[: len(here)][here]
        by_cell = np.argsort(own, kind="stable")
        self._places = places[by_cell]
        self._offsets = np.searchsorted(own[by_cell], np.arange(len(cells) + 1)).tolist()
        self._always = np.ones(len(segment), dtype=np.bool_)  # in no cell
        self._always[places] = False
        self._has_others = bool(self._always.any())

    def mask(self, wanted: Ints) -> Bools:
        """A mask of the rows in the wanted cells, or in none. Shape [rows]."""
        mask = self._always.copy() if self._has_others else np.zeros(len(self._always), dtype=np.bool_)
        for cell in wanted.tolist():
            mask[self._places[self._offsets[cell] : self._offsets[cell + 1]]] = True
        return mask
