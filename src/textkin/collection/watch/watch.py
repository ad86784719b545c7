"""``tk.watch``."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from time import monotonic
from typing import Any, final

from textkin.base.argument_checks import check_fields, checked
from textkin.base.errors import required
from textkin.base.progress import note
from textkin.base.results import ResultRow, Summary
from textkin.collection.match.match import Match
from textkin.collection.noted_model import KnownModel
from textkin.collection.store.address import Place, place_of
from textkin.collection.store.collection_store import CollectionStore
from textkin.collection.store.open_store import open_store
from textkin.collection.watch.reference import (
    Reference,
    WatchedFile,
    read_labels,
    read_matches,
    reference_of,
    score_of,
)
from textkin.collection.watch.watch_log import Beginning, Tested, WatchFindings, WatchLog
from textkin.data.readers.read_report import note_read
from textkin.kinds.systems.passports import check_against
from textkin.measures.decisions.base_rate import check_rate
from textkin.models.passports import Checked

STATE = ".watch.jsonl"
"""What follows the name of a collection in that of the file beside it, which keeps what was watched."""

_AT_ONCE = 512  # matches that are added together
_PATIENCE = 1.0  # seconds


class WatchState(StrEnum):
    """How matches are.

    Example:
        >>> import textkin as tk
        >>> [one.value for one in tk.WatchState]
        ['ok', 'drifting', 'broken']
    """

    OK = "ok"
    DRIFTING = "drifting"
    BROKEN = "broken"


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class WatchOptions:
    """How to watch.

    Attributes:
        precision: of the texts that are called duplicates so many must be; labels show if they aren't.
        error: the probability of ever telling of a change where there is none, however long it is watched.
        base_rate: the share of texts to come that have a duplicate; that of the collection if None.
        reference: a table of matches of when all was well, instead of the scores of the calibration.
        state: the file that keeps what was watched; beside the collection if None.
        restart: begin anew.
        model: what stands for the collection's model now; the one that it knows if None.
        seed: of the draws that break ties.

    Raises:
        UsageError: a proportion is out of range.

    Example:
        >>> import textkin as tk
        >>> tk.WatchOptions(error=0.01).precision
        0.95
    """

    precision: float = 0.95
    error: float = 0.05
    base_rate: float | None = None
    reference: Path | str | None = None
    state: Path | str | None = None
    restart: bool = False
    model: str | Path | None = None
    seed: int = 0

    def __post_init__(self) -> None:
        check_fields(self)
        check_rate(self.precision, "precision")
        check_rate(self.error, "error")
        if self.base_rate is not None:
            check_rate(self.base_rate)


@final
@dataclass(frozen=True, slots=True, repr=False)
class Watched(Summary):
    r"""What a watch has found so far.

    Attributes:
        state: ok, drifting, or broken. Ok says that nothing is shown, not that nothing is wrong.
        todo: what to do, in a sentence.
        scores: what the scores of matches show.
        labels: what labels of texts that were called duplicates show.
        same: how many of these say the same.
        canaries: what the model says of the passport's canaries; None where the collection has no passport.
        reference: what scores are compared with.
        needed: evidence of so much is an alarm.
        path: the file that keeps what was watched.

    Example:
        >>> from pathlib import Path
        >>> import textkin as tk
        >>> with tk.open_collection("seen", create=True) as seen:
        ...     added = seen.add(["Where can I park?"])
        >>> written = Path("before.csv").write_text("score\n" + "0.75\n" * 60)
        >>> tk.watch("seen", options=tk.WatchOptions(reference="before.csv")).state.value
        'ok'
    """

    state: WatchState
    todo: str
    scores: Tested
    labels: Tested
    same: int
    canaries: Checked | None
    reference: str
    needed: float
    path: Path

    def _rows(self) -> Iterator[ResultRow]:
        share = self.same / self.labels.events if self.labels.events else None
        yield {
            "state": self.state.value,
            "scores": self.scores.events,
            "evidence of other scores": self.scores.evidence,
            "scores changed at": self.scores.alarm,
            "likely since": self.scores.since,
            "labels": self.labels.events,
            "share the same": share,
            "evidence of a lower precision": self.labels.evidence,
            "precision dropped at": self.labels.alarm,
            "model": "unknown" if self.canaries is None else self.canaries.words,
            "compared with": self.reference,
            "alarm from evidence": self.needed,
        }

    def _said(self) -> Sequence[str]:
        return (self.todo,)


@checked
def watch(
    collection: Place | str,
    matches: Path | str | Iterable[Match | Mapping[str, Any]] | None = None,
    *,
    labels: Path | str | None = None,
    options: WatchOptions | None = None,
) -> Watched:
    r"""See whether a collection's matches are still as they were at calibration.

    The model is asked for the passport's canaries again. The scores of matches are compared with those at
    calibration by a test whose probability of ever telling of a change that isn't there is ``error`` at most,
    however often and long one watches; labels of texts that were called duplicates test the precision
    likewise.

    Args:
        collection: its folder, or the address of a database.
        matches: new matches, or a table of them as ``match`` writes it; a file that was taken before is left
            out.
        labels: a table of new labels of texts that were called duplicates, drawn at random; likewise.
        options: how to watch.

    Raises:
        UsageError: there is no collection, or nothing to compare scores with.
        DataError: a file can't be read, or the watch was begun otherwise.
        ModelError: the model isn't there.
        OutputError: the file that keeps what was watched can't be written.

    Example:
        >>> from pathlib import Path
        >>> import textkin as tk
        >>> with tk.open_collection("asked", create=True) as asked:
        ...     added = asked.add(["Where can I park?", "When do you open?"])
        ...     matches = asked.match(["Where to park?"], options=tk.MatchOptions(threshold=0.8)).matches
        >>> written = Path("well.csv").write_text("score\n" + "0.75\n" * 60)
        >>> options = tk.WatchOptions(reference="well.csv")
        >>> tk.watch("asked", matches, options=options).scores.events
        1
    """
    asked = options or WatchOptions()
    place = place_of(collection)
    store = open_store(place)
    try:
        log = opened_log(store, asked)
        known = KnownModel.of(store, place)
        canaries = _canaries(known, asked.model)
    finally:
        store.close()
    if isinstance(matches, Path | str):
        found = _told(read_matches(matches))
        if not log.take(found.values, file=found.sha256):
            note(f"{matches}: nothing new is in it")
    elif matches is not None:
        _take_all(log, matches)
    if labels is not None:
        found = _told(read_labels(labels))
        if not log.take_labels(found.values, file=found.sha256):
            note(f"{labels}: nothing new is in it")
    return watched(log, canaries)


def opened_log(store: CollectionStore, options: WatchOptions) -> WatchLog:
    """The file that keeps what was watched of a collection, begun if there is none.

    Raises:
        UsageError: there is nothing to compare scores with.
        DataError: it can't be read, or was begun otherwise.
        OutputError: it can't be written.
    """
    if options.reference is not None:
        found = _told(read_matches(options.reference))
        reference = Reference(found.values, f"{len(found.values):,} matches of {options.reference}")
    else:
        reference = reference_of(store, base_rate=options.base_rate, seed=options.seed)
    begun = Beginning(
        reference=reference, precision=options.precision, error=options.error, seed=options.seed
    )
    return WatchLog(_kept_in(store.place, options), begun, restart=options.restart)


def _kept_in(place: Place, options: WatchOptions) -> Path | str:
    if options.state is not None:
        return options.state
    if isinstance(place, Path):
        return place.with_name(place.name + STATE)
    raise required("state", by=f"{place}, which has no folder for a file,")


def watched(log: WatchLog, canaries: Checked | None = None) -> Watched:
    """What is to be said of a watch so far."""
    found = log.found()
    state, todo = _judged(found, canaries)
    return Watched(
        state=state,
        todo=todo,
        scores=found.scores,
        labels=found.labels,
        same=found.same,
        canaries=canaries,
        reference=found.begun.reference.source,
        needed=2 / found.begun.error,
        path=log.path,
    )


def _take_all(log: WatchLog, matches: Iterable[Match | Mapping[str, Any]]) -> None:
    """Take matches as they come: after a second, or when they are many, those so far are on the disk."""
    waiting: list[float] = []
    since = monotonic()
    for one in matches:
        score = score_of(one)
        if score is not None:
            waiting.append(score)
        if len(waiting) >= _AT_ONCE or monotonic() - since > _PATIENCE:
            log.take(waiting)
            waiting, since = [], monotonic()
    log.take(waiting)


def _judged(found: WatchFindings, canaries: Checked | None) -> tuple[WatchState, str]:
    if canaries is not None and not canaries.accepted:
        return WatchState.BROKEN, (
            f"{canaries.words} ({canaries.why}): put that model back, or add the texts to a new collection "
            "with this one and calibrate it"
        )
    if found.labels.alarm is not None:
        return WatchState.BROKEN, (
            f"of what is called a duplicate less than {found.begun.precision:g} is one, likely since label "
            f"{found.labels.since:,}: let people decide, judge more pairs, and calibrate the collection anew"
        )
    if found.scores.alarm is not None:
        return WatchState.DRIFTING, (
            f"scores are not as they were at calibration, likely since text {found.scores.since:,} "
            f"({found.scores.words}): judge some of what is called a duplicate, and calibrate the collection "
            "anew"
        )
    if not found.scores.events and not found.labels.events:
        return WatchState.OK, "nothing was watched yet: give matches, or labels of what is called a duplicate"
    return WatchState.OK, "nothing to do: no change is shown"


def _canaries(known: KnownModel | None, model: str | Path | None) -> Checked | None:
    """What a collection's model says of the passport's canaries now."""
    passport = None if known is None else known.passport()
    if known is None or passport is None or (known.sha256 is None and model is None):
        return None
    return check_against(model or known.name, passport, accept_drift=True)


def _told(found: WatchedFile) -> WatchedFile:
    note_read(found.read)
    return found
