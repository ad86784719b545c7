"""The folder of an ensemble: its members by hash, and their combination.

::

    ensemble.json   the manifest: kind, members with their places and hashes, rule, weights and normalisation,
                    what these were fitted on, the cross-fitted figure, threshold and calibration
    seen.npy        hashes of the texts and pairs that it was fitted on, see ``training_texts.py``
    README.md       the card

The members stay in place. Their paths are relative to the folder, so both can be moved together.
"""

from __future__ import annotations

import os
from abc import ABC
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import Any, Generic, TypeVar

from textkin.base.errors import ModelError, OutputError, UsageError
from textkin.base.files import atomic_files, ensure_folder, sha256_of_file, write_json, write_text
from textkin.base.hub import name_of
from textkin.base.json_fields import read_object, strings, table, text, wrong
from textkin.base.json_records import restored
from textkin.base.paths import is_file
from textkin.data.splits.training_texts import Seen
from textkin.measures.decisions.calibration import Calibration
from textkin.measures.decisions.combination import Combination, CombinedBy, combination_from_dict
from textkin.measures.decisions.saved_thresholds import SavedThreshold
from textkin.models.interop.folder_kinds import ENSEMBLE, MANIFEST
from textkin.models.manifest import require_format
from textkin.models.passports.document import PassportDecision
from textkin.version import __version__

PREDICTIONS = "predictions of "
"""The prefix of a member of which only predictions are known, before its name."""

CARD = "README.md"
SEEN = "seen.npy"
FORMAT = 1
_AGAIN = "make it again with `ensemble()`"


class Together(StrEnum):
    """The kind of data on which members were combined."""

    PAIRS = "pairs"
    RANKINGS = "rankings"
    CLASSES = "classes"
    SPANS = "spans"
    CHOICES = "choices"


@dataclass(frozen=True, slots=True)
class Member:
    """A model in an ensemble.

    Attributes:
        model: a baseline, the name of a cached model, or a folder, by its path from the ensemble's.
        sha256: its hash, see ``models.provenance.hash_of_scorer``; for a reader ``hash_of_model``.
        is_folder: True if it is a folder.
        prefix: a prefix of the model's name, such as "support:".
        suffix: a number after it, such as ":5".
    """

    model: str
    sha256: str
    is_folder: bool = False
    prefix: str = ""
    suffix: str = ""

    @classmethod
    def at(cls, folder: Path, *, sha256: str, out: Path, prefix: str = "", suffix: str = "") -> Member:
        """A model in a folder, for an ensemble in another."""
        return cls(to_folder(folder, out), sha256, is_folder=True, prefix=prefix, suffix=suffix)

    def word(self, folder: Path) -> str:
        """The word that opens it, relative to the working directory; ``folder`` is the ensemble's."""
        if not self.is_folder:
            return self.model
        return f"{self.prefix}{self.place(folder)}{self.suffix}"

    def place(self, folder: Path) -> Path:
        """The folder of the model, relative to the working directory; ``folder`` is the ensemble's."""
        return from_folder(self.model, folder)


def to_folder(path: Path, folder: Path) -> str:
    """A path relative to an ensemble's folder, so that both can be moved together."""
    place = os.path.realpath(path)
    try:
        return Path(os.path.relpath(place, os.path.realpath(folder))).as_posix()
    except ValueError:  # another drive
        return place


def from_folder(place: str, folder: Path) -> Path:
    """The path from :func:`to_folder`, relative to the working directory."""
    return Path(os.path.normpath(Path(os.path.realpath(folder)) / place))


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class SavedEnsemble:
    """The contents of an ensemble's folder.

    Attributes:
        name: its name in tables.
        kind: the kind of data it was fitted on.
        members: the members.
        rule: the combination rule.
        combination: the fitted rule.
        fitted_on: the name of the data.
        data_sha256: the hash of the data's content.
        classes: the labels of classifiers, in the order of their probabilities.
        figures: results on the data: the cross-fitted ensemble and each member.
        seen: its training data; once loaded, also that of the members.
        threshold: the threshold for yes or no decisions, if fitted.
        calibration: scores to probabilities, if fitted.
        looked_up: the corpora of choosers among the members, by paths from the folder; see
            :func:`from_folder`.
        folder: the folder it was loaded from.
        no_answer: None: an ensemble of readers answers none if that is most likely.
    """

    name: str
    kind: Together
    members: tuple[Member, ...]
    rule: CombinedBy
    combination: Combination
    fitted_on: str
    data_sha256: str
    classes: tuple[str, ...] = ()
    figures: Mapping[str, Any] = field(default_factory=dict)
    seen: Seen | None = None
    threshold: SavedThreshold | None = None
    calibration: Calibration | None = None
    looked_up: Mapping[str, Any] = field(default_factory=dict)
    folder: Path | None = None
    no_answer: None = None

    @property
    def provenance(self) -> Mapping[str, Any]:
        """Its provenance, as for a model."""
        return {"dev_sha256": self.data_sha256}


