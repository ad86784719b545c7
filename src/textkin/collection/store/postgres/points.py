"""A collection's vectors in pgvector's type, for its index, next to the stored ones."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from textkin.base.errors import OutputError, inapplicable, invalid
from textkin.collection.store.postgres.database import PostgresDatabase
from textkin.collection.store.stored_vectors import Members

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


def nearest_points(
    database: PostgresDatabase, query: NDArray[np.float32], probe: int, only: NDArray[np.int64] | None
) -> list[int]:
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


def _lists(
    numbers: NDArray[np.int64], vectors: NDArray[np.float32]
) -> tuple[list[int], Iterator[NDArray[np.float32]]]:
    return numbers.tolist(), iter(vectors)


def _missing(database: PostgresDatabase, fix: str) -> OutputError:
    return OutputError(f"{database.place} has no pgvector, which approximate searches need", fix=fix)
