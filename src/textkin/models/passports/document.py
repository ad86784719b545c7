"""A passport's document format: contents, conversion to and from JSON (``schema.json``)."""

from __future__ import annotations

import base64
import binascii
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import Any, Self, TypeVar

import numpy as np

from textkin.base.arrays import Floats32
from textkin.base.errors import ModelError, said
from textkin.base.json_fields import strings, table, text, whole, wrong
from textkin.base.json_records import restored
from textkin.base.results import ResultRow, Summary
from textkin.measures.decisions.calibration import Calibration, calibration_from_dict
from textkin.measures.decisions.match_rule import MatchGoal, MatchRule, rule_of_pairs
from textkin.measures.decisions.saved_thresholds import SavedThreshold
from textkin.models.passports.canaries import Canaries
from textkin.models.passports.drift import DriftRule

FORMAT = 1
_Class = TypeVar("_Class")
KIND = "passport"
DOCUMENT, QUERY, SPELT = "document", "query", "spelt"
_ROWS = (DOCUMENT, QUERY, SPELT)
_AGAIN = "make it again: `verify()` with `out`"


class Gives(StrEnum):
    """The kind of a model's outputs."""

    VECTORS = "vectors"
    SCORES = "scores"
    CLASSES = "classes"
    ANSWERS = "answers"
    PHRASES = "phrases"

    @property
    def are_vectors(self) -> bool:
        """True if rows are vectors, compared by cosines."""
        return self in (Gives.VECTORS, Gives.PHRASES)


@dataclass(frozen=True, slots=True)
class PassportDecision:
    """A threshold for equal meaning, and the calibration of its probability.

    Attributes:
        threshold: the threshold with its goal, its interval and its data; None without.
        calibration: maps scores to probabilities; None without.
    """

    threshold: SavedThreshold | None = None
    calibration: Calibration | None = None

    @property
    def base_rate(self) -> float | None:
        """The fraction of equal pairs in the data that the threshold was fitted on.

        Its precision is lower where duplicates are rarer.
        """
        if self.threshold is None or not self.threshold.threshold.pairs:
            return None
        return self.threshold.threshold.positives / self.threshold.threshold.pairs

    def fields(self) -> dict[str, Any]:
        """Both as JSON values."""
        return {
            "threshold": None if self.threshold is None else self.threshold.to_dict(),
            "calibration": None if self.calibration is None else self.calibration.to_dict(),
        }

    def to_dict(self) -> dict[str, Any]:
        """Convert to JSON values. The base rate is for readers: it follows from the counts."""
        return {**self.fields(), "base_rate": self.base_rate}

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> Self:
        """Parse the result of :meth:`to_dict`.

        Raises:
            ModelError: a field is missing, unknown, or invalid.
        """
        threshold, calibration = values.get("threshold"), values.get("calibration")
        try:
            return cls(
                None if threshold is None else SavedThreshold.from_dict(threshold),
                None if calibration is None else calibration_from_dict(calibration),
            )
        except (KeyError, TypeError, ModelError) as error:
            raise ModelError(f"a stored decision can't be read: {said(error)}", fix=_AGAIN) from error


