"""Texts in memory as a collection: searched and matched exactly, gone with the process."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext
from functools import cached_property, partial
from pathlib import Path
from typing import Any, NoReturn, cast

import numpy as np
from numpy.typing import NDArray

from textkin.base.arrays import Floats32, Ints
from textkin.base.errors import inapplicable
from textkin.base.progress import track
from textkin.collection.collection import OpenCollection
from textkin.collection.collection_model import AnyEncoder
from textkin.collection.store.collection_store import CollectionStore
from textkin.data.bm25_parameters import BM25, Bm25Parameters
from textkin.data.entry_records import Added, Entry, EntryWindows, WindowsOf
from textkin.data.records import Hit
from textkin.text.baselines.analysers import PLAIN, analyser_of
from textkin.vectors.index.bm25_postings import (
    Postings,
    PostingsBuilder,
    Statistics,
    WordQueries,
    keys_of,
    room_for,
    word_shares,
    words_of,
)
from textkin.vectors.join.nearest import Searcher

_AT_ONCE = 1024
_NONE = np.empty(0, dtype=np.int64)
_KEEP = "add the texts to a collection: `add()`"


def collection_in_memory(entries: Sequence[Entry], model: AnyEncoder | None) -> OpenCollection:
    """An open collection of entries that is on no disk.

    Args:
        entries: entries with different ids.
        model: the encoder; the built-in one if None.

    Raises:
        ModelError: there is no such encoder.
    """
    # It has what searches and matches call, and nothing else of a collection in tables.
    opened = OpenCollection(cast("CollectionStore", TextStore()), model)
    opened.take(entries, quiet=True)
    return opened


class TextStore:
    """Entries in memory. A :class:`textkin.data.protocols.Store` without filters and windows.

    Texts are encoded when vectors are first needed, each different one once.
    """

    place = Path("texts")
    window = 0

    def __init__(self) -> None:
        self._entries: dict[str, Entry] = {}
        self._facts: dict[str, Any] = {}
        self._vectors: dict[str, Floats32] = {}
        self._vectors_of: Callable[[Sequence[str]], Floats32] | None = None

    def add(
        self,
        entries: Iterable[Entry],
        vectors_of: Callable[[Sequence[str]], Floats32],
        *,
        windows_of: WindowsOf | None = None,
        wait: float | None = None,
    ) -> Iterator[Added]:
        """Add entries, or replace those with the same ids."""
        self._vectors_of = vectors_of
        for one in entries:
            new = one.entry_id not in self._entries
            self._entries[one.entry_id] = one
            yield Added(given=1, new=int(new), changed=int(not new))
        vars(self).pop("_searcher", None)
        vars(self).pop("_postings", None)

    def remove(self, ids: Sequence[str] = (), *, where: str | None = None) -> int:
        """Raise an error: texts in memory are no collection to change.

        Raises:
            UsageError: always.
        """
        raise inapplicable("ids" if where is None else "where", to="texts in memory", fix=_KEEP)

    def counter(self) -> int:
        """The number of entries."""
        return len(self)

    def newer(self, change: int) -> int:
        """The number of entries that came after as many as ``change``."""
        return len(self) - change

    def reading(self) -> AbstractContextManager[None]:
        """A context that does nothing, since nobody else writes."""
        return nullcontext()

    def writing(self, wait: float | None = None) -> AbstractContextManager[None]:
        """A context that does nothing, since nobody else writes."""
        return nullcontext()

    def nearest(
        self, vectors: Floats32, k: int, *, where: str | None = None, probe: int | None = None
    ) -> list[list[Hit]]:
        """The ``k`` entries with the highest cosines to each vector, best first; ties by position."""
        _refuse(where)
        if not self._entries:
            return [[] for _ in vectors]
        found = self._searcher.nearest(vectors, min(k, len(self)))
        return self._hits(found.documents, found.scores)

    def words(
        self,
        queries: Sequence[str],
        k: int,
        *,
        where: str | None = None,
        among: Sequence[str] | None = None,
        bm25: Bm25Parameters = BM25,
    ) -> list[list[Hit]]:
        """The ``k`` best entries by BM25 for each query, best first, optionally among given ids."""
        _refuse(where)
        asked = WordQueries.of([words_of(query, self._analyser) for query in queries])
        postings, statistics = self._postings, self._statistics(asked.keys, bm25)
        allowed = None if among is None else np.isin(list(self._entries), list(among))
        terms, room = postings.terms(asked.keys), room_for(len(postings))
        return self._hits(*postings.best(asked, terms, statistics, k, room, allowed))

    def holders(self, query: str) -> list[int]:
        """The number of entries that contain each word of a query."""
        return list(self._statistics(keys_of(words_of(query, self._analyser))).holders.tolist())

    def word_shares(
        self, query: str, texts: Sequence[str], bm25: Bm25Parameters = BM25
    ) -> list[list[tuple[str, float]]]:
        """The contribution of each query word to the BM25 score of each text; their sum is the score."""
        return word_shares(query, texts, self._analyser, partial(self._statistics, bm25=bm25))

    def rows(self, ids: Sequence[str]) -> list[Entry]:
        """The existing entries with the given ids, in order."""
        return [self._entries[one] for one in ids if one in self._entries]

    def windows(self, ids: Sequence[str]) -> dict[str, EntryWindows]:
        """The vector of each existing entry with one of the given ids."""
        vectors = self._encoded()
        return {one.entry_id: EntryWindows(vectors[one.text][None]) for one in self.rows(ids)}

    def entries(self, *, where: str | None = None) -> Iterator[Entry]:
        """All entries."""
        _refuse(where)
        return iter(self._entries.values())

    def filter_notes(self, where: str) -> tuple[()]:
        """Raise an error: there are no metadata.

        Raises:
            UsageError: always.
        """
        _refuse(where)
        return ()

    def fact(self, name: str) -> Any:
        """The value under a name; None if there is none."""
        return self._facts.get(name)

    def note_fact(self, name: str, value: Any) -> None:
        """Keep a value under a name."""
        self._facts[name] = value

    @property
    def cells(self) -> NoReturn:
        """Raise an error: searches are exact.

        Raises:
            UsageError: always.
        """
        raise inapplicable("probe", to="texts in memory", fix=_KEEP)

    def catch_up(self) -> None:
        """Do nothing: there is no other process."""

    def close(self) -> None:
        """Do nothing: no file is open."""

    def __len__(self) -> int:
        return len(self._entries)

    @cached_property
    def _analyser(self) -> Any:
        return analyser_of(PLAIN)

    @cached_property
    def _postings(self) -> Postings:
        builder = PostingsBuilder(self._analyser)
        builder.add(one.text for one in self._entries.values())
        return builder.built(np.arange(len(self)))

    @cached_property
    def _searcher(self) -> Searcher:
        vectors = self._encoded()
        return Searcher(np.stack([vectors[one.text] for one in self._entries.values()]), cosine=True)

    def _statistics(self, keys: NDArray[np.uint64], bm25: Bm25Parameters = BM25) -> Statistics:
        held = self._postings.holders(self._postings.terms(keys), _NONE)
        return Statistics(len(self), int(self._postings.lengths.sum(dtype=np.int64)), held, bm25)

    def _encoded(self) -> dict[str, Floats32]:
        """The vector of each text."""
        known, encode = self._vectors, self._vectors_of
        new = [
            text for text in dict.fromkeys(one.text for one in self._entries.values()) if text not in known
        ]
        if encode is None or not new:
            return known
        starts = range(0, len(new), _AT_ONCE)
        for start in track(starts, title="encoding", total=len(starts)):
            part = new[start : start + _AT_ONCE]
            known.update(zip(part, np.asarray(encode(part), dtype=np.float32), strict=True))
        return known

    def _hits(self, documents: Ints, scores: Floats32) -> list[list[Hit]]:
        names = list(self._entries)
        return [
            [Hit(names[place], score) for place, score in zip(row, own, strict=True) if place >= 0]
            for row, own in zip(documents.tolist(), scores.tolist(), strict=True)
        ]


def _refuse(where: str | None) -> None:
    """Refuse a filter, since there are no metadata.

    Raises:
        UsageError: one was given.
    """
    if where is not None:
        raise inapplicable("where", to="texts in memory", fix=_KEEP)
