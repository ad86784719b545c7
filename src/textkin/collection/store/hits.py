"""From rows found by a view to ids: the best by the tie rule, each row checked."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from textkin.collection.store.database import Database, damaged
from textkin.collection.store.filters import parse_where
from textkin.collection.store.rows import TEXT_COLUMNS, StoredText, selected, stored_text
from textkin.collection.store.view import Found
from textkin.data.ranking import best_first
from textkin.data.records import Hit

_OF_IDS = "SELECT number FROM texts WHERE id IN ({})"


def numbers_where(
    database: Database, where: str | None, among: Sequence[str] | None = None
) -> NDArray[np.int64] | None:
    """The row numbers matching a filter, of all or some ids; None without either.

    Raises:
        UsageError: it can't be parsed.
    """
    if where is None and among is None:
        return None
    found = None if among is None else [row[0] for row in selected(database, _OF_IDS, among)]
    if where is not None:
        asked = parse_where(where, database.filters)
        rows = database.execute(f"SELECT number FROM texts WHERE {asked.sql}", asked.values)
        kept = [row[0] for row in rows]
        found = kept if found is None else sorted(set(found) & set(kept))
    return np.array(found, dtype=np.int64)


def hits_of(database: Database, found: Sequence[Found], k: int) -> list[list[Hit]]:
    """The best hits of all segments for each query.

    Raises:
        DataError: a row is missing or corrupt.
    """
    best = [_best(one, k) for one in found]
    numbers = sorted({number for one in best for number in one.numbers.tolist()})
    ids = {one.number: one.entry_id for one in _texts(database, numbers)}
    return [
        best_first([Hit(ids[number], score) for number, score in zip(*pairs, strict=True)])[:k]
        for one in best
        for pairs in [(one.numbers.tolist(), one.scores.tolist())]
    ]


def _best(found: Found, k: int) -> Found:
    """The ``k`` best, and those tied with the last."""
    numbers, scores = found.numbers, found.scores
    if len(scores) <= k:
        return found
    kept = scores >= np.partition(scores, len(scores) - k)[len(scores) - k]
    return Found(numbers[kept], scores[kept])


def _texts(database: Database, numbers: Sequence[int]) -> list[StoredText]:
    statement = f"SELECT {TEXT_COLUMNS} FROM texts WHERE number IN ({{}})"
    found = [stored_text(database.place, row) for row in selected(database, statement, numbers)]
    if len(found) != len(numbers):
        raise damaged(database.place, "rows that were found are not there")
    return found
