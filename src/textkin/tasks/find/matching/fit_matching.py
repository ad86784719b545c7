"""Fit to labels what a collection calls a duplicate.

The best labels are of the collection itself: of each sampled entry the group is known, and it plays a text
that comes, with one other entry of its group in the collection, or none. Labelled pairs serve, too, as far as
they are like a text and its nearest entry.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import final

import numpy as np
from numpy.typing import NDArray

from textkin.collection_records import Entry
from textkin.decision.arrivals import Arrivals
from textkin.decision.base_rate import rate_interval
from textkin.errors import DataError, UsageError
from textkin.groups.guards import STANDARD, checks
from textkin.progress import progress
from textkin.protocols import Store
from textkin.ranking import best_first
from textkin.records import PairSet
from textkin.scorers.pooling import unit_rows
from textkin.splits.components import text_graph
from textkin.stats.interval import Interval
from textkin.stats.share import clustered_share
from textkin.tasks.find.matching.match_rules import FACT, MatchLabels
from textkin.tasks.find.matching.text_windows import compared, first_vectors, joined_windows, text_windows
from textkin.tasks.find.model import CollectionModel
from textkin.vectors.long_texts import rescored

_AT_ONCE = 512
_LOOKED_AT = 32  # entries for each text
_MOST = 20_000  # entries that play a text that comes
_FOR_RATE = 2_000  # entries that tell the base rate


def fit_matching(
    store: Store,
    model: CollectionModel,
    *,
    pairs: PairSet | None = None,
    groups: str | None = None,
    guards: Sequence[str] = STANDARD,
    seed: int = 0,
) -> MatchLabels:
    """Learn from pairs or groups what is a duplicate, and keep it in the collection.

    Raises:
        UsageError: both are given, or none, or there is no such guard.
        DataError: the labels are of one kind only.
        OutputError: another process is writing.
    """
    entries, change = len(store), store.counter()
    if groups is not None and pairs is None:
        found = labels_of_groups(store, model, groups, guards=guards, seed=seed)
    elif pairs is not None and groups is None:
        found = labels_of_pairs(store, model, pairs, guards=guards, seed=seed)
    else:
        raise UsageError("labels come from pairs or from groups", fix="give one of the two")
    found = replace(found, entries=entries, change=change)
    store.note_fact(FACT, found.to_dict())
    return found


def labels_of_groups(
    store: Store, model: CollectionModel, field: str, *, guards: Sequence[str] = STANDARD, seed: int = 0
) -> MatchLabels:
    """Labels from a field of the metadata: entries with the same value say the same.

    Of a group with several entries, each that is sampled meets one other, drawn at random; the rest is
    overlooked. An entry that is alone in its group meets none. Where no entry is alone, half of the groups,
    drawn at random, are overlooked whole, and so their entries meet none.

    Args:
        store: the collection.
        model: its model.
        field: of the metadata.
        guards: those that will be applied.
        seed: of the sample, and of the entries that are met.

    Raises:
        DataError: fewer than two entries have the field, or the sample is of one kind.
        UsageError: there is no such guard.
    """
    checks([], guards)
    draws = np.random.default_rng(seed)
    with store.reading():
        group_of = {
            one.entry_id: str(one.metadata[field]) for one in store.entries() if field in one.metadata
        }
        if len(group_of) < 2:
            raise DataError(
                f"{len(group_of)} entries have the field {field!r}",
                fix="name a field of the metadata that tells which entries say the same",
            )
        members: dict[str, list[str]] = {}
        for name, group in group_of.items():
            members.setdefault(group, []).append(name)
        ids = list(group_of)
        chosen = draws.permutation(len(ids))[:_MOST]
        sampled = [ids[place] for place in np.sort(chosen).tolist()]
        gone = _overlooked(members, draws)
        stays = {
            name: None if group_of[name] in gone else _another(name, members[group_of[name]], draws)
            for name in sampled
        }
        found = _Rehearsal(store, model, guards).nearest(sampled, group_of, stays)
        is_complete = len(group_of) == len(store)
    labelled = [one for one in found if one.labelled]
    numbers = {group: number for number, group in enumerate(members)}
    arrivals = Arrivals(
        scores=np.array([one.score for one in labelled], dtype=np.float32),
        right=np.array([one.right for one in labelled], dtype=bool),
        known=np.array([stays[one.entry_id] is not None for one in labelled], dtype=bool),
        clusters=np.array([numbers[group_of[one.entry_id]] for one in labelled], dtype=np.int64),
    )
    source = f"the field {field} of {len(group_of):,} entries, {len(labelled):,} of them sampled"
    rate: Interval | None = None
    if is_complete:  # else the duplicate of an entry may be one without the field
        rate = clustered_share(
            np.array([len(members[group_of[name]]) > 1 for name in sampled]),
            np.array([numbers[group_of[name]] for name in sampled]),
        )
    if rate is not None:  # a sample shows neither that none will have a duplicate, nor that all will
        least = 1 / (len(sampled) + 2)
        rate = replace(rate, value=min(max(rate.value, least), 1 - least), n=len(sampled))
    rate = rate or base_rate_of(store, model, arrivals, guards=guards, seed=seed)
    return MatchLabels(arrivals, source, tuple(guards), rate, len(found) - len(labelled))


def labels_of_pairs(
    store: Store,
    model: CollectionModel,
    data: PairSet,
    *,
    guards: Sequence[str] = STANDARD,
    seed: int = 0,
) -> MatchLabels:
    """Labels from pairs: the first text of a pair comes, and the second is the entry nearest to it.

    Args:
        store: the collection, whose base rate is estimated.
        model: its model.
        data: pairs, some of which say the same.
        guards: those that will be applied.
        seed: of the sample that tells the base rate.

    Raises:
        DataError: pairs are of one kind, or a label is neither 0 nor 1.
        UsageError: there is no such guard.
    """
    graph = text_graph(data, quiet=True)
    clusters = graph.components(pairs=np.ones(len(data), dtype=bool), ids=True)[graph.a]
    texts = list(dict.fromkeys(text for pair in data for text in (pair.a, pair.b)))
    number = {text: place for place, text in enumerate(texts)}
    windows = text_windows(model, texts)
    unit = unit_rows(first_vectors(windows))
    a, b = (np.array([number[getattr(pair, side)] for pair in data]) for side in ("a", "b"))
    cosines = np.einsum("nd,nd->n", unit[a], unit[b])
    whole = joined_windows(windows)
    scores = rescored(cosines, whole, whole, a, b)
    scores = np.where(checks(texts, guards)(a, b), scores, -np.inf).astype(np.float32)
    labels = np.asarray(data.labels)
    if not np.isin(labels, (0, 1)).all():
        raise DataError("labels other than 0 and 1", fix="give pairs that say the same or not")
    same = labels == 1
    arrivals = Arrivals(scores=scores, right=same, known=same, clusters=clusters)
    rate = base_rate_of(store, model, arrivals, guards=guards, seed=seed)
    return MatchLabels(arrivals, f"{len(data):,} pairs of {data.name}", tuple(guards), rate)


def base_rate_of(
    store: Store, model: CollectionModel, arrivals: Arrivals, *, guards: Sequence[str], seed: int = 0
) -> Interval:
    """The share of entries that have a duplicate in the collection, without labels of theirs.

    It is estimated from how similar a sample of entries is to the nearest other one.

    Args:
        store: the collection.
        model: its model.
        arrivals: tells how similar duplicates are, and others.
        guards: those that will be applied.
        seed: of the sample.
    """
    with store.reading():
        ids = [one.entry_id for one in store.entries()]
        chosen = np.random.default_rng(seed).permutation(len(ids))[:_FOR_RATE]
        sampled = [ids[place] for place in np.sort(chosen).tolist()]
        found = _Rehearsal(store, model, guards).nearest(sampled, None, {})
    if not found:
        return Interval(arrivals.rate, 0.0, 1.0, 0)
    curve = arrivals.curve
    likely = curve.has_duplicate(np.array([one.score for one in found], dtype=np.float32))
    return Interval(*rate_interval(likely, before=curve.rate, seed=seed), len(found))


@final
@dataclass(frozen=True, slots=True)
class _Met:
    """An entry that plays a text that comes, and what it met."""

    entry_id: str
    score: float = -np.inf
    right: bool = False
    labelled: bool = True


@final
class _Rehearsal:
    """Finds the nearest entry that no guard forbids, of entries of the collection itself."""

    def __init__(self, store: Store, model: CollectionModel, guards: Sequence[str]) -> None:
        self._store, self._model, self._guards = store, model, guards

    def nearest(
        self, ids: Sequence[str], group_of: Mapping[str, str] | None, stays: Mapping[str, str | None]
    ) -> list[_Met]:
        """Of each entry.

        Args:
            ids: of entries.
            group_of: the group of each entry that has one; None if groups don't matter.
            stays: the only other entry of its group that each of them can meet.
        """
        met: list[_Met] = []
        with progress("meeting the nearest entries", total=len(ids)) as shown:
            for start in range(0, len(ids), _AT_ONCE):
                part = self._store.rows(ids[start : start + _AT_ONCE])
                met += self._part(part, group_of, stays)
                shown.advance(len(part))
        return met

    def _part(
        self, entries: Sequence[Entry], group_of: Mapping[str, str] | None, stays: Mapping[str, str | None]
    ) -> list[_Met]:
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
        met: dict[int, _Met] = {}
        for (place, name, score), fine in zip(pairs, passed.tolist(), strict=True):
            if fine and place not in met:
                own, labelled = entries[place].entry_id, group_of is None or name in group_of
                met[place] = _Met(own, score, right=stays.get(own) == name, labelled=labelled)
        return [met.get(place, _Met(entry.entry_id)) for place, entry in enumerate(entries)]

    def _passed(
        self, entries: Sequence[Entry], pairs: Sequence[tuple[int, str, float]], there: Mapping[str, Entry]
    ) -> NDArray[np.bool_]:
        texts = [one.text for one in entries] + [one.text for one in there.values()]
        number = {name: len(entries) + place for place, name in enumerate(there)}
        a = np.array([place for place, _, _ in pairs], dtype=np.int64)
        b = np.array([number[name] for _, name, _ in pairs], dtype=np.int64)
        return checks(texts, self._guards)(a, b)


def _overlooked(members: Mapping[str, Sequence[str]], draws: np.random.Generator) -> frozenset[str]:
    """Groups whose entries play texts that nobody has said before, where no entry is alone in its group."""
    if any(len(names) == 1 for names in members.values()):
        return frozenset()
    groups = list(members)
    return frozenset(groups[one] for one in draws.permutation(len(groups))[: len(groups) // 2].tolist())


def _another(name: str, members: Sequence[str], draws: np.random.Generator) -> str | None:
    others = [one for one in members if one != name]
    return others[int(draws.integers(len(others)))] if others else None
