"""A collection: searched, read and changed, whatever back end keeps its rows."""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import AbstractContextManager
from functools import partial
from typing import Any, Protocol

from textkin.base.arrays import Floats32
from textkin.base.closing import Closing
from textkin.base.errors import DataError, OutputError
from textkin.base.progress import note
from textkin.collection.store.address import Place
from textkin.collection.store.approximate_search import ApproximateSearch
from textkin.collection.store.back_end import BackEnd, Which, forget
from textkin.collection.store.entry_windows import windows_by_id
from textkin.collection.store.facts import WINDOWS, collection_of, fact, note_fact, rows_since, state_of
from textkin.collection.store.filter_notes import FilterNote, notes_on
from textkin.collection.store.filters import parse_where
from textkin.collection.store.index_search import IndexSearch
from textkin.collection.store.rows import joined_rows, texts_of
from textkin.collection.store.segment import RowSource
from textkin.collection.store.segment_file import WORTH_A_FILE, refresh_caches
from textkin.collection.store.session import Session
from textkin.collection.store.view import Found, Numbers, hits_of, numbers_where
from textkin.collection.store.writing import BATCH, VectorsOf, Writer
from textkin.data.entry_records import Added, Entry, EntryWindows, WindowsOf
from textkin.data.records import Hit
from textkin.text.baselines.bm25_parameters import BM25, Bm25Parameters
from textkin.text.baselines.shared_words import Places, shared_words
from textkin.vectors.index.bm25_postings import WordQueries, keys_of, word_shares
from textkin.vectors.index.recall import MeasuredRecall

_REFRESH_EVERY = 262_144  # rows added at a time, to limit the memory of readers


class RecallOfProbes(Protocol):
    """The measured recall of approximate searches."""

    def probes(self) -> list[int]:
        """Values of ``probe`` whose recall is worth showing."""

    def recall(self, probe: int, /) -> MeasuredRecall | None:
        """The fraction of nearest entries that such searches find; None if not measured."""


class Approximate(Protocol):
    """Approximate searches of a collection's vectors."""

    def usual_size(self, entries: int) -> int:
        """The size of an index that is made without one: of cells, or of links per vector."""

    def make(self, size: int, *, seed: int = 0) -> RecallOfProbes:
        """Build the index of all rows, and measure its recall."""

    def drop(self) -> None:
        """Remove the index; searches become exact."""

    def prepare(self) -> RecallOfProbes:
        """Get ready for searches."""

    def in_words(self, probe: int | None = None) -> str:
        """A description of the index, or of a search's recall; "" without."""

    def nearest(
        self, source: RowSource, queries: Floats32, depth: int, only: Numbers | None, probe: int, /
    ) -> list[Found]:
        """As ``View.nearest``, for some of the rows."""


