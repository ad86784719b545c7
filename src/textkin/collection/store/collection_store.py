"""A collection in the tables of a database: searched, read and changed; where it lies is left open."""

from __future__ import annotations

from abc import abstractmethod
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import AbstractContextManager
from itertools import chain, islice
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from textkin.base.errors import DataError
from textkin.collection.closing import Closing
from textkin.collection.store import database as db
from textkin.collection.store.address import Place
from textkin.collection.store.entry_windows import windows_by_id
from textkin.collection.store.filter_warnings import FilterNote, notes_on
from textkin.collection.store.filters import parse_where
from textkin.collection.store.hits import hits_of, numbers_where
from textkin.collection.store.rows import TEXT_COLUMNS, joined_rows, selected, stored_text
from textkin.collection.store.segment import RowSource
from textkin.collection.store.session import Session
from textkin.collection.store.view import Found, Numbers
from textkin.collection.store.writing import BATCH, VectorsOf, Writer
from textkin.data.entry_records import Added, Entry, EntryWindows, WindowsOf
from textkin.data.records import Hit
from textkin.vectors.index.bm25_postings import WordQueries, keys_of, words_of
from textkin.vectors.index.recall import MeasuredRecall

_REFRESH_EVERY = 262_144  # rows that are added, so that readers needn't hold more in memory


class RecallOfProbes(Protocol):
    """What was measured of approximate searches."""

    def probes(self) -> list[int]:
        """Numbers for ``probe`` whose recall is worth a look."""
        ...

    def recall(self, probe: int, /) -> MeasuredRecall | None:
        """How many of the nearest entries such searches find; None if none was measured."""
        ...


class Approximate(Protocol):
    """Searches that look at some of a collection's vectors."""

    def make(self, size: int, *, seed: int = 0) -> RecallOfProbes:
        """Make what they need of all rows, and measure how much they find."""
        ...

    def drop(self) -> None:
        """Take that away: searches are exact only."""
        ...

    def prepare(self) -> RecallOfProbes:
        """Get ready for searches."""
        ...

    def in_words(self, probe: int | None = None) -> str:
        """What there is, or what a search finds; "" where there is nothing."""
        ...

    def nearest(
        self, source: RowSource, queries: NDArray[np.float32], depth: int, only: Numbers | None, probe: int, /
    ) -> list[Found]:
        """As ``View.nearest``, of some of the rows."""
        ...