@dataclass(frozen=True, slots=True)
class ExportLoss:
    """An export's original, and its agreement with it.

    Attributes:
        original: the model's name.
        original_sha256: the hash of its files, as in the certificate.
        target: the format of the export.
        precision: the precision of its weights.
        measure: "cosine" or "difference".
        mean: the mean of the measure on the certificate's sample.
        worst: the worst value on the certificate's sample.
    """

    original: str
    original_sha256: str
    target: str
    precision: str
    measure: str
    mean: float
    worst: float


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Passport(Summary):
    """The identity of a model: hashes, settings, and its outputs for 64 texts.

    Attributes:
        model: its name.
        sha256: the hash of everything its scores depend on, see ``models.provenance.hash_of_scorer``; "" for
            an object.
        gives: the kind of its outputs.
        canaries: the texts.
        says: its outputs: "document", and "query" if that side differs; "spelt" if textkin adds unknown
            tokens by their spelling, which other runtimes don't. Shape [canaries, width] each.
        rule: the maximum distance of a copy from these.
        files: the SHA-256 of each file, by its path in the model's folder.
        settings: architecture, arguments, text pipeline and limits, as far as known.
        versions: versions of textkin and the libraries that computed the rows.
        decision: threshold and calibration.
        guards: further default rules that keep two texts apart.
        export: an export's loss.
        matching: a collection's matching thresholds by its labels; derived from ``decision`` if None.

    Example:
        >>> import textkin as tk
        >>> tk.verify("default").passport.rows()[0]["canaries"]
        64
    """

    model: str
    sha256: str
    gives: Gives
    canaries: Canaries
    says: Mapping[str, Floats32]
    rule: DriftRule
    files: Mapping[str, str] = field(default_factory=dict)
    settings: Mapping[str, Any] = field(default_factory=dict)
    versions: Mapping[str, str] = field(default_factory=dict)
    decision: PassportDecision = field(default_factory=PassportDecision)
    guards: tuple[str, ...] = ()
    export: ExportLoss | None = None
    matching: PassportMatching | None = None

    @property
    def matches(self) -> PassportMatching | None:
        """The two thresholds of matches, as far as fitted."""
        if self.matching is not None or self.gives is not Gives.VECTORS:
            return self.matching
        return PassportMatching.of_pairs(self.decision.threshold, self.decision.calibration, self.guards)

    def _rows(self) -> Iterator[ResultRow]:
        saved, rows, matches = self.decision.threshold, self.says[DOCUMENT], self.matches
        yield {
            **self._fields("model", "sha256"),
            "gives": f"{self.gives}, {rows.shape[1]} each" if rows.shape[1] > 1 else self.gives.value,
            "canaries": len(rows),
            "sides": ", ".join(self.says),
            f"{self.rule.measure} that a copy may have": f"{self.rule.bound:.6g}",
            "files": len(self.files),
            "threshold": None if saved is None else saved.threshold.value,
            "goal": None if saved is None else saved.threshold.goal,
            "precision": None if saved is None else _interval(saved.precision),
            **_proven(saved),
            "base rate": self.decision.base_rate,
            "calibration": "none" if self.decision.calibration is None else "fitted",
            "guards": ", ".join(self.guards),
            "duplicate from": None if matches is None else matches.duplicate_from,
            "ask from": None if matches is None else matches.ask_from,
            "at base rate": None if matches is None else matches.base_rate,
            "export of": None if self.export is None else self.export.original,
            "export's worst": None if self.export is None else self.export.worst,
        }

    def to_dict(self, *, decision_in: str | None = None) -> dict[str, Any]:
        """Convert to JSON values.

        Args:
            decision_in: the file next to the passport that already has threshold and calibration.
        """
        pairs = not self.gives.are_vectors
        matches = self.matches if decision_in is None else None
        return {
            "kind": KIND,
            "format": FORMAT,
            "model": {
                "name": self.model,
                "sha256": self.sha256,
                "files": dict(self.files),
                "settings": dict(self.settings),
            },
            "versions": dict(self.versions),
            "gives": self.gives.value,
            "rule": self.rule.to_dict(),
            "canaries": {
                "version": self.canaries.version,
                "texts": list(self.canaries.texts),
                **({"pairs": [list(pair) for pair in self.canaries.pairs]} if pairs else {}),
            },
            "says": {name: rows_to_dict(rows) for name, rows in self.says.items()},
            "decision": self.decision.to_dict() if decision_in is None else {"file": decision_in},
            "guards": list(self.guards),
            "export": None if self.export is None else asdict(self.export),
            "matching": None if matches is None else matches.to_dict(),
        }

    @classmethod
    def from_dict(
        cls, values: Mapping[str, Any], path: Path | str, *, decision: PassportDecision | None = None
    ) -> Self:
        """Parse the result of :meth:`to_dict`.

        Args:
            values: the values of the JSON file.
            path: the file, for errors.
            decision: the decision in the file next to the passport, if the passport names one.

        Raises:
            ModelError: it isn't a passport, has another format, or a value is invalid.
        """
        if values.get("kind") != KIND:
            raise ModelError("is not a passport", path=path, fix=_AGAIN)
        if (found := whole(values, "format", path)) != FORMAT:
            newer = "install a newer textkin"
            raise ModelError(
                f"has format {found}, this textkin reads format {FORMAT}",
                path=path,
                fix=newer if found > FORMAT else _AGAIN,
            )
        gives, model = text(values, "gives", path), table(values, "model", path)
        canaries, says = table(values, "canaries", path), table(values, "says", path)
        if gives not in set(Gives):
            raise wrong(values, "gives", path, "vectors, scores, classes, answers or phrases")
        texts = tuple(strings(canaries, "texts", path))
        rows = {
            name: rows_from_dict(table(says, name, path), path, count=len(texts))
            for name in _ROWS
            if name in says
        }
        if DOCUMENT not in rows:
            raise ModelError("says nothing of documents", path=path, fix=_AGAIN)
        stored = table(values, "decision", path)
        if "file" not in stored:
            decision = PassportDecision.from_dict(stored)
        return cls(
            model=text(model, "name", path),
            sha256=text(model, "sha256", path),
            gives=Gives(gives),
            canaries=Canaries(whole(canaries, "version", path), texts),
            says=rows,
            rule=DriftRule.from_dict(table(values, "rule", path), path),
            files=table(model, "files", path),
            settings=_settings(table(model, "settings", path), path),
            versions=table(values, "versions", path),
            decision=decision or PassportDecision(),
            guards=tuple(strings(values, "guards", path)),
            export=_part(ExportLoss, values, "export", path),
            matching=_part(PassportMatching, values, "matching", path),
        )


