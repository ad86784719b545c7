"""Passports of models: creation, storage in the model's folder, and verification."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from textkin.base.errors import ModelError, invalid
from textkin.base.files import refuse_overwriting
from textkin.base.hub import located
from textkin.data.protocols import AnySystem, PhraseEncoder, SpanReader
from textkin.kinds.systems.open_folder import open_any
from textkin.measures.decisions.saved_thresholds import SavedDecision
from textkin.models.interop.folder_kinds import CERTIFICATE, PASSPORT
from textkin.models.passports.canaries import Canaries
from textkin.models.passports.checking import Checked, compare, require
from textkin.models.passports.document import ExportLoss, Passport, PassportDecision
from textkin.models.passports.making import passport_of, read_passport, write_passport
from textkin.models.provenance import hash_of_scorer
from textkin.text.baselines.names import BASELINES
from textkin.text.baselines.user_objects import given
from textkin.vectors.groups.guards import STANDARD


def make_passport(
    model: str | Path | AnySystem,
    *,
    out: Path | str | None = None,
    decision: Path | str | None = None,
    canaries: Canaries | None = None,
) -> Passport:
    """Create a model's passport.

    Args:
        model: a folder, also an export's, "default", the name of a cached model, or an object.
        out: the output file, or the model's folder; by default nothing is written.
        decision: a file of ``calibrate`` for the model; the folder's own by default.
        canaries: the texts to encode; the built-in ones by default.

    Raises:
        UsageError: it is a baseline, or ``out`` is one of the model's files.
        ModelError: the model can't be read, or the decision is for another one.
        DataError: the decision can't be read.
        MissingExtraError: the runtime of an export is not installed.
        OutputError: ``out`` can't be written.
    """
    if model in BASELINES:
        raise invalid(
            "model", model, expected="a model: a baseline is fixed by textkin's version and its texts"
        )
    folder = located(model) if isinstance(model, str | Path) else None
    saved = None if decision is None else _decision(decision, folder)
    if out is not None and folder is not None:
        refuse_overwriting([Path(out)], _files(folder), fix=f"write to {folder / PASSPORT}")
    if isinstance(model, str | Path) and folder is not None:
        opened = open_any(folder)
    else:
        opened = model if isinstance(model, SpanReader | PhraseEncoder) else given(model)
    made = passport_of_opened(opened, folder, canaries=canaries, decision=saved)
    if out is not None:
        write_passport(made, out)
    return made


def passport_of_opened(
    system: AnySystem,
    folder: Path | None,
    *,
    canaries: Canaries | None = None,
    decision: PassportDecision | None = None,
    guards: Sequence[str] = STANDARD,
) -> Passport:
    """The passport of an open model.

    Args:
        system: the model.
        folder: its location; None for an object. For an export, its passport's record of the original is
            copied.
        canaries: the texts to encode; the built-in ones by default.
        decision: threshold and calibration; the folder's own by default.
        guards: further rules that keep two texts apart.

    Raises:
        ModelError: the model returns numbers that aren't finite, or its folder can't be read.
        UsageError: a file of the folder can't be read.
    """
    kept = _kept(folder)
    return passport_of(
        system,
        folder=folder,
        canaries=canaries,
        decision=decision or (None if kept is None else kept.decision),
        guards=guards,
        export=None if kept is None else kept.export,
        is_table=None if kept is None else kept.rule.is_table,
    )


def check_against(
    model: str | Path | AnySystem, passport: Passport, *, accept_drift: bool = False
) -> Checked:
    """Verify a model against a passport.

    Args:
        model: as in :func:`make_passport`.
        passport: the expected passport.
        accept_drift: return the differences instead of an error.

    Raises:
        VerifyError: the model isn't the passport's; the message says what differs.
        UsageError: the model is a baseline.
        ModelError: the model can't be read.
        MissingExtraError: the runtime of an export is not installed.
    """
    found = make_passport(model, canaries=passport.canaries)
    return require(compare(passport, found), accept_drift=accept_drift)


def keep_passport(
    system: AnySystem,
    folder: Path,
    *,
    name: str | None = None,
    decision: PassportDecision | None = None,
    export: ExportLoss | None = None,
    is_table: bool | None = None,
) -> None:
    """Write the passport of a just-saved model into its folder, perhaps by another name; see ``passport_of``.

    Raises:
        ModelError: the model returns numbers that aren't finite.
        OutputError: it can't be written.
    """
    made = passport_of(system, folder=folder, decision=decision, export=export, is_table=is_table)
    write_passport(made if name is None else replace(made, model=name), folder)


def kept_in(model: str | Path) -> Path | None:
    """The passport in a model's folder; None without one.

    Raises:
        ModelError: there is no such model.
    """
    if model in BASELINES:
        return None
    place = located(model) / PASSPORT
    return place if place.is_file() else None


def _kept(folder: Path | None) -> Passport | None:
    """The passport in an export, written when the original was known."""
    if folder is None or not (folder / CERTIFICATE).is_file() or not (folder / PASSPORT).is_file():
        return None
    return read_passport(folder)


def _decision(path: Path | str, folder: Path | None) -> PassportDecision:
    if folder is None:
        raise ModelError(
            f"{path} is a decision of a saved model, and this is an object", fix="give the model's folder"
        )
    found = SavedDecision.read(path)
    found.require(hash_of_scorer(folder), path=path, name=str(folder))
    return PassportDecision(found.threshold, found.calibration)


def _files(folder: Path) -> list[Path]:
    return [item for item in folder.rglob("*") if item.is_file() and item.name != PASSPORT]