class CollectionStore(Closing):
    """A collection that is open. A context manager.

    What :meth:`add` and :meth:`remove` have returned is durable, and found by the next search of any process.
    Searches see one moment each, whatever is written meanwhile, and wait for nobody. Calls of several threads
    take turns.

    Args:
        session: of the collection.
    """

    def __init__(self, session: Session) -> None:
        self._session = session
        self._noted: tuple[tuple[object, ...], tuple[FilterNote, ...]] | None = None

    @property
    def place(self) -> Place:
        """The folder or address of the collection."""
        return db.collection_of(self._session.database.place)

    @property
    @abstractmethod
    def cells(self) -> Approximate:
        """Approximate searches."""

    @abstractmethod
    def compact(self, *, wait: float | None = None) -> None:
        """Give back the room of removed rows.

        Raises:
            OutputError: another process is writing, or the disk is full.
        """

    @abstractmethod
    def catch_up(self) -> None:
        """Make caches that are missing, so that the next one who opens the collection needn't, if one may."""

    @abstractmethod
    def sizes(self) -> tuple[int, int]:
        """The bytes of the database, and of caches that can be removed at any time."""

    @abstractmethod
    def _keep_up(self) -> None:
        """Bring caches up to date after a change, where that pays."""

    def require_place(self) -> None:
        """See that the collection is where it was when it was opened; any thread may ask.

        Raises:
            OutputError: it was deleted or replaced.
        """
        self._session.database.require_place()

    def close(self) -> None:
        """Give back what is open; what was acknowledged is on the disk anyway."""
        self._session.close()

    def fact(self, name: str) -> Any:
        """What was noted under a name, such as the model; None if nothing was."""
        with self.reading():
            return db.fact(self._session.database, name)

    def note_fact(self, name: str, value: Any) -> None:
        """Note a JSON value under a name.

        Raises:
            OutputError: another process is writing, or the disk is full.
        """
        with self._session.writing(None, alone=False), db.transaction(self._session.database):
            db.set_fact(self._session.database, name, value)

    def __len__(self) -> int:
        with self.reading():
            return db.state_of(self._session.database).live

    def counter(self) -> int:
        """The number of the last change."""
        with self.reading():
            return db.state_of(self._session.database).counter

    def newer(self, change: int) -> int:
        """How many entries have texts that came after a change."""
        with self.reading():
            statement = "SELECT count(*) FROM texts WHERE number > ?"
            return int(self._session.database.execute(statement, (change,)).fetchone()[0])

    def reading(self, *, searching: bool = False) -> AbstractContextManager[None]:
        """In the block all that is read and searched is of one moment.

        Args:
            searching: get ready for searches at once. Then files of the cache that a writer replaces just now
                cost nothing: the moment is a later one.

        Raises:
            DataError: the database is damaged.
        """
        return self._session.reading(searching=searching)

    def writing(self, wait: float | None = None) -> AbstractContextManager[None]:
        """In the block this process alone writes, so that what is read there holds until it is written to.

        Args:
            wait: seconds to wait for another process; 30 if None.

        Raises:
            UsageError: something is being read here.
            OutputError: another process is writing.
        """
        return self._session.writing(wait)

    def add(
        self,
        entries: Iterable[Entry],
        vectors_of: VectorsOf,
        *,
        windows_of: WindowsOf | None = None,
        batch: int = BATCH,
        wait: float | None = None,
    ) -> Iterator[Added]:
        """Add entries, or put them in the place of those of the same ids, some thousands at a time.

        Nothing is done until the result is gone through; what each item tells is on the disk for good. An
        entry whose text is there already keeps the vector that it has.

        Args:
            entries: may be endless.
            vectors_of: asked for the vectors of texts that are new here, or of their windows.
            windows_of: what parts these texts into windows; needed where the collection has windows.
            batch: how many become durable together, at most.
            wait: seconds to wait for another process that writes; 30 if None.

        Raises:
            UsageError: the collection has windows, and nothing parts texts, or the other way round.
            DataError: an entry can't be stored, or the database is damaged.
            OutputError: another process is writing, or the disk is full.
        """
        with self._session.writing(wait, alone=False):
            newer = 0
            writer = Writer(self._session.database, windows_of)
            for done in writer.add(entries, vectors_of, batch=batch):
                yield done
                newer += done.new + done.changed + done.windows
                if newer >= _REFRESH_EVERY:
                    self._keep_up()
                    newer = 0
            self._keep_up()

    def remove(self, ids: Sequence[str] = (), *, where: str | None = None, wait: float | None = None) -> int:
        """Take entries out, by their ids or by a filter; how many there were.

        Raises:
            UsageError: the filter can't be understood, or takes out all that lacks a name which no entry has.
            OutputError: another process is writing, or the disk is full.
        """
        asked = None if where is None else parse_where(where, self._session.database.filters)
        with self._session.writing(wait, alone=False):
            writer = Writer(self._session.database)
            count = writer.remove(ids) if ids else 0
            count += 0 if asked is None else writer.remove_where(asked)
            self._keep_up()
        return count

    def nearest(
        self, vectors: NDArray[np.float32], k: int, *, where: str | None = None, probe: int | None = None
    ) -> list[list[Hit]]:
        """The ``k`` entries whose vectors are most similar to each of some, by their cosines, best first.

        An entry in windows is as similar as the best of them.

        Args:
            vectors: shape [queries, dim]; one of zeros finds nothing.
            k: at least 1; so many are found where there are so many.
            where: a filter, as ``filters.py`` has it.
            probe: look at so many cells only, after ``cells.prepare()``; at all rows if None, or where fewer
                than ``k`` are found.

        Raises:
            UsageError: the filter can't be understood, or there are no cells.
            DataError: vectors are of another dimension, or the database is damaged.
        """
        with self.reading(searching=probe is None):
            source, only = self._session.source(), numbers_where(self._session.database, where)
            if source is None or not len(vectors):
                return [[] for _ in vectors]
            if vectors.ndim != 2 or vectors.shape[1] != source.dim:
                raise DataError(
                    f"queries of shape {vectors.shape}, expected vectors of {source.dim} dimensions",
                    fix="encode them with the collection's model",
                )
            if probe is None:
                return self._exactly(vectors, k, only)
            hits = self._hits(self.cells.nearest(source, vectors, k, only, probe), k)
            if few := [place for place, one in enumerate(hits) if len(one) < k]:
                for place, one in zip(few, self._exactly(vectors[few], k, only), strict=True):
                    hits[place] = one
            return hits

    def _exactly(self, vectors: NDArray[np.float32], k: int, only: Numbers | None) -> list[list[Hit]]:
        source = self._session.refreshed()
        return [] if source is None else self._hits(self._session.view.nearest(source, vectors, k, only), k)

    def words(
        self, queries: Sequence[str], k: int, *, where: str | None = None, among: Sequence[str] | None = None
    ) -> list[list[Hit]]:
        """The ``k`` entries that BM25 scores best for each query, of those that share a word, best first.

        Words are weighed by the entries that are there now, whether the filter lets them through or not.

        Args:
            queries: texts.
            k: at least 1.
            where: a filter, as ``filters.py`` has it.
            among: ids of the entries that may be found; all if None.

        Raises:
            UsageError: the filter can't be understood.
            DataError: the database is damaged.
        """
        with self.reading(searching=True):
            source, only = self._session.refreshed(), numbers_where(self._session.database, where, among)
            if source is None:
                return [[] for _ in queries]
            asked = WordQueries.of([words_of(query, source.analyser) for query in queries])
            return self._hits(self._session.view.words(asked, k, only), k)

    def word_shares(self, query: str, texts: Sequence[str]) -> list[list[tuple[str, float]]]:
        """What each word of a query adds to the BM25 score of each of some texts; their sum is the score.

        Args:
            query: a word that it repeats counts each time.
            texts: those of entries.

        Raises:
            DataError: the database is damaged.
        """
        with self.reading(searching=True):
            source = self._session.refreshed()
            if source is None:
                return [[] for _ in texts]
            words = source.analyser.words(query)
            terms = [source.analyser.terms(word) for word in words]
            statistics = self._session.view.statistics(keys_of(chain.from_iterable(terms)))
            found = []
            for text in texts:
                counts = Counter(words_of(text, source.analyser))
                often = np.array([counts[term] for own in terms for term in own], dtype=np.int64)
                shares = iter(statistics.shares(often, counts.total()).tolist())
                each = [sum(islice(shares, len(own))) for own in terms]
                found.append(list(zip(words, each, strict=True)))
            return found

    def rows(self, ids: Sequence[str]) -> list[Entry]:
        """The entries of ids, in their order; those that are not there are left out.

        Raises:
            DataError: one isn't what was written.
        """
        with self.reading():
            statement = f"SELECT {TEXT_COLUMNS} FROM texts WHERE id IN ({{}})"
            found = {
                one.entry_id: one.entry()
                for row in selected(self._session.database, statement, list(dict.fromkeys(ids)))
                for one in [stored_text(self._session.database.place, row)]
            }
            return [found[name] for name in ids if name in found]

    def windows(self, ids: Sequence[str]) -> dict[str, EntryWindows]:
        """The vectors of the entries of ids that are there, and where their windows stand.

        Raises:
            DataError: one isn't what was written.
        """
        with self.reading():
            source = self._session.source()
            return {} if source is None else windows_by_id(source, ids)

    def filter_notes(self, where: str) -> tuple[FilterNote, ...]:
        """What is odd about a filter: names that no entry has, and texts that it compares with numbers.

        Raises:
            UsageError: the filter can't be understood.
        """
        asked = parse_where(where, self._session.database.filters)
        with self.reading():
            key = asked.asserted, asked.denied, asked.numeric, db.state_of(self._session.database).counter
            if self._noted is None or self._noted[0] != key:  # each name takes a look at all entries
                self._noted = key, tuple(notes_on(self._session.database, asked))
            return self._noted[1]

    def holders(self, query: str) -> list[int]:
        """How many entries hold each word of a query, repeated ones as often as they come.

        Raises:
            DataError: the database is damaged.
        """
        with self.reading(searching=True):
            source = self._session.refreshed()
            if source is None:
                return []
            keys = keys_of(words_of(query, source.analyser))
            return list(self._session.view.statistics(keys).holders.tolist())

    @property
    def window(self) -> int:
        """The tokens of a window; 0 where each text has one vector."""
        return int(self.fact(db.WINDOWS) or 0)

    def in_windows(self) -> int:
        """How many entries are in several windows."""
        with self.reading():
            if not db.fact(self._session.database, db.WINDOWS):
                return 0
            return int(self._session.database.execute("SELECT count(*) FROM windows").fetchone()[0])

    def entries(self, *, where: str | None = None) -> Iterator[Entry]:
        """All entries, in the order in which their texts came.

        Raises:
            UsageError: the filter can't be understood.
            DataError: one isn't what was written.
        """
        asked = None if where is None else parse_where(where, self._session.database.filters)
        with self.reading():
            condition, values = ("TRUE", ()) if asked is None else (asked.sql, asked.values)
            statement = f"SELECT {TEXT_COLUMNS} FROM texts WHERE {condition} ORDER BY number"
            for row in self._session.database.streamed(statement, values):
                yield stored_text(self._session.database.place, row).entry()

    def entries_with_vectors(
        self, *, where: str | None = None
    ) -> Iterator[tuple[Entry, NDArray[np.float32]]]:
        """All entries, or those that a filter lets through, each with its vector. Shape [dim].

        Raises:
            UsageError: the filter can't be understood.
            DataError: one isn't what was written.
        """
        asked = None if where is None else parse_where(where, self._session.database.filters)
        with self.reading():
            source = self._session.source()
            if source is not None:
                for row, vector in joined_rows(source.database, source.dim, asked):
                    yield row.entry(), vector

    def _hits(self, found: Sequence[Found], k: int) -> list[list[Hit]]:
        return hits_of(self._session.database, found, k)
