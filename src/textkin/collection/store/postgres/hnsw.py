"""Approximate searches with pgvector's HNSW index, which PostgreSQL keeps up to date.

The index supplies candidates; their scores are computed here from the stored vectors, as in an exact search.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Self

import numpy as np

from textkin.base.arrays import Floats32, Ints
from textkin.base.errors import OutputError, UsageError, inapplicable, invalid
from textkin.collection.store.cells_file import DEPTH, Members, drawn_neighbours
from textkin.collection.store.database import fact, rows_since, set_fact, state_of, transaction, unreadable
from textkin.collection.store.postgres.database import PostgresDatabase
from textkin.collection.store.rows import selected, stored_vector
from textkin.collection.store.segment import RowSource
from textkin.collection.store.session import Session
from textkin.collection.store.view import Found, Numbers
from textkin.measures.intervals.proportions import clustered_share
from textkin.vectors.index.byte_codes import byte_codes
from textkin.vectors.index.recall import MeasuredRecall
from textkin.vectors.index.vector_scan import scanned
from textkin.vectors.join.prepared_rows import by_cosine

FACT = "hnsw"
"""The fact that holds the measured recall of a collection's index."""

_PROBES = (10, 20, 40, 80, 160, 320, 640)
_MAKE = "make it: `index_collection()`"


@dataclass(frozen=True, slots=True)
class MeasuredHnsw:
    """The measured recall of an index.

    Attributes:
        links: links per vector, pgvector's ``m``.
        high: the change it was made at.
        there: the number of entries nearest to some stored texts.
        found: the number of these that a search finds, by the number of its candidates.
    """

    links: int
    high: int
    there: Sequence[int]
    found: Mapping[str, Sequence[int]]

    @classmethod
    def of(cls, database: PostgresDatabase) -> Self | None:
        """The noted recall; None without an index.

        Raises:
            DataError: it is corrupt.
        """
        values: Any = fact(database, FACT)
        try:
            return None if values is None else cls(**values)
        except TypeError:
            raise unreadable(database, FACT) from None

    def probes(self) -> list[int]:
        """The measured numbers of candidates."""
        return sorted(int(one) for one in self.found)

    def recall(self, probe: int, /) -> MeasuredRecall | None:
        """The recall, as measured with no more candidates than these."""
        measured = max((one for one in self.probes() if one <= probe), default=_PROBES[0])
        there, found = np.array(self.there), np.array(self.found[str(measured)])
        hit = np.concatenate([np.arange(of) < some for of, some in zip(there, found, strict=True)])
        text = np.repeat(np.arange(len(there)), there)
        share = clustered_share(hit, text)
        return None if share is None else MeasuredRecall(DEPTH, share, "stored texts")


