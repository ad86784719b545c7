"""The watch of a collection: matches and labels against those at calibration."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from time import monotonic
from typing import Any

from textkin.base.argument_checks import check_fields
from textkin.base.errors import required
from textkin.base.paths import is_standard
from textkin.base.progress import note
from textkin.base.results import ResultRow, Summary
from textkin.collection.match.match import Match
from textkin.collection.match.match_labels import usual_precision
from textkin.collection.noted_model import KnownModel
from textkin.collection.store.address import Place, place_of
from textkin.collection.store.collection_store import CollectionStore
from textkin.collection.store.open_store import open_store
from textkin.collection.watch.reference import (
    Reference,
    WatchedFile,
    each_match,
    read_labels,
    read_matches,
    reference_of,
    score_of,
    typed_matches,
)
from textkin.collection.watch.watch_log import Beginning, Tested, WatchFindings, WatchLog
from textkin.data.readers.read_report import note_read
from textkin.kinds.systems.passports import check_against
from textkin.measures.decisions.base_rate import check_rate
from textkin.models.passports.checking import Checked

STATE = ".watch.jsonl"
"""The suffix of the file next to a collection that stores the watch's state."""

_AT_ONCE = 512  # matches added together
_PATIENCE = 1.0  # seconds


class WatchState(StrEnum):
    """The state of matches."""

    OK = "ok"
    DRIFTING = "drifting"
    BROKEN = "broken"


_EXIT_CODES = {WatchState.OK: 0, WatchState.DRIFTING: 11, WatchState.BROKEN: 12}


@dataclass(frozen=True, slots=True, kw_only=True)
class WatchOptions:
    """Options for watching.

    Attributes:
        precision: the required precision of the verdict duplicate; labels show if it is missed. None for the
            one that the collection was calibrated for, else 0.95.
        error: the probability of ever reporting a change if there is none, however long the watch lasts.
        base_rate: the fraction of incoming texts that have a duplicate; the collection's if None.
        against: a table of matches from when all was well, instead of the calibration scores.
        state: the file of the watch's state; next to the collection if None.
        restart: start over.
        model: replaces the collection's model; the noted one if None.
        seed: the seed of the draws that break ties.

    Raises:
        UsageError: a proportion is out of range.
    """

    precision: float | None = None
    error: float = 0.05
    base_rate: float | None = None
    against: Path | str | None = None
    state: Path | str | None = None
    restart: bool = False
    model: str | Path | None = None
    seed: int = 0

    def __post_init__(self) -> None:
        check_fields(self)
        if self.precision is not None:
            check_rate(self.precision, "precision")
        check_rate(self.error, "error")
        if self.base_rate is not None:
            check_rate(self.base_rate)


