"""The kept entries nearest to texts, by windows, and guards that block links."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain

import numpy as np

from textkin.base.arrays import Floats32
from textkin.collection.collection_model import CollectionModel
from textkin.collection.store.collection_store import CollectionStore
from textkin.data.entry_records import Entry, EntryWindows
from textkin.data.records import Hit
from textkin.text.baselines.mean_pooling import unit_rows
from textkin.vectors.groups.guards import checks
from textkin.vectors.join.prepared_rows import by_cosine
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


def first_vectors(texts: Sequence[EntryWindows]) -> Floats32:
    """The vectors of the first windows. Shape [texts, dim]."""
    return np.stack([one.vectors[0] for one in texts])


def joined_windows(texts: Sequence[EntryWindows]) -> Windows:
    """The windows of texts, ready for comparison."""
    counts = np.array([len(one.vectors) - 1 for one in texts], dtype=np.int64)
    ends = np.cumsum(counts)
    further = np.concatenate([one.vectors[1:] for one in texts])
    return Windows(first_vectors(texts), further, ends - counts, ends)


def compared(
    store: CollectionStore, texts: Sequence[EntryWindows], hits: Sequence[Sequence[Hit]]
) -> list[list[Hit]]:
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


def cosines_among(texts: Sequence[EntryWindows]) -> Floats32:
    """The cosines of the first windows of texts, as exact as those of a search. Shape [texts, texts]."""
    rows = by_cosine(first_vectors(texts))
    exact = rows.values.astype(np.float64)
    lengths = np.sqrt(rows.squares[:, None] * rows.squares[None, :])
    found = np.zeros(lengths.shape, dtype=np.float32)
    np.divide(exact @ exact.T, lengths, out=found, where=lengths > 0)
    return found


def alike(texts: Sequence[EntryWindows], cosines: Floats32, floor: float) -> Floats32:
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


def by_piece(texts: Sequence[str], windows: Sequence[EntryWindows]) -> dict[str, Floats32]:
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


LINK = "duplicate_of"
"""The metadata field of a linked entry: the id of the kept one."""

_FIRST = 16  # entries searched for each text; more if none of them can be linked to
_MORE = 4
ROUNDING = 1e-6  # of scores


@dataclass(frozen=True, slots=True)
class Near:
    """An entry near a text; ``guards`` are those that block the pair."""

    entry: Entry
    score: float
    guards: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Linkable:
    """The link candidates of a text: the nearest one that no guard blocks, and the nearest blocked one.

    The blocked one is known where it is nearer, or where all are blocked.
    """

    allowed: Near | None = None
    forbidden: Near | None = None

    def with_more(self, nearer: Iterable[Near]) -> Linkable:
        """The same with further entries, nearer than the allowed one, and most similar first.

        None is taken beyond the first that no guard blocks.
        """
        forbidden = self.forbidden
        for one in nearer:
            if not one.guards:
                return Linkable(one, forbidden)
            if forbidden is None or one.score > forbidden.score:
                forbidden = one
        return Linkable(self.allowed, forbidden)


def nearer(
    entries: Sequence[Entry], scores: Floats32, floor: float, allowed: Near | None
) -> list[tuple[int, float]]:
    """The numbers and scores of entries nearer than the allowed one, in the order of a search.

    Below the floor, there are as many as a search asks at first.

    Args:
        entries: the entries.
        scores: the score of each, minus infinity for one that may not be found. Shape [entries].
        floor: all from this score on may be linked to.
        allowed: the nearest entry so far.
    """
    least = (-np.inf, b"") if allowed is None else (allowed.score, allowed.entry.entry_id.encode())
    near = np.flatnonzero(np.isfinite(scores) & (scores >= least[0])).tolist()
    ranked = [((float(scores[one]), entries[one].entry_id.encode()), one) for one in near]
    count = max(_FIRST, int((scores >= floor).sum()))
    return [(one, key[0]) for key, one in sorted(ranked, reverse=True)[:count] if key > least]


class NearestKept:
    """Finds link candidates for texts among the kept entries of a collection.

    Args:
        store: the collection.
        guards: the guards that block links.
        floor: entries that score less can be neither linked nor asked about.
        windowed: True if the collection has windows.
        themselves: False to leave out the entry with a text's own id.
    """

    def __init__(
        self,
        store: CollectionStore,
        guards: Sequence[str],
        floor: float,
        *,
        windowed: bool = False,
        themselves: bool = True,
    ) -> None:
        self._store, self._guards, self._floor = store, guards, floor
        self._windowed, self._themselves = windowed, themselves

    def of(self, entries: Sequence[Entry], windows: Sequence[EntryWindows]) -> list[Linkable]:
        """The candidates of each text. The search widens until one can be linked to, or none can.

        Args:
            entries: the texts.
            windows: the vectors of each text.
        """
        found: list[Linkable] = [Linkable()] * len(entries)
        left, k = list(range(len(entries))), _FIRST
        while left:
            own = [windows[place] for place in left]
            hits = self._store.nearest(first_vectors(own), k)
            near = self._kept(compared(self._store, own, hits) if self._windowed else hits)
            others = (
                [hit for hit in row if self._themselves or hit.entry.entry_id != entries[place].entry_id]
                for place, row in zip(left, near, strict=True)
            )
            for place, one in self._judged(entries, dict(zip(left, others, strict=True))):
                found[place] = one
            left = [
                place
                for place, row in zip(left, hits, strict=True)
                if len(row) == k and self._may_follow(found[place], row[-1].score)
            ]
            k *= _MORE
        return found

    def _judged(
        self, entries: Sequence[Entry], near: dict[int, list[Near]]
    ) -> Iterator[tuple[int, Linkable]]:
        """The candidates of texts: guards cost most, and none is asked beyond the first allowed entry."""
        waiting = {place: sorted(row, key=lambda one: -one.score) for place, row in near.items()}
        found = dict.fromkeys(near, Linkable())
        while waiting := {place: row for place, row in waiting.items() if row}:
            judged = guarded([(entries[place], row[0]) for place, row in waiting.items()], self._guards)
            for (place, row), one in zip(list(waiting.items()), judged, strict=True):
                first = found[place].forbidden or one
                found[place] = Linkable(None, first) if one.guards else Linkable(one, found[place].forbidden)
                waiting[place] = row[1:] if one.guards else []
        yield from found.items()

    def _may_follow(self, found: Linkable, last: float) -> bool:
        """True if an unsearched entry may be nearer, or none was kept; none scores more than the last one."""
        if found.allowed is None and found.forbidden is None:
            return True
        return last >= self._floor - ROUNDING and (found.allowed is None or last > found.allowed.score)

    def _kept(self, hits: Sequence[Sequence[Hit]]) -> list[list[Near]]:
        """The hits that aren't linked to another entry."""
        ids = list(dict.fromkeys(hit.doc_id for row in hits for hit in row))
        there = {one.entry_id: one for one in self._store.rows(ids)}
        kept = there.keys() - linked(self._store, there.values())
        return [[Near(there[hit.doc_id], hit.score) for hit in row if hit.doc_id in kept] for row in hits]


