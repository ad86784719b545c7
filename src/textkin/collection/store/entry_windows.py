"""The vectors of single entries, and their window positions."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from textkin.collection.store.address import Place
from textkin.collection.store.back_end import WINDOWED, Which
from textkin.collection.store.facts import damaged
from textkin.collection.store.rows import stored_spans, stored_vector
from textkin.collection.store.segment import RowSource
from textkin.data.entry_records import EntryWindows, Window


def stored_windows(
    path: Place, row: Sequence[Any], dim: int, *, windowed: bool
) -> tuple[bytes, tuple[Window, ...]]:
    """The bytes of a text's vectors, and its window positions; none if it has one vector.

    Raises:
        DataError: they are corrupt.
    """
    number, vector, checksum, where, of_spans = row  # the columns WINDOWED
    vectors = stored_vector(path, number, vector, checksum, dim, windowed=windowed)
    spans = () if where is None else stored_spans(path, number, where, of_spans)
    if len(vectors) != 4 * dim * (len(spans) or 1):
        raise damaged(path, f"the windows of row {number} are not those of its vectors")
    return vectors, spans


def windows_by_id(source: RowSource, ids: Sequence[str]) -> dict[str, EntryWindows]:
    """The vectors of existing entries, by id.

    Args:
        source: the rows, in a transaction.
        ids: ids of entries.

    Raises:
        DataError: one is corrupt.
    """
    windowed, path, dim = source.windowed, source.path, source.dim
    which = Which(ids=list(dict.fromkeys(ids)))
    found = {}
    for name, *row in source.back_end.rows(which, ("entry_id", *WINDOWED)):
        vectors, spans = stored_windows(path, row, dim, windowed=windowed)
        found[str(name)] = EntryWindows(np.frombuffer(vectors, dtype="<f4").reshape(-1, dim), spans)
    return found
