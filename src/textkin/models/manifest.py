"""The manifest of a model folder, and the files that it names; read without the network."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import KW_ONLY, dataclass, field
from pathlib import Path, PurePosixPath
from typing import Any

from textkin.base.errors import ModelError
from textkin.base.files import sha256_of_file
from textkin.base.hub import shown_model
from textkin.base.json_fields import AGAIN, read_object, strings, table, text, whole
from textkin.base.paths import is_file
from textkin.data.splits.training_texts import Seen
from textkin.measures.decisions.calibration import Calibration
from textkin.measures.decisions.no_answer import SavedNoAnswer
from textkin.measures.decisions.saved_thresholds import SavedThreshold
from textkin.models.interop.folder_kinds import ENSEMBLE, EXPORT, MANIFEST
from textkin.models.passports.document import PassportDecision
from textkin.version import __version__

SEEN = "seen.npy"
FORMAT = 1
_OF_RUN = "model"
_PICKLES = (".bin", ".pt", ".pth", ".pkl", ".pickle", ".ckpt", ".h5", ".hdf5", ".joblib")


@dataclass(frozen=True, slots=True, eq=False)
class ModelFacts:
    """What a model folder says of its model.

    Attributes:
        name: its name in tables.
        threshold: the threshold for yes or no decisions, if fitted.
        calibration: scores to probabilities, if fitted.
        provenance: the model's origin: hashes, seed, versions.
        classes: the classes of a classifier's outputs, in order; otherwise empty.
        folder: the folder it was loaded from; None otherwise.
        seen: its training data; None if unknown, as for other libraries' models.
        no_answer: the no-answer rule of a reader, if fitted.
    """

    name: str
    _: KW_ONLY
    threshold: SavedThreshold | None = None
    calibration: Calibration | None = None
    provenance: Mapping[str, Any] = field(default_factory=dict)
    classes: tuple[str, ...] = ()
    folder: Path | None = None
    seen: Seen | None = None
    no_answer: SavedNoAnswer | None = None


def facts_of(source: Path, manifest: Mapping[str, Any]) -> ModelFacts:
    """The facts in a manifest.

    Raises:
        ModelError: they are damaged.
    """
    path = source / MANIFEST
    no_answer = None if manifest.get("no_answer") is None else table(manifest, "no_answer", path)
    try:
        decision = PassportDecision.from_dict(manifest)
        rule = None if no_answer is None else SavedNoAnswer.from_dict(no_answer)
    except ModelError as error:
        raise ModelError(error.message, path=path, fix=AGAIN) from error
    return ModelFacts(
        text(manifest, "name", path),
        threshold=decision.threshold,
        calibration=decision.calibration,
        provenance=table(manifest, "provenance", path),
        classes=tuple(strings(manifest, "classes", path)),
        folder=source.resolve(),
        seen=Seen.load(source / SEEN) if SEEN in manifest["files"] else None,
        no_answer=rule,
    )


def points_at_answers(model: ModelFacts) -> ModelError:
    """The error for a reader where texts are compared."""
    who = model.name if model.folder is None else shown_model(model.folder)
    return ModelError(
        f"{who} finds answers in passages, and doesn't compare texts", fix="use it with `answer()`"
    )


def read_seen(folder: Path | str) -> Seen | None:
    """The training data of the model in a folder, without reading the model.

    Raises:
        ModelError: the folder is damaged.
    """
    source = Path(folder)
    if not is_model_dir(source) or SEEN not in table(read_manifest(source), "files", source / MANIFEST):
        return None
    return Seen.load(source / SEEN)


def is_model_dir(path: Path | str) -> bool:
    """True if this folder contains a textkin manifest."""
    return is_file(Path(path) / MANIFEST)


def read_manifest(folder: Path) -> dict[str, Any]:
    """The manifest of a model folder, with its format checked.

    Raises:
        ModelError: there is none, it isn't JSON, or it has another format.
    """
    path = folder / MANIFEST
    if not path.is_file():
        raise ModelError(f"is not a textkin model: it has no {MANIFEST}{_foreign(folder)}", path=folder)
    manifest = read_object(path)
    require_format(manifest, path, known=FORMAT, again="save the model again")
    return manifest


def require_format(manifest: Mapping[str, Any], path: Path, *, known: int, again: str) -> None:
    """Check the format of a manifest.

    Args:
        manifest: its contents.
        path: its file.
        known: the format that this textkin reads.
        again: what to do about an older one.

    Raises:
        ModelError: it has another format.
    """
    version = whole(manifest, "format", path, least=0)
    if version != known:
        raise ModelError(
            f"has format {version}, this textkin {__version__} reads format {known}",
            path=path,
            fix="install a newer textkin" if version > known else again,
            params=("format",),
            value=version,
        )


def inside(folder: Path, name: str) -> Path:
    """A file of a folder by its manifest name; it may be a link, as in a cache.

    Raises:
        ModelError: the name leads outside, by itself or through a linked folder.
    """
    place = PurePosixPath(name)
    above = (folder / place.parent).resolve()
    if place.is_absolute() or ".." in place.parts or not above.is_relative_to(folder.resolve()):
        raise ModelError(
            f"names {name!r}, which is outside of the folder", path=folder / MANIFEST, fix=AGAIN, value=name
        )
    return folder / place


def check_files(folder: Path, hashes: Mapping[str, str]) -> None:
    """Check the files that a manifest names, by their hashes.

    Raises:
        ModelError: one is missing, or another one.
    """
    for name, expected in hashes.items():
        path = inside(folder, name)
        if path.exists() and not path.is_file():
            raise ModelError("is not a regular file", path=path, fix=AGAIN)
        try:
            found = sha256_of_file(path)
        except OSError as error:
            raise ModelError(f"can't be read: {error.strerror}", path=path, fix=AGAIN) from error
        if found != expected:
            raise ModelError(
                f"is truncated, damaged, or of another model than {MANIFEST}", path=path, fix=AGAIN
            )


def _foreign(folder: Path) -> str:
    if not folder.is_dir():
        return "; there is no such folder"
    if is_file(folder / ENSEMBLE):
        return f"; it has {ENSEMBLE}: an ensemble, which can't be trained, exported or copied"
    if is_model_dir(folder / _OF_RUN):
        return f"; it is the folder of a run, whose model is in {folder / _OF_RUN}"
    if is_file(folder / EXPORT):
        return "; it is an export for other programs: give the model that it was made from"
    pickles = sorted(item.name for item in folder.iterdir() if item.suffix in _PICKLES)
    if pickles:
        return (
            f"; it holds {pickles[0]!r}, and textkin never loads pickled weights, because they can run code; "
            "convert them to safetensors"
        )
    return "; give a folder that textkin saved"
