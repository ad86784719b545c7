"""Whole-text comparison of texts with windows: incoming texts, and entries near them.

A search scores an entry by its best window, since a query asks for a part of it. Duplicates are different:
all windows of one text must match windows of the other, in order, as ``vectors/long_texts.py`` scores it.
That score is never above the best window's score for the first window of the incoming text. So a search for
the first windows misses nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain

import numpy as np
from numpy.typing import NDArray

from textkin.collection.collection_model import CollectionModel
from textkin.data.entry_records import EntryWindows
from textkin.data.protocols import Store
from textkin.data.records import Hit
from textkin.text.baselines.mean_pooling import unit_rows
from textkin.vectors.long_texts import Windows, rescored

_AT_ONCE = 2048  # hits whose windows are held in memory


def text_windows(model: CollectionModel, texts: Sequence[str]) -> list[EntryWindows]:
    """The vectors of texts, in windows if the collection has them."""
    if model.parts is None:
        return [EntryWindows(row[None]) for row in np.asarray(model.encode(texts), dtype=np.float32)]
    parted = model.parts(texts)
    pieces = [text[start:end] for text, spans in zip(texts, parted, strict=True) for start, end in spans]
    vectors = np.asarray(model.encode(pieces), dtype=np.float32)
    ends = np.cumsum([len(spans) for spans in parted])
    return [
        EntryWindows(own, tuple(spans) if len(spans) > 1 else ())
        for own, spans in zip(np.split(vectors, ends[:-1]), parted, strict=True)
    ]


def first_vectors(texts: Sequence[EntryWindows]) -> NDArray[np.float32]:
    """The vectors of the first windows. Shape [texts, dim]."""
    return np.stack([one.vectors[0] for one in texts])


def joined_windows(texts: Sequence[EntryWindows]) -> Windows:
    """The windows of texts, ready for comparison."""
    counts = np.array([len(one.vectors) - 1 for one in texts], dtype=np.int64)
    ends = np.cumsum(counts)
    further = np.concatenate([one.vectors[1:] for one in texts])
    return Windows(first_vectors(texts), further, ends - counts, ends)


def compared(store: Store, texts: Sequence[EntryWindows], hits: Sequence[Sequence[Hit]]) -> list[list[Hit]]:
    """Hits of a search for first windows, rescored as whole texts and sorted.

    Call this in the transaction of the search.

    Args:
        store: the collection, which has windows.
        texts: the texts of the search.
        hits: the hits of each text.
    """
    found: list[list[Hit]] = []
    height = max(_AT_ONCE // max([1, *map(len, hits)]), 1)
    for start in range(0, len(texts), height):
        part = hits[start : start + height]
        there = store.windows([hit.doc_id for row in part for hit in row])
        if not there:
            found += [[] for _ in part]
            continue
        number = {name: place for place, name in enumerate(there)}
        a = np.repeat(np.arange(len(part)), [len(row) for row in part])
        b = np.array([number[hit.doc_id] for row in part for hit in row], dtype=np.int64)
        scores = np.array([hit.score for row in part for hit in row], dtype=np.float32)
        own, others = joined_windows(texts[start : start + height]), joined_windows(list(there.values()))
        exact = iter(rescored(scores, own, others, a, b).tolist())
        found += [[Hit(hit.doc_id, next(exact)) for hit in row] for row in part]
    return found


def alike(texts: Sequence[EntryWindows], cosines: NDArray[np.float32], floor: float) -> NDArray[np.float32]:
    """Cosines of first windows as whole-text scores; minus infinity below a floor.

    Args:
        texts: the texts whose first windows have these cosines. Shape [texts, texts].
        cosines: the cosines of the first windows.
        floor: pairs of texts in windows that score less are dropped.
    """
    if all(len(one.vectors) == 1 for one in texts):
        return cosines
    several = np.array([len(one.vectors) > 1 for one in texts])
    either = several[:, None] | several[None, :]
    a, b = np.nonzero(np.triu(either & (cosines >= floor), 1))
    windows, found = joined_windows(texts), np.where(either, np.float32(-np.inf), cosines)
    found[a, b] = found[b, a] = rescored(cosines[a, b], windows, windows, a, b)
    return found


def deciding(text: str, own: EntryWindows, other: str, others: EntryWindows, score: float) -> tuple[str, str]:
    """The windows of two texts whose cosine is their score: the least similar aligned ones."""
    units = unit_rows(own.vectors).astype(np.float64), unit_rows(others.vectors).astype(np.float64)
    off = np.abs(units[0] @ units[1].T - score)
    one, two = divmod(int(np.argmin(off)), off.shape[1])
    return pieces_of(text, own)[one], pieces_of(other, others)[two]


def by_piece(texts: Sequence[str], windows: Sequence[EntryWindows]) -> dict[str, NDArray[np.float32]]:
    """The vectors of the windows of texts, by window text."""
    return {
        piece: vector
        for piece, vector in chain.from_iterable(
            zip(pieces_of(text, one), one.vectors, strict=True)
            for text, one in zip(texts, windows, strict=True)
        )
    }


def pieces_of(text: str, windows: EntryWindows) -> list[str]:
    """The texts of a text's windows."""
    return [text[start:end] for start, end in windows.spans] or [text]
