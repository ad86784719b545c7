"""pgvector's HNSW index of a collection's vectors, which PostgreSQL keeps up to date."""

from collections.abc import Iterable, Iterator

from textkin.base.arrays import Floats32, Ints
from textkin.base.errors import OutputError, inapplicable, invalid
from textkin.collection.store.back_end import VectorIndex
from textkin.collection.store.postgres.database import PostgresBackEnd

_MOST_LINKS = 100
_MOST_DIM = 2000  # of a vector that pgvector indexes
_LEAST_BUILT = 64  # candidates of each vector during index construction
_MEMORY = "512MB"


class HnswIndex(VectorIndex):
    """The index of a collection in PostgreSQL; its size is the links per vector, pgvector's ``m``.

    Args:
        database: the collection's back end.
    """

    most = 1000

    def __init__(self, database: PostgresBackEnd) -> None:
        self._database = database

    def is_made(self) -> bool:
        """See the base class."""
        return self._database.has_points()

    def make(self, vectors: Iterable[tuple[Ints, Floats32]], dim: int, size: int) -> None:
        """Create the table of all vectors and its index.

        Raises:
            UsageError: vectors are too long for the index, or the links out of range.
            OutputError: the database has no pgvector.
        """
        database = self._database
        self._require_pgvector()
        if dim > _MOST_DIM:
            raise inapplicable(
                "approximate",
                to=f"vectors of {dim:,} numbers, of which pgvector's index takes {_MOST_DIM:,} at most",
                fix="search exactly",
            )
        if not 2 <= size <= _MOST_LINKS:
            raise invalid(
                "approximate",
                size,
                expected=f"2 to {_MOST_LINKS} links of a vector in PostgreSQL's index, such as 16",
            )
        with database.transaction():
            database.execute("DROP TABLE IF EXISTS points")
            database.execute(
                "CREATE TABLE points (number bigint NOT NULL REFERENCES texts ON DELETE CASCADE,"
                f" embedding vector({dim:d}) NOT NULL)"
            )
            database.know_vectors()
            rows = (
                (number, vector) for part in vectors for number, vector in zip(*_lists(*part), strict=True)
            )
            database.copy("COPY points FROM STDIN (FORMAT BINARY)", rows, ("int8", "vector"))
            database.execute("CREATE INDEX ON points (number)")
            database.execute("SELECT set_config('maintenance_work_mem', ?, TRUE)", (_MEMORY,))
            built = max(_LEAST_BUILT, 2 * size)
            database.execute(
                "CREATE INDEX ON points USING hnsw (embedding vector_cosine_ops)"
                f" WITH (m = {size:d}, ef_construction = {built:d})"
            )
            database.execute("ANALYZE points")

    def drop(self) -> None:
        """See the base class."""
        with self._database.transaction():
            self._database.execute("DROP TABLE IF EXISTS points")

    def candidates(self, query: Floats32, count: int, only: Ints | None) -> list[int]:
        """See the base class."""
        database = self._database
        database.know_vectors()
        database.with_next("SELECT set_config('hnsw.ef_search', ?, TRUE)", (str(count),))
        where, values = "", []
        if only is not None:
            database.with_next("SELECT set_config('hnsw.iterative_scan', 'relaxed_order', TRUE)")
            where, values = "WHERE number = ANY(?::bigint[])", [only.tolist()]
        rows = database.execute(
            f"SELECT number FROM points {where} ORDER BY embedding <=> ? LIMIT ?", (*values, query, count)
        )
        return list(dict.fromkeys(row[0] for row in rows))

    def in_words(self, size: int) -> str:
        """See the base class."""
        return f"HNSW of {size} links"

    def _require_pgvector(self) -> None:
        """Create the extension if the database doesn't have it, and that is permitted.

        Raises:
            OutputError: it isn't.
        """
        database = self._database
        if database.execute("SELECT 1 FROM pg_extension WHERE extname = 'vector'").fetchone() is None:
            try:
                database.execute("CREATE EXTENSION vector SCHEMA public")
            except OutputError as error:
                raise self._missing("ask its owner to say: CREATE EXTENSION vector") from error
            except Exception as error:
                raise self._missing("install pgvector there") from error

    def _missing(self, fix: str) -> OutputError:
        return OutputError(
            f"{self._database.place} has no pgvector, which approximate searches need", fix=fix
        )


def _lists(numbers: Ints, vectors: Floats32) -> tuple[list[int], Iterator[Floats32]]:
    return numbers.tolist(), iter(vectors)