def _part(kind: type[_Class], values: Mapping[str, Any], key: str, path: Path | str) -> _Class | None:
    """A part of a passport, if present."""
    if values.get(key) is None:
        return None
    try:
        return restored(kind, values[key], finite=True)
    except ValueError as error:
        raise ModelError(f"{key} can't be read: {error}", path=path, fix=_AGAIN) from error


def _interval(ends: tuple[float, float] | None) -> str:
    return "" if ends is None else f"{ends[0]:.3f} to {ends[1]:.3f}"


def _proven(saved: SavedThreshold | None) -> dict[str, float | None]:
    """The precision proven by labels for a threshold, if any."""
    if saved is None or saved.proof is None:
        return {}
    return {"proven precision": saved.proof.precision, "proven recall": saved.proof.recall}


def rows_to_dict(rows: Floats32) -> dict[str, Any]:
    """Convert rows to JSON values: their shape, and their float32 numbers as base64."""
    return {
        "shape": list(rows.shape),
        "float32": base64.b64encode(np.ascontiguousarray(rows, dtype="<f4").tobytes()).decode(),
    }


def _settings(values: dict[str, Any], path: Path | str) -> dict[str, Any]:
    """Settings, with the parts used for verification checked.

    Raises:
        ModelError: one is invalid.
    """
    table(values, "arguments", path)
    limits = table(values, "limits", path)
    for name in ("max_tokens", "longest_canary"):
        if limits.get(name) is not None:
            whole(limits, name, path, least=0)
    return values


def rows_from_dict(values: Mapping[str, Any], path: Path | str, *, count: int) -> Floats32:
    """Parse the result of :func:`rows_to_dict`.

    Raises:
        ModelError: the number of rows isn't that of canaries, or a number isn't finite.
    """
    shape = values.get("shape")
    try:
        numbers = np.frombuffer(base64.b64decode(text(values, "float32", path), validate=True), dtype="<f4")
        found = numbers.reshape(shape).astype(np.float32)
    except (binascii.Error, ValueError, TypeError) as error:
        raise ModelError(f"has rows that can't be read: {said(error)}", path=path, fix=_AGAIN) from error
    if found.ndim != 2 or len(found) != count or not found.size or not np.isfinite(found).all():
        raise ModelError(
            f"has rows of shape {shape}, expected {count} rows of finite numbers", path=path, fix=_AGAIN
        )
    return found


@dataclass(frozen=True, slots=True, kw_only=True)
class PassportMatching:
    """Minimum cosines of a duplicate and of a question for a person, at a base rate.

    They are different at another base rate; ``decision`` and the labels determine them.

    Attributes:
        source: the data they were fitted to, in words.
        precision: the precision of texts called duplicates.
        ask: the minimum probability at which a text is a question.
        base_rate: the fraction of incoming texts that have a duplicate.
        duplicate_from: the minimum cosine; None if none reaches the precision.
        ask_from: the minimum cosine; None if none reaches the probability.
        reached: the lower confidence bound of the precision, if labels of a collection prove it; None for an
            estimate.
        guards: the guards that keep texts apart.
    """

    source: str
    precision: float
    ask: float
    base_rate: float
    duplicate_from: float | None
    ask_from: float | None
    reached: float | None
    guards: tuple[str, ...]

    @classmethod
    def of_rule(cls, rule: MatchRule, source: str, guards: Sequence[str]) -> Self | None:
        """The thresholds of a rule; None for one without a base rate."""
        if rule.base_rate is None:
            return None
        return cls(
            source=source,
            precision=rule.goal.precision,
            ask=rule.goal.ask,
            base_rate=rule.base_rate,
            duplicate_from=rule.duplicate_from,
            ask_from=rule.ask_from,
            reached=rule.reached,
            guards=tuple(guards),
        )

    @classmethod
    def of_pairs(
        cls, threshold: SavedThreshold | None, calibration: Calibration | None, guards: Sequence[str]
    ) -> Self | None:
        """The estimate from labelled pairs, at their own base rate; None without a fit of both."""
        if threshold is None or calibration is None:
            return None
        found = threshold.threshold
        if not 0 < found.positives < found.pairs:
            return None
        rate = found.positives / found.pairs
        rule = rule_of_pairs(threshold, calibration, MatchGoal(), base_rate=rate)
        return cls.of_rule(rule, f"pairs of {threshold.fitted_on}, an estimate", guards)

    def to_dict(self) -> dict[str, Any]:
        """Convert to JSON values."""
        return asdict(self) | {"guards": list(self.guards)}