class HnswSearch:
    """Searches with the index of a collection.

    Args:
        session: the collection's session.
        database: the session's database.
    """

    def __init__(self, session: Session, database: PostgresDatabase) -> None:
        self._session = session
        self._database = database
        self._measured: MeasuredHnsw | None = None

    def make(self, size: int, *, seed: int = 0) -> MeasuredHnsw:
        """Build the index, and measure its recall.

        Args:
            size: links per vector, pgvector's ``m``; 16 is usual.
            seed: the seed for drawing stored texts.

        Raises:
            UsageError: there are no rows, or vectors are too long for an index.
            OutputError: another process is writing, or the database has no pgvector.
        """
        with self._session.writing(None):
            require_pgvector(self._database)
            members, dim, high = self._members()
            with transaction(self._database):
                make_points(self._database, members, dim, size)
                set_fact(self._database, FACT, None)  # the recall of an earlier index
            measured = self._measure(members, size, high, np.random.default_rng(seed))
            with transaction(self._database):
                set_fact(self._database, FACT, asdict(measured))
        self._measured = measured
        return measured

    def drop(self) -> None:
        """Remove the index; searches become exact.

        Raises:
            OutputError: another process is writing.
        """
        with self._session.writing(None), transaction(self._database):
            drop_points(self._database)
            set_fact(self._database, FACT, None)
        self._measured = None

    def prepare(self) -> MeasuredHnsw:
        """Load the measured recall for the following searches.

        Raises:
            UsageError: there is no index.
        """
        with self._session.reading():
            self._measured = MeasuredHnsw.of(self._database)
            if self._measured is None:
                raise _without()
        return self._measured

    def in_words(self, probe: int | None = None) -> str:
        """A description of the index, or of a search's recall; "" without.

        Raises:
            DataError: the database is damaged.
        """
        with self._session.reading():
            known = MeasuredHnsw.of(self._database)
            if known is None:
                return ""
            newer = rows_since(self._database, known.high)
            live = state_of(self._database).live
        index = f"HNSW of {known.links} links"
        beside = f"; {newer:,} rows have come since" if newer else ""
        if probe is None:
            return f"{index}, made at change {known.high:,}{beside}"
        if probe >= live:
            return f"exact, there are no more than {live:,} rows"
        recall = known.recall(probe)
        told = "" if recall is None else f", {recall.sentence()}"
        return f"approximate, {probe:,} candidates by {index}{told}{beside}"

    def nearest(
        self, source: RowSource, queries: Floats32, depth: int, only: Numbers | None, probe: int, /
    ) -> list[Found]:
        """As ``View.nearest``, for the candidates of the index.

        Args:
            source: the rows, in a transaction.
            queries: shape [queries, dim].
            depth: at least 1; a depth beyond the index is searched exactly.
            only: numbers of the rows that may be found; all if None. A few rows are all searched.
            probe: the number of candidates.

        Raises:
            UsageError: there is no index, :meth:`prepare` wasn't called, or ``probe`` is too large.
        """
        live = None if self._measured is None else rows_beside_points(self._database)
        if live is None:
            raise _without()
        if probe >= live or depth > MOST_PROBED:
            self._session.view.refresh(source, again=True)
            return self._session.view.nearest(source, queries, depth, only)
        if probe > MOST_PROBED:
            raise invalid("probe", probe, expected=f"at most {MOST_PROBED:,}")
        most = max(probe, depth)
        if only is not None and len(only) <= most:
            return [_scored(source, query, only.tolist()) for query in queries]
        return [
            _scored(source, query, nearest_points(self._database, query, most, only) if query.any() else ())
            for query in queries
        ]

    def _members(self) -> tuple[Members, int, int]:
        with self._session.reading(searching=True):
            source = self._session.refreshed()
            state = state_of(self._database)
            if source is None or not state.live:
                raise UsageError("the collection is empty", fix="add texts to it: `add()`")
            return Members(self._session.view.parts()), source.dim, state.counter

    def _measure(self, members: Members, links: int, high: int, draws: np.random.Generator) -> MeasuredHnsw:
        """Measure the recall on stored texts, for several numbers of candidates.

        One of the candidates is the text itself, so 10 of them find 9 in 10 at most.
        """
        with self._session.reading(searching=True):
            source = self._session.refreshed()
            if source is None:
                raise _without()
            asked, nearest = drawn_neighbours(members, self._session.view, source, draws)
            wanted = [set(one.tolist()) for one in nearest]
            found = {
                str(probe): [
                    len(best & set(nearest_points(self._database, query, probe, None)))
                    for query, best in zip(asked, wanted, strict=True)
                ]
                for probe in _PROBES
            }
        return MeasuredHnsw(links, high, [len(one) for one in wanted], found)