class CollectionStore(Closing):
    """An open collection. A context manager.

    Once :meth:`add` or :meth:`remove` returns, the change is durable and visible to the next search of any
    process. Each search sees one snapshot, whatever is written meanwhile, and never waits. Calls from several
    threads take turns.

    Args:
        back_end: what keeps its rows.
    """

    def __init__(self, back_end: BackEnd) -> None:
        self._session = session = Session(back_end)
        index = back_end.index
        self._cells = ApproximateSearch(session) if index is None else IndexSearch(session, index)
        self._noted: tuple[tuple[str, int], tuple[FilterNote, ...]] | None = None

    @property
    def place(self) -> Place:
        """The folder or address of the collection."""
        return collection_of(self._session.back_end.place)

    @property
    def cells(self) -> Approximate:
        """Approximate searches."""
        return self._cells

    def compact(self, *, wait: float | None = None) -> None:
        """Release the space of removed rows, and join cache files.

        Raises:
            OutputError: another process is writing, or the disk is full.
        """
        back_end = self._session.back_end
        with self._session.writing(wait):
            if back_end.cache is None:
                forget(back_end, state_of(back_end).counter)
            else:
                self._refresh_caches(whole=True)
            back_end.compact()

    def catch_up(self) -> None:
        """Build missing cache files, if permitted, so that the next process needn't."""
        if self._session.back_end.cache is None:
            return
        with self.reading(searching=True):
            source = self._session.refreshed()
        if source is not None and self._session.view.fresh >= WORTH_A_FILE:
            try:
                with self._session.writing(0.0):
                    self._refresh_caches()
            except OutputError:
                return  # somebody else is writing, or the folder is read-only: search without

    def sizes(self) -> tuple[int, int]:
        """The bytes of the back end, and of cache files that can be removed at any time."""
        folder = self._session.back_end.cache
        cached = [] if folder is None else [path for path in folder.glob("*") if path.is_file()]
        with self.reading():
            return self._session.back_end.size(), sum(path.stat().st_size for path in cached)

    def _keep_up(self) -> None:
        """Update the cache files after a change; a full disk doesn't affect acknowledged changes."""
        try:
            with self._session.back_end.errors():
                self._refresh_caches()
        except OutputError as error:
            note(f"searches will take longer: {error}")

    def _refresh_caches(self, *, whole: bool = False) -> None:
        folder = self._session.back_end.cache
        if folder is not None and (source := self._session.source()) is not None:
            refresh_caches(source, folder, whole=whole)

    def require_place(self) -> None:
        """Check that the collection is still at its place; safe to call from any thread.

        Raises:
            OutputError: it was deleted or replaced.
        """
        self._session.back_end.require_place()

    def close(self) -> None:
        """Release open resources; acknowledged changes are durable anyway."""
        self._session.close()

    def fact(self, name: str) -> Any:
        """The JSON value noted under a name, such as the model; None without."""
        with self.reading():
            return fact(self._session.back_end, name)

    def note_fact(self, name: str, value: Any) -> None:
        """Note a JSON value under a name.

        Raises:
            OutputError: another process is writing, or the disk is full.
        """
        with self._session.writing(None, alone=False):
            note_fact(self._session.back_end, name, value)

    def __len__(self) -> int:
        with self.reading():
            return state_of(self._session.back_end).live

    def counter(self) -> int:
        """The number of the last change."""
        with self.reading():
            return state_of(self._session.back_end).counter

    def newer(self, change: int) -> int:
        """The number of entries whose texts came after a change."""
        with self.reading():
            return rows_since(self._session.back_end, change)

    def reading(self, *, searching: bool = False) -> AbstractContextManager[None]:
        """Read and search one snapshot. A context manager.

        Args:
            searching: prepare searches at once. Cache files that a writer is just replacing then cost
                nothing: the snapshot is a later one.

        Raises:
            DataError: the database is damaged.
        """
        return self._session.reading(searching=searching)

    def writing(self, wait: float | None = None) -> AbstractContextManager[None]:
        """Lock out other writers, so that values read stay valid until written. A context manager.

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
        """Add entries, replacing those with the same ids, some thousands at a time.

        Work happens as the result is iterated; each reported item is durable. An entry whose text exists
        keeps its vector.

        Args:
            entries: may be endless.
            vectors_of: encodes the texts that are new here, or their windows.
            windows_of: splits these texts into windows; needed if the collection has windows.
            batch: the maximum number of entries that become durable together.
            wait: seconds to wait for another process that writes; 30 if None.

        Raises:
            UsageError: the collection has windows and no splitter is given, or vice versa.
            DataError: an entry can't be stored, or the database is damaged.
            OutputError: another process is writing, or the disk is full.
        """
        with self._session.writing(wait, alone=False):
            newer = 0
            writer = Writer(self._session.back_end, windows_of)
            for done in writer.add(entries, vectors_of, batch=batch):
                yield done
                newer += done.new + done.changed + done.windows
                if newer >= _REFRESH_EVERY:
                    self._keep_up()
                    newer = 0
            self._keep_up()

    def remove(self, ids: Sequence[str] = (), *, where: str | None = None, wait: float | None = None) -> int:
        """Remove entries by id or by a filter, and return their number.

        Raises:
            UsageError: the filter can't be parsed, or matches everything that lacks a name which no entry
                has.
            OutputError: another process is writing, or the disk is full.
        """
        asked = None if where is None else parse_where(where)
        with self._session.writing(wait, alone=False):
            writer = Writer(self._session.back_end)
            count = writer.remove(ids) if ids else 0
            count += 0 if asked is None else writer.remove_where(asked)
            self._keep_up()
        return count

    def nearest(
        self, vectors: Floats32, k: int, *, where: str | None = None, probe: int | None = None
    ) -> list[list[Hit]]:
        """The ``k`` entries with the highest cosine to each vector, best first.

        The similarity of an entry with windows is that of its best window.

        Args:
            vectors: shape [queries, dim]; a zero vector finds nothing.
            k: the number to find, at least 1.
            where: a filter, see ``filters.py``.
            probe: search this many cells only, after ``cells.prepare()``; all rows if None, or if fewer than
                ``k`` are found.

        Raises:
            UsageError: the filter can't be parsed, or there are no cells.
            DataError: vectors are of another dimension, or the database is damaged.
        """
        with self.reading(searching=probe is None):
            source, only = self._session.source(), numbers_where(self._session.back_end, where)
            if source is None or not len(vectors):
                return [[] for _ in vectors]
            if vectors.ndim != 2 or vectors.shape[1] != source.dim:
                raise DataError(
                    f"queries of shape {vectors.shape}, expected vectors of {source.dim} dimensions",
                    fix="encode them with the collection's model",
                    value=vectors.shape,
                )
            if probe is None:
                return self._exactly(vectors, k, only)
            hits = self._hits(self.cells.nearest(source, vectors, k, only, probe), k)
            if few := [place for place, one in enumerate(hits) if len(one) < k]:
                for place, one in zip(few, self._exactly(vectors[few], k, only), strict=True):
                    hits[place] = one
            return hits

    def _exactly(self, vectors: Floats32, k: int, only: Numbers | None) -> list[list[Hit]]:
        source = self._session.refreshed()
        return [] if source is None else self._hits(self._session.view.nearest(source, vectors, k, only), k)

    def words(
        self,
        queries: Sequence[str],
        k: int,
        *,
        where: str | None = None,
        among: Sequence[str] | None = None,
        bm25: Bm25Parameters = BM25,
    ) -> list[list[Hit]]:
        """The ``k`` best entries by BM25 for each query, of those that share a word.

        Words are weighted by all current entries, regardless of the filter.

        Args:
            queries: texts.
            k: at least 1.
            where: a filter, see ``filters.py``.
            among: ids of the entries that may be found; all if None.
            bm25: its parameters.

        Raises:
            UsageError: the filter can't be parsed.
            DataError: the database is damaged.
        """
        with self.reading(searching=True):
            source, only = self._session.refreshed(), numbers_where(self._session.back_end, where, among)
            if source is None:
                return [[] for _ in queries]
            asked = WordQueries.of([source.analyser.terms_of(query) for query in queries])
            return self._hits(self._session.view.words(asked, k, only, bm25), k)

    def word_shares(
        self, query: str, texts: Sequence[str], bm25: Bm25Parameters = BM25
    ) -> list[list[tuple[str, float]]]:
        """Each query word's contribution to the BM25 scores of some texts; they sum to the score.

        Args:
            query: a repeated word counts each time.
            texts: texts of entries.
            bm25: the parameters of BM25.

        Raises:
            DataError: the database is damaged.
        """
        with self.reading(searching=True):
            source = self._session.refreshed()
            if source is None:
                return [[] for _ in texts]
            statistics_of = partial(self._session.view.statistics, bm25=bm25)
            return word_shares(query, texts, source.analyser, statistics_of)

    def shared_words(self, query: str, texts: Sequence[str]) -> list[Places]:
        """The places in some texts of words that a query has, too, as this collection takes words."""
        with self.reading():
            source = self._session.source()
            return [[] for _ in texts] if source is None else shared_words(query, texts, source.analyser)

    def rows(self, ids: Sequence[str]) -> list[Entry]:
        """The entries with the given ids, in order; missing ones are skipped.

        Raises:
            DataError: one is corrupt.
        """
        with self.reading():
            found = self._session.texts_by_id(ids)
            return [found[name].entry() for name in ids if name in found]

    def ages(self, ids: Sequence[str]) -> dict[str, int]:
        """The row number of each existing entry: the later its text came, the higher.

        Raises:
            DataError: one is corrupt.
        """
        with self.reading():
            return {name: one.number for name, one in self._session.texts_by_id(ids).items()}

    def windows(self, ids: Sequence[str]) -> dict[str, EntryWindows]:
        """The vectors and window positions of the existing entries with the given ids.

        Raises:
            DataError: one is corrupt.
        """
        with self.reading():
            source = self._session.source()
            return {} if source is None else windows_by_id(source, ids)

    def filter_notes(self, where: str) -> tuple[FilterNote, ...]:
        """Suspicious parts of a filter: names that no entry has, and texts compared with numbers.

        Raises:
            UsageError: the filter can't be parsed.
        """
        asked = parse_where(where)
        with self.reading():
            key = where, state_of(self._session.back_end).counter
            if self._noted is None or self._noted[0] != key:  # each name requires a scan of all entries
                self._noted = key, tuple(notes_on(self._session.back_end, asked))
            return self._noted[1]

    def holders(self, query: str) -> list[int]:
        """The number of entries with each word of a query, repeated words included.

        Raises:
            DataError: the database is damaged.
        """
        with self.reading(searching=True):
            source = self._session.refreshed()
            if source is None:
                return []
            keys = keys_of(source.analyser.terms_of(query))
            return list(self._session.view.statistics(keys).holders.tolist())

    @property
    def window(self) -> int:
        """The tokens per window; 0 if each text has one vector."""
        return int(self.fact(WINDOWS) or 0)

    def in_windows(self) -> int:
        """The number of entries with several windows."""
        with self.reading():
            return self._session.back_end.count(Which(several=True)) if self.window else 0

    def entries(self, *, where: str | None = None) -> Iterator[Entry]:
        """All entries, in the order of their texts' arrival.

        Raises:
            UsageError: the filter can't be parsed.
            DataError: one is corrupt.
        """
        asked = None if where is None else parse_where(where)
        with self.reading():
            for one in texts_of(self._session.back_end, Which(where=asked)):
                yield one.entry()

    def entries_with_vectors(self, *, where: str | None = None) -> Iterator[tuple[Entry, Floats32]]:
        """All entries, or those matching a filter, each with its vector. Shape [dim].

        Raises:
            UsageError: the filter can't be parsed.
            DataError: one is corrupt.
        """
        asked = None if where is None else parse_where(where)
        with self.reading():
            source = self._session.source()
            if source is not None:
                for row, vector in joined_rows(source.back_end, Which(where=asked), source.dim):
                    yield row.entry(), vector

    def _hits(self, found: Sequence[Found], k: int) -> list[list[Hit]]:
        return hits_of(self._session.ids_of, found, k)
