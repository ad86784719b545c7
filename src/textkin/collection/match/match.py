"""Match a text with the nearest entry of a collection.

Entries are either kept, or linked to a kept one by their metadata. Only kept ones are matched. With ``add``
each text is stored after matching, linked if it is a duplicate; so after any stream

- each linked text is similar to the kept entry that it is linked to, and
- no two kept entries are similar,

where similar means that the cosine reaches the rule's threshold and no guard blocks the pair. A later
``dedupe`` with that threshold and these guards guarantees the same for all texts. The choice of kept texts
depends on the order of arrival.

Where the collection has windows, the cosine of two texts is that of their windows, one beside the other in
order, as in ``dedupe(..., long="windows")``: two long texts that share a passage are not the same.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from textkin.base.arrays import Floats32
from textkin.base.counts import count
from textkin.base.errors import DataError
from textkin.base.printable import shortened, visible_line
from textkin.base.results import Result, ResultRow
from textkin.base.text_table import text_table
from textkin.collection.collection_model import CollectionModel
from textkin.collection.match import nearest_entries
from textkin.collection.match.match_rules import ChosenRule
from textkin.collection.store.collection_store import CollectionStore
from textkin.collection.store.rows import checked_entry
from textkin.data.entry_records import Entry, EntryWindows, Window
from textkin.kinds.explanation import explanation_tables
from textkin.measures.decisions.match_rule import MatchRule, MatchVerdict
from textkin.vectors.groups.guards import STANDARD, checks

if TYPE_CHECKING:
    from textkin.kinds.explanation import Explained

ASKED = "asked_about"
"""The metadata field of an entry that awaits a decision: the id that it may duplicate."""

_LONGEST = 120  # characters of a text that are shown

OTHER_TEXT = "id"
"""The entry among the guards for a text whose id belongs to an entry with another text."""


@dataclass(frozen=True, slots=True)
class Match:
    """A text and its nearest kept entry.

    Attributes:
        entry_id: the text's id.
        text: the text.
        verdict: duplicate, new, or ask.
        nearest_id: the nearest entry; None without one.
        nearest_text: its text.
        score: the cosine of both texts: 1 of a text that the collection has under the same id; None if that
            one is linked to another, with which it isn't compared again.
        probability: the probability that both are duplicates; None without a fit, or if a guard blocks the
            pair.
        guards: the guards that block the pair; the verdict is then never duplicate. "id" if the text was to
            be stored, and its id belongs to an entry with another text.
        stored: True if the text was just stored.

    Example:
        >>> import textkin as tk
        >>> with tk.open_collection("calls", create=True) as calls:
        ...     found = calls.match("Where can I park?", add=True, threshold=0.8)
        >>> found.matches[0].stored
        True
    """

    entry_id: str
    text: str
    verdict: MatchVerdict
    nearest_id: str | None = None
    nearest_text: str | None = None
    score: float | None = None
    probability: float | None = None
    guards: tuple[str, ...] = ()
    stored: bool = False


@dataclass(frozen=True, slots=True, repr=False)
class MatchResult(Result):
    """The matches of texts in a collection.

    Attributes:
        matches: one match per text, in order.
        rule: the rule behind the verdicts, and its known quality.
        source: the data that the rule was fitted to, in words.
        fitted: True if the rule was fitted to labels.
        explained: the explanation of each match, None without a nearest text; empty unless asked for.
        one_text: True if a single text was given.
        index: the index of the texts' pandas frame or column; None of anything else.

    Example:
        >>> import textkin as tk
        >>> with tk.open_collection("notes", create=True) as notes:
        ...     added = notes.add(["Where can I park?", "When do you open?"])
        ...     notes.match("where can we park?", threshold=0.8).matches[0].nearest_text
        'Where can I park?'
    """

    matches: tuple[Match, ...]
    rule: MatchRule
    source: str
    fitted: bool = True
    explained: tuple[Explained | None, ...] = ()
    one_text: bool = False
    index: Any = None

    def _index(self) -> Any:
        return self.index

    def _columns(self) -> Sequence[str]:
        return COLUMNS

    def _rows(self) -> Iterator[ResultRow]:
        for one in self.matches:
            yield row_of(one)

    def _said(self) -> Sequence[str]:
        return told(self.rule, self.source)

    def _summary(self) -> str:
        counts = Counter(one.verdict.value for one in self.matches)
        each = "".join(f", {number:,} {verdict}" for verdict, number in sorted(counts.items()))
        return f"{count(len(self.matches), 'text')}{each}"

    def text(self) -> str:
        """The verdicts as a table, with the explanations that were asked for."""
        header = ("verdict", "cosine", "probability", "id", "nearest text", "guards")
        table = text_table(header, [_cells(one) for one in self.matches], width=None)
        return "\n\n".join([table, *(explanation_tables(one, top=3) for one in self.explained if one)])

    def as_dict(self) -> dict[str, Any]:
        """The match of a single text, or those of several."""
        each: list[dict[str, Any]] = [dict(row) for row in self._rows()]
        for row, why in zip(each, self.explained, strict=False):
            if why is not None:
                row["explained"] = why.to_dict()
        return {**each[0], "fitted": self.fitted} if self.one_text else {"fitted": self.fitted, "rows": each}


def _cells(match: Match) -> list[str]:
    return [
        match.verdict.value,
        "" if match.score is None else f"{match.score:.4f}",
        "" if match.probability is None else f"{match.probability:.3f}",
        "" if match.nearest_id is None else str(match.nearest_id),
        "" if match.nearest_text is None else shortened(visible_line(match.nearest_text), _LONGEST),
        ", ".join(match.guards),
    ]


AT_ONCE = 512
"""The number of texts matched together."""


def match_texts(
    store: CollectionStore,
    model: CollectionModel,
    entries: Sequence[Entry],
    chosen: ChosenRule,
    *,
    add: bool = False,
    wait: float | None = None,
) -> MatchResult:
    """Match texts against the kept entries of a collection, and optionally store them.

    Args:
        store: the collection.
        model: its model.
        entries: the texts.
        chosen: the rule.
        add: store them.
        wait: seconds to wait for another process that writes; 30 if None.

    Raises:
        DataError: a text is blank, or an entry can't be stored as it is.
        ModelError: the model doesn't exist, or has changed.
        OutputError: another process is writing, or the disk is full.
    """
    matcher = EntryMatcher(store, model, chosen.rule, chosen.guards)
    matches: list[Match] = []
    for start in range(0, len(entries), AT_ONCE):
        part = entries[start : start + AT_ONCE]
        matches += matcher.take(part, wait=wait) if add else matcher.match(part)
    return MatchResult(tuple(matches), chosen.rule, chosen.source, chosen.fitted)


COLUMNS = ("id", "text", "verdict", "nearest_id", "nearest_text", "score", "probability", "guards")


def row_of(match: Match) -> ResultRow:
    """A match as a table row."""
    cells = (
        *(match.entry_id, match.text, match.verdict.value, match.nearest_id, match.nearest_text),
        *(match.score, match.probability, ",".join(match.guards)),
    )
    return dict(zip(COLUMNS, cells, strict=True))


def _having(rate: float) -> str:
    shown = f"{rate:.3g}"
    if shown == "1":
        return "every text has" if rate >= 1 else "nearly every text has"
    return f"{shown} of the texts have"


def told(rule: MatchRule, source: str) -> list[str]:
    """A description of a rule, in sentences."""
    lines = [f"rule: {source}"]
    rate = "" if rule.base_rate is None else f" where {_having(rule.base_rate)} a duplicate"
    if rule.duplicate_from is not None:
        shown = "" if rule.reached is None else f" (lower end {rule.reached:.3f})"
        goal = "" if rule.base_rate is None else f": precision {rule.goal.precision:g}{shown}{rate}"
        lines.append(f"duplicate: cosine of at least {rule.duplicate_from:.4f}{goal}")
    else:
        most = "" if rule.reached is None else f"; the highest lower end is {rule.reached:.3f}"
        lines.append(
            f"duplicate: none; no cosine is shown to reach precision {rule.goal.precision:g}{rate}{most}"
        )
    if rule.curve is not None:
        place = rule.ask_from
        where = "" if place is None else f", a cosine of {place:.3f}"
        lines.append(f"ask: probability of at least {rule.goal.ask:g}{where}; new: all others")
    if rule.recall is not None and rule.asked is not None:
        low = max(rule.recall.low, 0.0)  # if nothing was found, it may be a negative zero
        found = f"{rule.recall.value:.3f} ({low:.3f} to {rule.recall.high:.3f})"
        lines.append(
            f"of the labelled texts with a duplicate, {found} are linked to it, {rule.asked:.3f} asked about"
        )
    return lines


class EntryMatcher:
    """Matches texts against the kept entries of a collection, in order.

    Args:
        store: the collection.
        model: its model.
        rule: maps scores to verdicts.
        guards: rules that keep two texts apart; see ``vectors.groups.guards``.

    Raises:
        UsageError: there is no such guard.
    """

    def __init__(
        self,
        store: CollectionStore,
        model: CollectionModel,
        rule: MatchRule,
        guards: Sequence[str] = STANDARD,
    ) -> None:
        checks([], guards)
        self._store, self._model = store, model
        self._rule, self._guards = rule, tuple(guards)
        # A less similar entry can be neither linked nor asked about.
        floors = [one for one in (rule.duplicate_from, rule.ask_from) if one is not None]
        self._floor = min(floors, default=1.0)
        self._last: dict[str, EntryWindows] = {}

    def match(self, entries: Sequence[Entry]) -> list[Match]:
        """Match texts against the collection.

        Raises:
            ModelError: the model doesn't exist, or has changed.
        """
        if not entries:
            return []
        for entry in entries:
            checked_entry(entry)
        windows = self._encoded(entries)
        found, there, linked_to = self._near(entries, windows)
        known = [there.get(one.entry_id) for one in entries]
        return [
            self._verdict(one, options)
            if same is None or same.text != one.text
            else _again(one, same, linked_to)
            for one, same, options in zip(entries, known, found, strict=True)
        ]

    def take(
        self,
        entries: Sequence[Entry],
        *,
        wait: float | None = None,
        before: Callable[[Sequence[Match]], None] | None = None,
    ) -> list[Match]:
        """Match texts against the collection and the texts before them, and store them.

        Nobody else writes meanwhile; otherwise two writers would both keep similar texts.

        Args:
            entries: some hundreds at most; their pairwise similarities are held in memory.
            wait: seconds to wait for another process that writes; 30 if None.
            before: called with the matches before they are stored.

        Raises:
            ModelError: the model doesn't exist, or has changed.
            DataError: the metadata already name the entry it is linked to.
            OutputError: another process is writing, or the disk is full.
        """
        if not entries:
            return []
        _require_unlinked(entries)
        windows = self._encoded(entries)  # which takes time, and needs no lock
        with self._store.writing(wait):
            found = self._in_turn(entries, windows, *self._near(entries, windows))
            if before is not None:
                before(found)
            self.store(entries, found)
        return found

    def store(self, entries: Sequence[Entry], matches: Sequence[Match]) -> None:
        """Store texts as matched by :meth:`take`: duplicates with a link, others unchanged.

        Raises:
            OutputError: another process is writing, or the disk is full.
        """
        fresh = [_stored(*one) for one in zip(entries, matches, strict=True) if one[1].stored]
        self._encoded(fresh)
        pieces = nearest_entries.by_piece(list(self._last), list(self._last.values()))

        def vectors_of(texts: Sequence[str]) -> Floats32:
            return np.stack([pieces[text] for text in texts])

        def windows_of(texts: Sequence[str]) -> list[tuple[Window, ...]]:
            return [self._last[text].spans or ((0, len(text)),) for text in texts]

        parts = None if self._model.parts is None else windows_of
        for _ in self._store.add(fresh, vectors_of, windows_of=parts):
            pass

    @property
    def _nearest(self) -> nearest_entries.NearestKept:
        return nearest_entries.NearestKept(
            self._store, self._guards, self._floor, windowed=self._model.parts is not None
        )

    def _near(
        self, entries: Sequence[Entry], windows: Sequence[EntryWindows]
    ) -> tuple[list[nearest_entries.Linkable], dict[str, Entry], dict[str, Entry]]:
        """The entries that texts may be linked to, those with their ids, and those these are linked to.

        All are of one snapshot. The entries with their ids have a link only if it holds.
        """
        with self._store.reading():
            there = self._store.rows([one.entry_id for one in entries])
            linked = nearest_entries.linked(self._store, there)
            known = {one.entry_id: one if one.entry_id in linked else _unlinked(one) for one in there}
            targets = {str(known[name].metadata[nearest_entries.LINK]) for name in linked}
            linked_to = {one.entry_id: one for one in self._store.rows(sorted(targets))}
            return self._nearest.of(entries, windows), known, linked_to

    def _encoded(self, entries: Sequence[Entry]) -> list[EntryWindows]:
        if any(one.text not in self._last for one in entries):
            texts = list(dict.fromkeys(one.text for one in entries))
            self._last = dict(zip(texts, nearest_entries.text_windows(self._model, texts), strict=True))
        return [self._last[one.text] for one in entries]

    def _in_turn(
        self,
        entries: Sequence[Entry],
        windows: Sequence[EntryWindows],
        found: Sequence[nearest_entries.Linkable],
        there: dict[str, Entry],
        linked_to: dict[str, Entry],
    ) -> list[Match]:
        """The match of each text among earlier kept entries, including those of this call."""
        scores = nearest_entries.alike(
            windows, nearest_entries.cosines_among(windows), self._floor - nearest_entries.ROUNDING
        )
        blocking = nearest_entries.Blocking([one.text for one in entries], self._guards)
        matches: list[Match] = []
        kept = np.zeros(len(entries), dtype=bool)
        for place, (entry, options) in enumerate(zip(entries, found, strict=True)):
            if entry.entry_id in there:
                matches.append(_again(entry, there[entry.entry_id], linked_to))
                continue
            cosines = np.where(kept[:place], scores[place, :place], -np.inf)
            among = options.with_more(
                nearest_entries.Near(entries[one], score, *blocking.guards([place], [one]))
                for one, score in nearest_entries.nearer(
                    entries[:place], cosines, self._floor, options.allowed
                )
            )
            match = self._verdict(entry, among)
            kept[place] = match.verdict is not MatchVerdict.DUPLICATE
            there[entry.entry_id] = _stored(entry, match)
            if match.nearest_id is not None and match.nearest_text is not None:
                linked_to[match.nearest_id] = Entry(match.nearest_id, match.nearest_text)
            matches.append(replace(match, stored=True))
        return matches

    def _verdict(self, entry: Entry, options: nearest_entries.Linkable) -> Match:
        """The verdict for the nearest unblocked entry, otherwise a question about a blocked one."""
        score = np.array([-np.inf if options.allowed is None else options.allowed.score], dtype=np.float32)
        [verdict], likely = self._rule.decide(score), self._rule.probability(score)
        forbidden = options.forbidden
        if verdict is MatchVerdict.NEW and forbidden is not None and forbidden.score >= self._floor:
            return _match(entry, MatchVerdict.ASK, forbidden, None)
        chosen = options.allowed or forbidden
        probability = None if likely is None or options.allowed is None else float(likely[0])
        return _match(entry, verdict, chosen, probability)


def _require_unlinked(entries: Sequence[Entry]) -> None:
    """Check that entries can be stored, and carry no link, which would hide them."""
    for entry in entries:
        checked_entry(entry)
        if own := {nearest_entries.LINK, ASKED} & set(entry.metadata):
            raise DataError(
                f"the metadata of {entry.entry_id!r} have {min(own)!r}, which tells what was matched",
                fix="leave it out, or give it another name; `add()` stores entries as they are",
            )


def _unlinked(entry: Entry) -> Entry:
    """The entry without its link."""
    own = {name: value for name, value in entry.metadata.items() if name != nearest_entries.LINK}
    return Entry(entry.entry_id, entry.text, own)


def _again(entry: Entry, known: Entry, linked_to: Mapping[str, Entry]) -> Match:
    """The match of a known id: the same text is a duplicate; another text is a question, not stored."""
    if known.text == entry.text:
        link = known.metadata.get(nearest_entries.LINK)
        near = known if link is None else linked_to[link]
        return Match(
            *(entry.entry_id, entry.text, MatchVerdict.DUPLICATE),
            nearest_id=near.entry_id,
            nearest_text=near.text,
            score=1.0 if link is None else None,
        )
    return Match(
        *(entry.entry_id, entry.text, MatchVerdict.ASK),
        nearest_id=known.entry_id,
        nearest_text=known.text,
        guards=(OTHER_TEXT,),
    )


def _match(
    entry: Entry, verdict: MatchVerdict, near: nearest_entries.Near | None, probability: float | None
) -> Match:
    if near is None:
        return Match(entry.entry_id, entry.text, verdict)
    return Match(
        entry_id=entry.entry_id,
        text=entry.text,
        verdict=verdict,
        nearest_id=near.entry.entry_id,
        nearest_text=near.entry.text,
        score=near.score,
        probability=probability,
        guards=near.guards,
    )


def _stored(entry: Entry, match: Match) -> Entry:
    """The stored entry of a matched text."""
    names = {MatchVerdict.DUPLICATE: nearest_entries.LINK, MatchVerdict.ASK: ASKED}
    if match.verdict not in names or match.nearest_id is None:
        return entry
    more: dict[str, Any] = {**entry.metadata, names[match.verdict]: match.nearest_id}
    return Entry(entry.entry_id, entry.text, more)