def linked(store: CollectionStore, entries: Iterable[Entry]) -> set[str]:
    """The ids of the entries that are linked to another one.

    A link ends when the other entry is removed, or gets another text, which makes it the younger one.
    """
    links = {one.entry_id: str(one.metadata[LINK]) for one in entries if LINK in one.metadata}
    ages = store.ages(list({*links, *links.values()}))
    return {name for name, target in links.items() if target in ages and ages[target] < ages[name]}


class Blocking:
    """The guards that block pairs of texts. What they read of a text is kept.

    Args:
        texts: the texts; pairs refer to them by number.
        guards: the guards.
    """

    def __init__(self, texts: Sequence[str], guards: Sequence[str]) -> None:
        self._checks = {name: checks(texts, [name]) for name in guards}

    def guards(self, a: Sequence[int], b: Sequence[int]) -> list[tuple[str, ...]]:
        """The names of the guards that block each pair."""
        passed = {
            name: check(np.array(a, np.int64), np.array(b, np.int64)) for name, check in self._checks.items()
        }
        return [tuple(name for name, fine in passed.items() if not fine[place]) for place in range(len(a))]


def guarded(pairs: Sequence[tuple[Entry, Near]], guards: Sequence[str]) -> list[Near]:
    """Pairs of texts with the guards that block them."""
    numbers: dict[str, int] = {}
    for entry, near in pairs:
        for text in (entry.text, near.entry.text):
            numbers.setdefault(text, len(numbers))
    a = [numbers[entry.text] for entry, _ in pairs]
    b = [numbers[near.entry.text] for _, near in pairs]
    blocked = Blocking(list(numbers), guards).guards(a, b)
    return [replace(near, guards=own) for (_, near), own in zip(pairs, blocked, strict=True)]
