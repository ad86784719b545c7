"""Changes to a collection: each batch is one change of the back end, durable when reported.

Several writers may add at once if the back end allows it: a batch is planned and encoded before it is
written, and planned again if the collection has changed since.
"""

import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice

from textkin.base.arrays import Floats32
from textkin.base.errors import UsageError
from textkin.base.python_inputs import texts_of
from textkin.collection.store import rows as stored
from textkin.collection.store.back_end import (
    WINDOWED,
    BackEnd,
    Change,
    Retold,
    State,
    StoredRow,
    Which,
    moment,
)
from textkin.collection.store.entry_windows import stored_windows
from textkin.collection.store.facts import WINDOWS, collection_of, fact, fact_texts, state_of
from textkin.collection.store.filter_notes import unknown_names
from textkin.collection.store.filters import EXISTS, Where
from textkin.data.entry_records import Added, Entry, Window, WindowsOf

BATCH = 8192
"""The maximum number of entries that become durable together."""

_FIRST, _FIRST_WINDOWED = 256, 64
_SHORT, _LONG = 1.0, 4.0  # seconds; the batch size is adapted to stay between these

VectorsOf = Callable[[Sequence[str]], Floats32]
"""Encodes texts, or their windows, one vector each."""


@dataclass(frozen=True, slots=True)
class _Vectors:
    """The stored vectors of a text; ``spans`` are its window positions, none for one vector."""

    vectors: bytes
    spans: tuple[Window, ...] = ()


@dataclass(frozen=True, slots=True)
class _Encoded:
    """The vectors and keys of texts, and the number of texts encoded and their windows."""

    of_texts: dict[str, _Vectors] = field(default_factory=dict)
    keys: dict[str, int] = field(default_factory=dict)
    texts: int = 0
    windows: int = 0


@dataclass(frozen=True, slots=True)
class _Plan:
    """The planned changes: new rows, rows with new metadata, and numbers of rows to remove.

    Attributes:
        fresh: the new rows.
        retold: the rows with new metadata.
        replaced: the numbers of the rows to remove.
        known: by id, the text and metadata of the rows that were there.
    """

    fresh: list[stored.StoredText]
    retold: list[Retold]
    replaced: list[int]
    known: Mapping[str, tuple[str, str]]

    @property
    def writes(self) -> bool:
        """True if there is anything to do."""
        return bool(self.fresh or self.retold)


