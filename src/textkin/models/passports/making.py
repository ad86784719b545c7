"""Creation of passports for anything that compares texts, and their files."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any, Protocol, runtime_checkable

import numpy as np

from textkin.base.arrays import Floats32
from textkin.base.errors import ModelError
from textkin.base.files import sha256_of_json, write_json
from textkin.base.hub import located
from textkin.base.json_fields import read_object
from textkin.base.progress import remark
from textkin.base.spelling import spelt
from textkin.data.protocols import (
    AnySystem,
    Classifier,
    Encoder,
    PhraseEncoder,
    ReadsTokens,
    Side,
    SpanReader,
)
from textkin.models.interop.folder_kinds import EXPORT, MANIFEST, PASSPORT
from textkin.models.passports import document
from textkin.models.passports.canaries import Canaries, bundled_canaries
from textkin.models.passports.drift import DriftRule
from textkin.models.provenance import files_of_model, hash_of_scorer, versions
from textkin.models.span_reading import PointsAtSpans
from textkin.vectors.groups.guards import STANDARD

_ROUNDING = 1e-5


@runtime_checkable
class HasSettings(Protocol):
    """A model that reports its settings."""

    def settings(self) -> dict[str, Any]:
        """Architecture, arguments and text pipeline, as JSON values."""


@runtime_checkable
class GivesNetworkVectors(Protocol):
    """An encoder that also returns the vectors of its network alone, as other runtimes do."""

    @property
    def is_table(self) -> bool:
        """True if vectors are means of a table, so that they hardly differ between runtimes."""

    @property
    def has_sides(self) -> bool:
        """True if queries and documents are encoded differently."""

    @property
    def adds_unknown(self) -> bool:
        """True if ``encode`` adds unknown tokens by their spelling."""

    def encode(self, texts: Sequence[str], *, side: Side = Side.TEXT) -> Floats32:
        """The vectors with all additions, shape [texts, dim]."""

    def network_vectors(self, texts: Sequence[str], *, side: Side = Side.TEXT) -> Floats32:
        """The vectors of the network alone, shape [texts, dim]."""


def passport_of(
    system: AnySystem,
    *,
    folder: Path | None = None,
    canaries: Canaries | None = None,
    decision: document.PassportDecision | None = None,
    guards: Sequence[str] = STANDARD,
    export: document.ExportLoss | None = None,
    is_table: bool | None = None,
) -> document.Passport:
    """Create the passport of a model.

    Args:
        system: the model.
        folder: its location, for the hashes; None for an object, which has none.
        canaries: the texts; the built-in ones by default.
        decision: threshold and calibration; by default those in the folder's manifest.
        guards: further rules that keep two texts apart; a model that finds answers has none.
        export: an export's loss.
        is_table: True if vectors are means of a table; by default the model's own report.

    Raises:
        ModelError: the model returns numbers that aren't finite, or its folder can't be read.
        UsageError: a file of the folder can't be read.

    Example:
        >>> import textkin as tk
        >>> made = passport_of(tk.load_encoder())
        >>> made.gives.value, made.says["document"].shape
        ('vectors', (64, 128))
    """
    canaries = canaries or bundled_canaries()
    gives, rows = _rows(system, canaries)
    if not all(np.isfinite(found).all() for found in rows.values()):
        raise ModelError(f"{system.name} gives numbers that are not finite", fix="choose another model")
    if decision is None:
        inside = folder is not None and (folder / MANIFEST).is_file()
        decision = decision_in(folder) if folder is not None and inside else document.PassportDecision()
    if is_table is None:
        is_table = isinstance(system, GivesNetworkVectors) and system.is_table
    files = {} if folder is None else files_of_model(folder)
    return document.Passport(
        model=system.name,
        sha256="" if folder is None else hash_in_passport(folder),
        gives=gives,
        canaries=canaries,
        says=rows,
        rule=_rule(gives, rows[document.DOCUMENT], is_table=is_table),
        files=files,
        settings=_settings(system, canaries),
        versions=versions(),
        decision=decision,
        guards=() if gives in (document.Gives.ANSWERS, document.Gives.PHRASES) else tuple(guards),
        export=export,
    )


def _rows(system: AnySystem, canaries: Canaries) -> tuple[document.Gives, dict[str, Floats32]]:
    """The kind of a model's outputs, and its rows on the canaries."""
    if isinstance(system, Encoder):
        return document.Gives.VECTORS, _vectors(system, list(canaries.texts))
    if isinstance(system, PhraseEncoder):
        return document.Gives.PHRASES, _phrases(system, list(canaries.texts))
    if isinstance(system, SpanReader):
        return document.Gives.ANSWERS, {document.DOCUMENT: _answers(system, canaries.pairs)}
    if isinstance(system, Classifier):
        found = np.asarray(system.classify(canaries.pairs), dtype=np.float32)
        return document.Gives.CLASSES, {document.DOCUMENT: found}
    found = np.asarray(system.score(canaries.pairs), dtype=np.float32)
    return document.Gives.SCORES, {document.DOCUMENT: found[:, None]}


