"""The watch's log file: scores and labels in order, which determine the tests.

It is append-only. A line holds all scores or labels of one call, so a killed call has added all of them or
none. A new header restarts the watch.
"""

from __future__ import annotations

import base64
import math
from collections.abc import Callable, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass
from pathlib import Path
from threading import Lock
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from textkin.base.append_log import LineFile
from textkin.base.errors import DataError, said
from textkin.base.files import sha256_of_json
from textkin.base.progress import note
from textkin.collection.watch.reference import Reference
from textkin.measures.intervals.change_detection import PrecisionDrop, ScoreChange, first_alarm, wealths

_KIND, _FORMAT = "textkin watch", 2
_ANEW = "name another file as `state`, or begin anew with `restart`"


@dataclass(frozen=True, slots=True)
class Tested:
    """The findings of a test.

    Attributes:
        events: the number of scores or labels.
        evidence: the wealth of a bet on a change, as a multiple of the initial stake; 1 is no evidence.
        alarm: the number of the event that proved a change, from 1; None without.
        since: the number of the most likely event of the change; None if not proven.
        words: a description of the change; "" if nothing is proven.
    """

    events: int = 0
    evidence: float = 1.0
    alarm: int | None = None
    since: int | None = None
    words: str = ""


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Beginning:
    """The settings of a watch.

    Attributes:
        reference: the reference scores.
        precision: the required precision of labels.
        error: the probability of ever reporting a change if there is none; half of it is for the scores, half
            for the labels.
        seed: the seed of the draws that break ties.
    """

    reference: Reference
    precision: float = 0.95
    error: float = 0.05
    seed: int = 0

    def to_dict(self) -> dict[str, Any]:
        """Convert to JSON values."""
        scores = base64.b64encode(self.reference.scores.astype("<f4").tobytes()).decode("ascii")
        return {
            "kind": _KIND,
            "format": _FORMAT,
            "precision": self.precision,
            "error": self.error,
            "seed": self.seed,
            "source": self.reference.source,
            "given": self.reference.given,
            "scores_sha256": sha256_of_json(scores),
            "scores": scores,
        }

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> Self:
        """Parse the result of :meth:`to_dict`.

        Raises:
            ValueError: it is invalid.
        """
        if values.get("kind") != _KIND or values.get("format") != _FORMAT:
            raise ValueError("it is not a file of textkin watch, or of another version")
        scores = np.frombuffer(base64.b64decode(values["scores"], validate=True), dtype="<f4")
        if sha256_of_json(values["scores"]) != values["scores_sha256"] or np.isnan(scores).any():
            raise ValueError("its scores are not what was written")
        found = cls(
            reference=Reference(scores.astype(np.float32), str(values["source"]), values["given"] is True),
            precision=float(values["precision"]),
            error=float(values["error"]),
            seed=int(values["seed"]),
        )
        if not (0 < found.precision < 1 and 0 < found.error < 1):
            raise ValueError("a proportion is out of range")
        return found


@dataclass(frozen=True, slots=True, eq=False)
class WatchFindings:
    """The findings of a watch.

    Attributes:
        begun: the settings of the watch.
        scores: the findings on scores.
        labels: the findings on labels.
        same: the number of labels that say duplicate.
    """

    begun: Beginning
    scores: Tested
    labels: Tested
    same: int