class Writer:
    """Adds and removes entries; the collection's lock must be held.

    Args:
        back_end: the back end, which reads no moment.
        windows_of: splits texts into windows, if the collection has them.

    Raises:
        UsageError: it is missing although needed, or given although the collection has no windows.
    """

    def __init__(self, back_end: BackEnd, windows_of: WindowsOf | None = None) -> None:
        self._back_end = back_end
        self._windows_of = windows_of
        self._windowed = bool(fact(back_end, WINDOWS))

    def add(self, entries: Iterable[Entry], vectors_of: VectorsOf, *, batch: int = BATCH) -> Iterator[Added]:
        """Add entries, some thousands at a time; results appear once they are durable.

        Args:
            entries: may be endless.
            vectors_of: encodes the texts that are new here, or their windows.
            batch: the maximum number of entries at a time; fewer if encoding is slow, so that progress is
                visible, and kept when the call is interrupted.

        Raises:
            UsageError: the collection has windows and no splitter is given, or vice versa.
            DataError: an entry or a vector can't be stored; earlier batches are.
            OutputError: the disk is full; earlier batches are stored.
        """
        if self._windowed != (self._windows_of is not None):
            has = "windows" if self._windowed else "one vector for each text"
            raise UsageError(
                f"{collection_of(self._back_end.place)} has {has}, and texts come in another way",
                fix="add them by `add()`",
            )
        stream, size = iter(entries), min(_FIRST_WINDOWED if self._windowed else _FIRST, batch)
        nul = self._back_end.holds_nul
        while part := [stored.checked_entry(one, nul=nul) for one in islice(stream, size)]:
            start = time.monotonic()
            done = self._add(part, vectors_of)
            seconds = time.monotonic() - start
            yield done
            size = min(2 * size, batch) if seconds < _SHORT else size
            size = max(size // 2, 1) if seconds > _LONG else size

    def remove(self, ids: Sequence[str]) -> int:
        """Remove entries by id, and return their number.

        Raises:
            UsageError: an id isn't text.
        """
        which = Which(ids=list(dict.fromkeys(texts_of(list(ids), name="ids"))))
        return self._remove(lambda: self._numbers(which))

    def remove_where(self, where: Where) -> int:
        """Remove the entries whose metadata match a filter, and return their number.

        Raises:
            UsageError: they match since they lack a name that no entry has, such as a misspelt one.
        """

        def matching() -> list[int]:
            numbers = self._numbers(Which(where=where))
            denied = {one.name for one, is_denied in where.compared() if is_denied and one.sign != EXISTS}
            if numbers and (unknown := unknown_names(self._back_end, denied)):
                name = unknown[0] if unknown[0].isidentifier() else f"`{unknown[0]}`"
                raise UsageError(
                    f"no entry has the metadata {unknown[0]!r}, so that {len(numbers):,} entries match",
                    fix=f"see that the name is right, or say what is meant: not {name} exists",
                    params=("where",),
                )
            return numbers

        return self._remove(matching)

    def _numbers(self, which: Which) -> list[int]:
        return [row[0] for row in self._back_end.rows(which, ("number",))]

    def _remove(self, chosen: Callable[[], list[int]]) -> int:
        """Remove the rows that are chosen, again if another writer intervened."""
        while True:
            with moment(self._back_end):
                state, numbers = state_of(self._back_end), chosen()
            if not numbers or self._back_end.write(_change(state, removed=numbers)):
                return len(numbers)

    def _add(self, part: Sequence[Entry], vectors_of: VectorsOf) -> Added:
        given = [
            stored.StoredText(0, one.entry_id, stored.metadata_text(one.metadata, one.entry_id), one.text)
            for one in part
        ]
        wanted = {one.entry_id: one for one in given}
        encoded, is_done = _Encoded(), False
        while not is_done:  # again if another writer intervened, and texts lack vectors now
            state = state_of(self._back_end)
            plan = self._planned(wanted)
            encoded = self._encoded([one.text for one in plan.fresh], vectors_of, encoded)
            is_done = not plan.writes or self._back_end.write(self._change(state, plan, encoded))
        now, new, changed = dict(plan.known), 0, 0
        for one in given:  # one after another, so that the counts don't depend on the parts
            before, after = now.get(one.entry_id), (one.text, one.metadata)
            new += before is None
            changed += before is not None and before != after
            now[one.entry_id] = after
        return Added(len(part), new, changed, len(part) - new - changed, encoded.texts, encoded.windows)

    def _change(self, state: State, plan: _Plan, encoded: _Encoded) -> Change:
        """A plan as a change; the first one notes the dimension.

        Raises:
            DataError: another writer has stored vectors of another dimension.
        """
        vectors = [encoded.of_texts[one.text] for one in plan.fresh]
        sizes = {len(one.vectors) // (4 * (len(one.spans) or 1)) for one in vectors}
        dim: int | None = fact(self._back_end, "dim")
        if len(sizes | ({dim} if dim is not None else set())) > 1:
            raise stored.wrong_shape((len(vectors), max(sizes)), len(vectors), dim)
        first = state.counter + len(plan.replaced) + 1
        added = [
            stored.made_row(number, one, encoded.keys[one.text], own.vectors, own.spans)
            for number, (one, own) in enumerate(zip(plan.fresh, vectors, strict=True), first)
        ]
        facts = fact_texts({"dim": sizes.pop()}) if sizes and dim is None else {}
        return _change(state, plan.replaced, added, plan.retold, facts)

    def _planned(self, wanted: dict[str, stored.StoredText]) -> _Plan:
        columns = ("number", "entry_id", "metadata", "text")
        rows = self._back_end.rows(Which(ids=list(wanted)), columns)
        known = {row[1]: stored.StoredText(*row) for row in rows}
        same_text = {
            name: known[name].number
            for name, one in wanted.items()
            if name in known and known[name].text == one.text
        }
        fresh = [one for name, one in wanted.items() if name not in same_text]
        retold = [
            stored.retold_row(number, wanted[name])
            for name, number in same_text.items()
            if known[name].metadata != wanted[name].metadata
        ]
        replaced = [known[one.entry_id].number for one in fresh if one.entry_id in known]
        before = {name: (one.text, one.metadata) for name, one in known.items()}
        return _Plan(fresh, retold, replaced, before)

    def _encoded(self, texts: Sequence[str], vectors_of: VectorsOf, before: _Encoded) -> _Encoded:
        """The vectors of texts, in addition to known ones; existing texts aren't encoded."""
        dim: int | None = fact(self._back_end, "dim")
        found, keys = dict(before.of_texts), dict(before.keys)
        keys |= {text: stored.text_key(text) for text in set(texts) - keys.keys()}
        asked = {text: key for text, key in keys.items() if text not in found}
        found |= self._vectors_of_equals(asked, dim) if dim is not None else {}
        missing = [text for text in dict.fromkeys(texts) if text not in found]
        windows = 0
        if missing and self._windows_of is None:
            whole = stored.checked_vectors(vectors_of(missing), len(missing), dim).astype("<f4", copy=False)
            found |= {text: _Vectors(own.tobytes()) for text, own in zip(missing, whole, strict=True)}
        elif missing and self._windows_of is not None:
            parted = self._windows_of(missing)
            pieces = [
                text[start:end] for text, spans in zip(missing, parted, strict=True) for start, end in spans
            ]
            vectors = stored.checked_vectors(vectors_of(pieces), len(pieces), dim).astype("<f4", copy=False)
            done = 0
            for text, spans in zip(missing, parted, strict=True):
                several = len(spans) > 1
                own = vectors[done : done + len(spans)].tobytes()
                found[text] = _Vectors(own, tuple(spans) if several else ())
                done += len(spans)
                windows += len(spans) if several else 0
        return _Encoded(found, keys, before.texts + len(missing), before.windows + windows)

    def _vectors_of_equals(self, texts: Mapping[str, int], dim: int) -> dict[str, _Vectors]:
        """The vectors of texts, given with their keys, that already occur in some row."""
        which = Which(text_keys=sorted(set(texts.values())))
        rows = self._back_end.rows(which, ("text", *WINDOWED))
        return {
            text: _Vectors(*stored_windows(self._back_end.place, row, dim, windowed=self._windowed))
            for text, *row in rows
            if text in texts
        }


def _change(
    state: State,
    removed: Sequence[int] = (),
    added: Sequence[StoredRow] = (),
    retold: Sequence[Retold] = (),
    facts: Mapping[str, str] | None = None,
) -> Change:
    """A change with the state after it: each row that goes, comes or is retold counts as one."""
    counter = state.counter + len(removed) + len(added) + len(retold)
    after = replace(state, counter=counter, live=state.live + len(added) - len(removed))
    return Change(state.counter, after, removed, added, retold, facts or {})