def _answers(reader: SpanReader, pairs: Sequence[tuple[str, str]]) -> Floats32:
    """The score of the best words for each pair, as question and passage; then by how much none is better.

    Both are zero where there are no words. Neither depends on the rule for "no answer", which can be fitted
    anew.
    """
    questions, passages = [one for one, _ in pairs], [other for _, other in pairs]
    if isinstance(reader, PointsAtSpans) and reader.answers_none:
        margins = reader.margins(questions, passages)
        rows = [(0.0, 0.0) if one is None else (one[1].score, one[0]) for one in margins]
        return np.array(rows, dtype=np.float32)
    best = [
        next((one.score for one in given if one.end), 0.0) for given in reader.read(questions, passages, k=2)
    ]
    return np.array(best, dtype=np.float32)[:, None]


def _phrases(encoder: PhraseEncoder, texts: list[str]) -> dict[str, Floats32]:
    """The mean vector of each text's phrases, and its vector as a question."""
    questions, passages = encoder.questions(texts), np.zeros((len(texts), encoder.dim), dtype=np.float32)
    if not isinstance(questions, np.ndarray):
        raise ModelError(f"{encoder.name} gives sparse vectors", fix="choose a model with dense ones")
    for row, one in zip(passages, encoder.phrases(texts), strict=True):
        if len(one):
            row[:] = one.vectors.mean(axis=0)
    return {document.DOCUMENT: passages, document.QUERY: questions}


def _vectors(encoder: Encoder, texts: list[str]) -> dict[str, Floats32]:
    """The vectors of each side, and those with textkin's own additions, if these differ."""
    if not isinstance(encoder, GivesNetworkVectors):
        rows = {side: encoder.encode(texts, side=side) for side in (Side.DOCUMENT, Side.QUERY)}
        same = np.array_equal(rows[Side.DOCUMENT], rows[Side.QUERY])
        return {document.DOCUMENT: rows[Side.DOCUMENT]} | ({} if same else {document.QUERY: rows[Side.QUERY]})
    found = {document.DOCUMENT: encoder.network_vectors(texts, side=Side.DOCUMENT)}
    if encoder.has_sides:
        found[document.QUERY] = encoder.network_vectors(texts, side=Side.QUERY)
    if encoder.adds_unknown:
        spelt = encoder.encode(texts, side=Side.DOCUMENT)
        # Only unknown tokens make a difference; the order of summation doesn't count as one.
        if np.abs(spelt - found[document.DOCUMENT]).max() > _ROUNDING:
            found[document.SPELT] = spelt
    return found


def _rule(gives: document.Gives, rows: Floats32, *, is_table: bool) -> DriftRule:
    return DriftRule.of_vectors(is_table=is_table) if gives.are_vectors else DriftRule.of_scores(rows)


def _settings(system: AnySystem, canaries: Canaries) -> dict[str, Any]:
    found: dict[str, Any] = dict(system.settings()) if isinstance(system, HasSettings) else {}
    if isinstance(system, ReadsTokens):
        longest = int(system.lengths(canaries.texts).max(initial=0))
        found["limits"] = {"max_tokens": system.max_tokens, "longest_canary": longest}
    if isinstance(system, Classifier):
        found["classes"] = list(system.labels)
    return found


def hash_in_passport(model: Path | str) -> str:
    """The hash that identifies a model in passports and decisions; for an export, its files' hash.

    Raises:
        ModelError: there is no such model.
        UsageError: it can't be read.
    """
    folder = located(model)
    return sha256_of_json(files_of_model(folder)) if (folder / EXPORT).is_file() else hash_of_scorer(model)


def write_passport(passport: document.Passport, path: Path | str) -> Path:
    """Write a passport atomically.

    Args:
        passport: the passport.
        path: the file, or the model's folder.

    Returns:
        The path of the file.

    Raises:
        OutputError: it isn't writable.
    """
    place = Path(path)
    place = place / PASSPORT if place.is_dir() else place
    inside = place.name == PASSPORT and (place.parent / MANIFEST).is_file()
    write_json(place, passport.to_dict(decision_in=MANIFEST if inside else None))
    return place


def read_passport(path: Path | str) -> document.Passport:
    """The passport in a file or in the folder of a model.

    Raises:
        ModelError: there is none, or it can't be read.
    """
    place = Path(path)
    place = place / PASSPORT if place.is_dir() else place
    if not place.exists():
        raise ModelError(
            f"there is no passport {place}",
            fix="make it from a model that you trust: `verify()` with `out`",
        )
    manifest = place.parent / MANIFEST
    beside = decision_in(place.parent) if manifest.is_file() else None
    return document.Passport.from_dict(read_object(place), place, decision=beside)


def decision_beside(folder: Path) -> document.PassportDecision:
    """Threshold and calibration in the passport of another library's folder; none of other files.

    Raises:
        ModelError: the passport can't be read.
        UsageError: a file of the folder can't be read.
    """
    if not (folder / PASSPORT).is_file():
        return document.PassportDecision()
    kept = read_passport(folder)
    if kept.decision == document.PassportDecision() or kept.files == files_of_model(folder):
        return kept.decision
    remark(
        f"{folder}: the threshold in {PASSPORT} is left aside, since it is of other files"
        + spelt("; `calibrate()` makes one")
    )
    return document.PassportDecision()


def decision_in(folder: Path) -> document.PassportDecision:
    """Threshold and calibration of a textkin model folder.

    Raises:
        ModelError: the manifest can't be read.
    """
    return document.PassportDecision.from_dict(read_object(folder / MANIFEST))