def save_ensemble(ensemble: SavedEnsemble, folder: Path | str, *, card: str) -> Path:
    """Write the folder atomically; an older ensemble in its place is replaced.

    Raises:
        OutputError: the folder contains something else, or isn't writable.
    """
    target = Path(folder)
    require_place(target)
    ensure_folder(target)
    with atomic_files(target, last=ENSEMBLE) as staged:
        hashes = {}
        if ensemble.seen is not None:
            ensemble.seen.save(staged / SEEN)
            hashes[SEEN] = sha256_of_file(staged / SEEN)
        write_text(staged / CARD, card)
        write_json(staged / ENSEMBLE, {**_manifest(ensemble), "files": hashes})
    return target


def require_place(folder: Path) -> None:
    """Check that a folder can hold an ensemble: it is missing, empty, or contains one.

    Raises:
        OutputError: it contains something else.
    """
    if is_file(folder / MANIFEST):
        raise OutputError(
            f"{folder} holds a model, and an ensemble needs a folder of its own", fix="give another `out`"
        )
    if is_file(folder / ENSEMBLE) or not folder.exists():
        return
    if not folder.is_dir() or any(not item.name.startswith(".") for item in folder.iterdir()):
        raise OutputError(
            f"{folder} is not an empty folder, and holds no ensemble to replace", fix="give another `out`"
        )


def save_ensemble_decision(
    folder: Path, *, threshold: SavedThreshold | None, calibration: Calibration | None
) -> None:
    """Write a new threshold and calibration into an ensemble's folder."""
    write_json(
        folder / ENSEMBLE, _read(folder / ENSEMBLE) | PassportDecision(threshold, calibration).fields()
    )


def load_saved(folder: Path | str) -> SavedEnsemble:
    """Read the folder of an ensemble without opening its members.

    Raises:
        ModelError: it is missing, damaged, or has another format.
    """
    source = Path(folder)
    path = source / ENSEMBLE
    manifest = _read(path)
    members = _members(manifest, path)
    fitted_on = table(manifest, "fitted_on", path)
    try:
        kind, rule = Together(text(manifest, "kind", path)), CombinedBy.of(text(manifest, "rule", path))
        combination = combination_from_dict(table(manifest, "combination", path), members=len(members))
        decision = PassportDecision.from_dict(manifest)
    except (ModelError, UsageError, ValueError, KeyError, TypeError) as error:
        said = error.message if isinstance(error, ModelError | UsageError) else str(error)
        raise ModelError(said, path=path, fix=_AGAIN) from error
    return SavedEnsemble(
        name=name_of(source),
        kind=kind,
        members=members,
        rule=rule,
        combination=combination,
        fitted_on=text(fitted_on, "name", path),
        data_sha256=text(fitted_on, "sha256", path),
        classes=tuple(strings(manifest, "classes", path)),
        figures=table(manifest, "figures", path),
        seen=_seen(source, manifest),
        threshold=decision.threshold,
        calibration=decision.calibration,
        looked_up=table(manifest, "looked_up", path),
        folder=source.resolve(),
    )


def _read(path: Path) -> dict[str, Any]:
    if not path.is_file():
        raise ModelError(f"is not an ensemble: it has no {ENSEMBLE}", path=path.parent, fix=_AGAIN)
    manifest = read_object(path)
    require_format(manifest, path, known=FORMAT, again=_AGAIN)
    return manifest


def _members(manifest: Mapping[str, Any], path: Path) -> tuple[Member, ...]:
    try:
        members = restored(tuple[Member, ...], manifest.get("members"))
    except ValueError as error:
        raise ModelError(f"members can't be read: {error}", path=path, fix=_AGAIN) from error
    if len(members) < 2:
        raise wrong(manifest, "members", path, "two members or more")
    return members


def _seen(folder: Path, manifest: Mapping[str, Any]) -> Seen | None:
    hashes = table(manifest, "files", folder / ENSEMBLE)
    if SEEN not in hashes:
        return None
    path = folder / SEEN
    if not is_file(path) or sha256_of_file(path) != hashes[SEEN]:
        raise ModelError(
            f"is missing, damaged, or of another ensemble than {ENSEMBLE}", path=path, fix=_AGAIN
        )
    return Seen.load(path)


def _manifest(ensemble: SavedEnsemble) -> dict[str, Any]:
    return {
        "format": FORMAT,
        "textkin": __version__,
        "kind": ensemble.kind.value,
        "members": [asdict(one) for one in ensemble.members],
        "rule": ensemble.rule.value,
        "combination": ensemble.combination.to_dict(),
        "classes": list(ensemble.classes),
        "fitted_on": {"name": ensemble.fitted_on, "sha256": ensemble.data_sha256},
        "figures": dict(ensemble.figures),
        **PassportDecision(ensemble.threshold, ensemble.calibration).fields(),
        **({"looked_up": dict(ensemble.looked_up)} if ensemble.looked_up else {}),
    }


_Member = TypeVar("_Member")


class Ensemble(ABC, Generic[_Member]):
    """Base class of ensembles.

    Args:
        members: the systems.
        combination: the fitted combination, see ``measures.decisions.combination_fit``.
        name: its name in tables.
        model: the saved ensemble, if loaded from a folder.
    """

    def __init__(
        self,
        members: Sequence[_Member],
        combination: Combination,
        *,
        name: str,
        model: SavedEnsemble | None = None,
    ) -> None:
        self.members, self.combination = tuple(members), combination
        self.name, self.model = name, model