def _scored(source: RowSource, query: Floats32, numbers: Sequence[int]) -> Found:
    """Rows with their exact scores; none for a zero query."""
    statement = "SELECT number, vector, checksum FROM vectors WHERE number IN ({})"
    there, parts = [], []
    for number, vector, checksum in selected(source.database, statement, numbers):
        there.append(number)
        parts.append(stored_vector(source.path, number, vector, checksum, source.dim, windowed=True))
    if not there or not query.any():
        return Found(np.empty(0, dtype=np.int64), np.empty(0, dtype=np.float32))
    rows = by_cosine(np.frombuffer(b"".join(parts), dtype="<f4").reshape(-1, source.dim))
    starts = np.cumsum([0, *(len(one) // (4 * source.dim) for one in parts)])
    floor = np.full(1, -np.inf, dtype=np.float32)
    best = scanned(by_cosine(query[None]), rows, byte_codes(rows), len(there), floor=floor, starts=starts)
    kept = best.documents[0] >= 0
    return Found(np.array(there, dtype=np.int64)[best.documents[0][kept]], best.scores[0][kept])


def _without() -> UsageError:
    return UsageError("the collection has no index of vectors to search", fix=_MAKE, params=("probe",))


MOST_LINKS = 100
MOST_DIM = 2000
"""The maximum dimension that pgvector indexes."""

MOST_PROBED = 1000
_LEAST_BUILT = 64  # candidates of each vector during index construction
_MEMORY = "512MB"


def rows_beside_points(database: PostgresDatabase) -> int | None:
    """The number of rows in the collection; None without a vector index."""
    statement = "SELECT live FROM state WHERE to_regclass(?) IS NOT NULL"
    found = database.execute(statement, (f"{database.place.schema}.points",)).fetchone()
    return None if found is None else int(found[0])


def require_pgvector(database: PostgresDatabase) -> None:
    """Check that the database has pgvector, creating the extension if permitted.

    Raises:
        OutputError: it doesn't.
    """
    if database.execute("SELECT 1 FROM pg_extension WHERE extname = 'vector'").fetchone() is None:
        try:
            database.execute("CREATE EXTENSION vector SCHEMA public")
        except OutputError as error:
            raise _missing(database, "ask its owner to say: CREATE EXTENSION vector") from error
        except Exception as error:
            raise _missing(database, "install pgvector there, or leave `approximate` out") from error


def make_points(database: PostgresDatabase, members: Members, dim: int, links: int) -> None:
    """Create the table of all vectors and its index; in a transaction.

    Raises:
        UsageError: vectors are too long for the index, or links out of range.
    """
    if dim > MOST_DIM:
        raise inapplicable(
            "approximate",
            to=f"vectors of {dim:,} numbers, of which pgvector's index takes {MOST_DIM:,} at most",
            fix="search exactly",
        )
    if not 2 <= links <= MOST_LINKS:
        raise invalid(
            "approximate",
            links,
            expected=f"2 to {MOST_LINKS} links of a vector in PostgreSQL's index, such as 16",
        )
    drop_points(database)
    database.execute(
        "CREATE TABLE points (number bigint NOT NULL REFERENCES texts ON DELETE CASCADE,"
        f" embedding vector({dim:d}) NOT NULL)"
    )
    database.know_vectors()
    rows = ((number, vector) for part in members for number, vector in zip(*_lists(*part), strict=True))
    database.copy("COPY points FROM STDIN (FORMAT BINARY)", rows, ("int8", "vector"))
    database.execute("CREATE INDEX ON points (number)")
    database.execute("SELECT set_config('maintenance_work_mem', ?, TRUE)", (_MEMORY,))
    built = max(_LEAST_BUILT, 2 * links)
    database.execute(
        "CREATE INDEX ON points USING hnsw (embedding vector_cosine_ops)"
        f" WITH (m = {links:d}, ef_construction = {built:d})"
    )
    database.execute("ANALYZE points")


def drop_points(database: PostgresDatabase) -> None:
    """Drop the table."""
    database.execute("DROP TABLE IF EXISTS points")


def nearest_points(database: PostgresDatabase, query: Floats32, probe: int, only: Ints | None) -> list[int]:
    """The numbers of the rows nearest to a query by the index, from a number of candidates."""
    database.know_vectors()
    database.with_next("SELECT set_config('hnsw.ef_search', ?, TRUE)", (str(probe),))
    where, values = "", []
    if only is not None:
        database.with_next("SELECT set_config('hnsw.iterative_scan', 'relaxed_order', TRUE)")
        where, values = "WHERE number = ANY(?::bigint[])", [only.tolist()]
    rows = database.execute(
        f"SELECT number FROM points {where} ORDER BY embedding <=> ? LIMIT ?", (*values, query, probe)
    )
    return list(dict.fromkeys(row[0] for row in rows))


def _lists(numbers: Ints, vectors: Floats32) -> tuple[list[int], Iterator[Floats32]]:
    return numbers.tolist(), iter(vectors)


def _missing(database: PostgresDatabase, fix: str) -> OutputError:
    return OutputError(f"{database.place} has no pgvector, which approximate searches need", fix=fix)