class WatchLog:
    """The scores and labels so far, and their findings.

    Args:
        path: the file.
        begun: gives the settings of a new log from the reference scores of an earlier one; None without. A
            log that was started with scores of another calibration starts over.
        restart: start over in any case.

    Raises:
        DataError: it can't be read, or was started with another precision, error or seed.
        OutputError: it can't be written.
    """

    def __init__(
        self, path: Path | str, begun: Callable[[Reference | None], Beginning], *, restart: bool = False
    ) -> None:
        self._file = LineFile(path)
        self._turn = Lock()
        self._kept: _Watching | None = None
        self._catch_up()
        self._begun = begun(None if restart or self._kept is None else self._kept.begun.reference)
        self._begin(restart=restart)

    @property
    def path(self) -> Path:
        """The file."""
        return self._file.path

    def take(self, scores: Sequence[float] | NDArray[np.float32], *, file: str | None = None) -> bool:
        """Add scores, minus infinity if nothing is near; they are durable when this returns.

        Args:
            scores: the scores, in order of arrival.
            file: the hash of their file; a file that was read before is skipped.

        Returns:
            True if they were added.
        """
        kept = [None if math.isinf(one) else float(np.float32(one)) for one in scores]
        return self._add("scores", kept, file)

    def take_labels(self, same: Sequence[float] | NDArray[np.float32], *, file: str | None = None) -> bool:
        """Add labels of texts called duplicates, as :meth:`take` does scores."""
        return self._add("labels", [int(one) for one in same], file)

    def found(self) -> WatchFindings:
        """The current findings on scores and labels, whoever added them."""
        with self._turn:
            self._renew()
            self._catch_up()
            return self._there.found()

    def _add(self, name: str, values: Sequence[float | int | None], file: str | None) -> bool:
        with self._turn:
            self._renew()
            with self._file.held():
                self._catch_up()
                if not values or (file is not None and (name, file) in self._there.files):
                    return False
                self._file.add([{name: values} if file is None else {name: values, "file": file}])
                self._catch_up()
        return True

    def _begin(self, *, restart: bool = False) -> None:
        """Write the first line if it is missing or out of date."""
        with self._file.held():
            self._catch_up()
            if restart or self._is_to_begin(self._begun):
                self._file.add([self._begun.to_dict()])
                self._catch_up()

    def _renew(self) -> None:
        """Begin again where somebody has removed or replaced the file: a service goes on."""
        if not self._file.was_replaced():
            return
        note(f"{self.path}: was removed or replaced; the watch begins anew")
        self._file, self._kept = LineFile(self.path), None
        self._begin()

    def _is_to_begin(self, begun: Beginning) -> bool:
        if self._kept is None:
            return True
        known = self._kept.begun
        for name in ("precision", "error", "seed"):
            if getattr(known, name) != getattr(begun, name):
                raise DataError(
                    f"was begun with {name} {getattr(known, name):g}, not {getattr(begun, name):g}",
                    path=self.path,
                    fix=_ANEW,
                )
        if np.array_equal(known.reference.scores, begun.reference.scores):
            return False
        note(f"{self.path}: scores of before are others now; the watch begins anew")
        return True

    def _catch_up(self) -> None:
        for number, values in self._file.fresh():
            try:
                self._take(values)
            except (KeyError, TypeError, ValueError, AttributeError) as error:
                raise DataError(
                    f"is not a line of a watch: {said(error)}", path=self.path, line=number, fix=_ANEW
                ) from error

    def _take(self, values: Mapping[str, Any]) -> None:
        if "kind" in values or self._kept is None:
            self._kept = _Watching(Beginning.from_dict(values))
        else:
            self._kept.take(values)

    @property
    def _there(self) -> _Watching:
        if self._kept is None:
            raise DataError("was emptied by somebody else", path=self.path, fix="begin again")
        return self._kept


class _Watching:
    """The events since the start of a watch."""

    def __init__(self, begun: Beginning) -> None:
        self.begun = begun
        self.files: set[tuple[str, str]] = set()
        self._scores = ScoreChange(begun.reference.scores, seed=begun.seed)
        self._labels = PrecisionDrop(begun.precision)
        self._of_scores, self._of_labels = Tested(), Tested()
        self._same = 0

    def found(self) -> WatchFindings:
        return WatchFindings(self.begun, self._of_scores, self._of_labels, self._same)

    def take(self, values: Mapping[str, Any]) -> None:
        [name] = {"scores", "labels"} & values.keys()
        if name == "scores":
            scores = np.array([-np.inf if one is None else float(one) for one in values[name]])
            if np.isnan(scores).any():
                raise ValueError("a score is not a number")
            self._of_scores = _after(self._of_scores, self._scores, scores, self.begun.error / 2)
        else:
            labels = np.array([(0, 1).index(one) for one in values[name]])
            self._same += int(labels.sum())
            self._of_labels = _after(self._of_labels, self._labels, labels, self.begun.error / 2)
        if "file" in values:
            self.files.add((name, str(values["file"])))


def _after(before: Tested, test: ScoreChange | PrecisionDrop, values: NDArray[Any], error: float) -> Tested:
    """The findings of a test after more events; a proven change stays proven."""
    if not len(values):
        return before
    until = test if before.alarm is not None else deepcopy(test)
    stakes = test.take(values)
    alarm, since, words = before.alarm, before.since, before.words
    place = first_alarm(stakes, error) if alarm is None else None
    if place is not None:
        until.take(values[: place + 1])  # what came later is no part of the proof
        alarm, since = before.events + place + 1, until.since
        words = until.words if isinstance(until, ScoreChange) else ""
    evidence = float(wealths(stakes[-1:])[0])
    return Tested(before.events + len(values), evidence, alarm, since, words)