@dataclass(frozen=True, slots=True, repr=False)
class Watched(Summary):
    r"""The findings of a watch so far.

    Attributes:
        state: ok, drifting, or broken. Ok means that no problem is proven, not that there is none.
        todo: the recommended action, in a sentence.
        scores: the findings on scores of matches.
        labels: the findings on labels of texts called duplicates.
        same: the number of these labelled as duplicates.
        canaries: the model's drift on the passport's canaries; None if the collection has no passport.
        reference: the reference scores.
        needed: the evidence that raises an alarm.
        path: the file of the watch's state.

    Example:
        >>> from pathlib import Path
        >>> import textkin as tk
        >>> with tk.open_collection("seen", create=True) as seen:
        ...     added = seen.add(["Where can I park?"])
        >>> written = Path("before.csv").write_text("score\n" + "0.75\n" * 60)
        >>> tk.watch("seen", against="before.csv").state.value
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

    def text(self) -> str:
        """The state with advice, and a line for each finding."""
        scores, labels = self.scores, self.labels
        return "\n".join(
            [
                f"{self.state.value}: {self.todo}",
                f"scores: {scores.events:,} watched, evidence of a change {scores.evidence:.3g}",
                f"labels: {labels.events:,} watched, {self.same:,} the same, evidence of a lower precision "
                f"{labels.evidence:.3g}",
                f"evidence that raises an alarm: {self.needed:g}",
                f"model: {'unknown' if self.canaries is None else self.canaries.words}",
                f"compared with: {self.reference}",
            ]
        )

    @property
    def exit_code(self) -> int:
        """0 for ok, 11 for drifting, 12 for broken."""
        return _EXIT_CODES[self.state]

    def as_dict(self) -> dict[str, Any]:
        """The findings, the advice, and the file of the state."""
        return {**self.rows()[0], "todo": self.todo, "kept in": self.path}


def _skipped(path: Path | str, count: int, what: str) -> str:
    """Say why nothing of a file was added."""
    return f"{path} was read before, and is skipped" if count else f"{path} has no {what}"


def watch_matches(
    collection: Place | str,
    matches: Path | str | Iterable[Match | Mapping[str, Any]] | None = None,
    *,
    labelled: Path | str | None = None,
    options: WatchOptions,
) -> Watched:
    """Add matches and labels to a watch, and tell its findings. Errors are those of ``watch``."""
    place = place_of(collection)
    store = open_store(place)
    try:
        log = opened_log(store, options)
        known = KnownModel.of(store, place)
        canaries = _canaries(known, options.model)
    finally:
        store.close()
    if isinstance(matches, Path | str) and is_standard(Path(matches)):
        _take_all(log, typed_matches())
    elif isinstance(matches, Path | str):
        found = _told(read_matches(matches))
        if not log.take(found.values, file=found.sha256):
            note(_skipped(matches, len(found.values), "matches"))
    elif matches is not None:
        _take_all(log, each_match(matches))
    if labelled is not None:
        found = _told(read_labels(labelled))
        if not log.take_labels(found.values, file=found.sha256):
            note(_skipped(labelled, len(found.values), "labels of texts that were called duplicates"))
    return watched(log, canaries)


def opened_log(store: CollectionStore, options: WatchOptions) -> WatchLog:
    """The state file of a collection's watch, created if missing.

    Raises:
        UsageError: there are no reference scores.
        DataError: it can't be read, or was started with other settings.
        OutputError: it can't be written.
    """

    def begun(kept: Reference | None) -> Beginning:
        if options.against is not None:
            found = _told(read_matches(options.against))
            words = f"{len(found.values):,} matches of {options.against}"
            reference = Reference(found.values, words, given=True)
        elif kept is not None and kept.given:
            reference = kept
        else:
            reference = reference_of(store, base_rate=options.base_rate, seed=options.seed)
        precision = usual_precision(store) if options.precision is None else options.precision
        return Beginning(reference=reference, precision=precision, error=options.error, seed=options.seed)

    return WatchLog(_kept_in(store.place, options), begun, restart=options.restart)


def _kept_in(place: Place, options: WatchOptions) -> Path | str:
    if options.state is not None:
        return options.state
    if isinstance(place, Path):
        return place.with_name(place.name + STATE)
    raise required("state", by=f"{place}, which has no folder for a file,")


def watched(log: WatchLog, canaries: Checked | None = None) -> Watched:
    """The summary of a watch so far."""
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
    """Add matches as they arrive; every second, or after many, they become durable."""
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
            f"the precision of duplicates is below {found.begun.precision:g}, likely since label "
            f"{found.labels.since:,}: let people decide, label matches, and calibrate the collection again"
        )
    if found.scores.alarm is not None:
        return WatchState.DRIFTING, (
            f"the scores have changed since calibration, likely from text {found.scores.since:,} on "
            f"({found.scores.words}): label matches, and calibrate the collection again"
        )
    if not found.scores.events and not found.labels.events:
        return WatchState.OK, "nothing was watched yet: give matches, or labels of duplicates"
    return WatchState.OK, "nothing to do: no change is shown"


def _canaries(known: KnownModel | None, model: str | Path | None) -> Checked | None:
    """The current drift of a collection's model on the passport's canaries."""
    passport = None if known is None else known.passport()
    if known is None or passport is None or (known.sha256 is None and model is None):
        return None
    return check_against(model or known.name, passport, accept_drift=True)


def _told(found: WatchedFile) -> WatchedFile:
    note_read(found.read)
    return found
