"""Simulated incoming texts: entries of a collection, each with its nearest other entry."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import final

import numpy as np
from numpy.typing import NDArray

from textkin.base.errors import DataError
from textkin.base.progress import progress
from textkin.collection.collection_model import CollectionModel
from textkin.collection.match.match_rules import GIVE_RATE, BaseRate
from textkin.collection.match.nearest_entries import compared, first_vectors, text_windows
from textkin.data.entry_records import Entry
from textkin.data.protocols import Store
from textkin.data.ranking import best_first
from textkin.measures.decisions.base_rate import rate_interval
from textkin.measures.decisions.incoming_texts import Arrivals
from textkin.measures.intervals.bootstrap import Interval
from textkin.vectors.groups.guards import checks

_AT_ONCE = 512
_LOOKED_AT = 32  # entries for each text
_FOR_RATE = 2_000  # entries for the base rate


def base_rate_of(
    store: Store, model: CollectionModel, arrivals: Arrivals, *, guards: Sequence[str], seed: int = 0
) -> BaseRate:
    """The fraction of entries with a duplicate in the collection, estimated without labels.

    It is estimated from the similarities of sampled entries to their nearest neighbours.

    Args:
        store: the collection.
        model: its model.
        arrivals: the score distributions of duplicates and of others.
        guards: the guards to apply.
        seed: the sampling seed.

    Raises:
        DataError: the estimate is at the edge of its range, or there is no entry.
    """
    found = nearest_scores(store, model, guards=guards, seed=seed)
    if not len(found):
        raise DataError("the collection has no entry that tells the base rate", fix=GIVE_RATE)
    curve = arrivals.curve
    rate = Interval(*rate_interval(curve.has_duplicate(found), before=curve.rate, seed=seed), len(found))
    return BaseRate.estimated(rate, len(found))


def nearest_scores(
    store: Store, model: CollectionModel, *, guards: Sequence[str], seed: int = 0
) -> NDArray[np.float32]:
    """Scores of sampled entries with their nearest unblocked neighbour. Shape [entries]."""
    with store.reading():
        ids = [one.entry_id for one in store.entries()]
        chosen = np.random.default_rng(seed).permutation(len(ids))[:_FOR_RATE]
        sampled = [ids[place] for place in np.sort(chosen).tolist()]
        found = Rehearsal(store, model, guards).nearest(sampled, None, {})
    return np.array([one.score for one in found], dtype=np.float32)


@final
@dataclass(frozen=True, slots=True)
class Met:
    """An entry acting as an incoming text, and the entry that it met."""

    entry_id: str
    score: float = -np.inf
    right: bool = False
    labelled: bool = True


@final
class Rehearsal:
    """Finds the nearest unblocked neighbour of entries of the collection itself."""

    def __init__(self, store: Store, model: CollectionModel, guards: Sequence[str]) -> None:
        self._store, self._model, self._guards = store, model, guards

    def nearest(
        self, ids: Sequence[str], group_of: Mapping[str, str] | None, stays: Mapping[str, str | None]
    ) -> list[Met]:
        """The nearest neighbour of each entry.

        Args:
            ids: ids of entries.
            group_of: the group of each entry that has one; None to ignore groups.
            stays: the only other entry of its group that each of them can meet.
        """
        met: list[Met] = []
        with progress("finding nearest entries", total=len(ids)) as shown:
            for start in range(0, len(ids), _AT_ONCE):
                part = self._store.rows(ids[start : start + _AT_ONCE])
                met += self._part(part, group_of, stays)
                shown.advance(len(part))
        return met

    def _part(
        self, entries: Sequence[Entry], group_of: Mapping[str, str] | None, stays: Mapping[str, str | None]
    ) -> list[Met]:
        windows = text_windows(self._model, [one.text for one in entries])
        hits = self._store.nearest(first_vectors(windows), _LOOKED_AT + 1)
        if self._model.parts is not None:
            hits = [best_first(row) for row in compared(self._store, windows, hits)]
        there = {
            one.entry_id: one for one in self._store.rows(list({hit.doc_id for row in hits for hit in row}))
        }
        pairs: list[tuple[int, str, float]] = []
        for place, (entry, row) in enumerate(zip(entries, hits, strict=True)):
            group = None if group_of is None else group_of.get(entry.entry_id)
            for hit in row:
                mate = group is not None and group_of is not None and group_of.get(hit.doc_id) == group
                overlooked = mate and hit.doc_id != stays.get(entry.entry_id)
                if hit.doc_id != entry.entry_id and not overlooked:
                    pairs.append((place, hit.doc_id, hit.score))
        passed = self._passed(entries, pairs, there)
        met: dict[int, Met] = {}
        for (place, name, score), fine in zip(pairs, passed.tolist(), strict=True):
            if fine and place not in met:
                own, labelled = entries[place].entry_id, group_of is None or name in group_of
                met[place] = Met(own, score, right=stays.get(own) == name, labelled=labelled)
        return [met.get(place, Met(entry.entry_id)) for place, entry in enumerate(entries)]

    def _passed(
        self, entries: Sequence[Entry], pairs: Sequence[tuple[int, str, float]], there: Mapping[str, Entry]
    ) -> NDArray[np.bool_]:
        texts = [one.text for one in entries] + [one.text for one in there.values()]
        number = {name: len(entries) + place for place, name in enumerate(there)}
        a = np.array([place for place, _, _ in pairs], dtype=np.int64)
        b = np.array([number[name] for _, name, _ in pairs], dtype=np.int64)
        return checks(texts, self._guards)(a, b)
