"""Dependencies of a run: hashes of code and files, library versions, the machine in words."""

import json
import os
import platform
import shlex
import sys
from collections.abc import Iterable, Sequence
from functools import cache
from importlib import metadata, resources
from pathlib import Path
from typing import Any

from textkin.base.errors import UsageError, invalid
from textkin.base.files import sha256_of_file, sha256_of_json
from textkin.base.hub import DEFAULT, located
from textkin.base.json_fields import read_object
from textkin.models.interop.folder_kinds import ENSEMBLE, EXPORT, MANIFEST, PASSPORT, Kind, kind_of
from textkin.text.baselines.analysers import ANALYSIS
from textkin.text.baselines.bm25_parameters import BM25, Bm25Parameters
from textkin.text.baselines.hybrid import hybrid_members
from textkin.text.baselines.names import BASELINES, BY_FREQUENCY, plain_name
from textkin.text.baselines.own_systems import hash_of_own, is_own
from textkin.version import __version__

_DECIDES_SCORES = ("architecture", "arguments", "similarity", "classes", "text", "files", "code")
_DECIDES_TOGETHER = ("kind", "members", "combination", "classes")
_GRAPHS = (".onnx", ".data", ".xml", ".bin")  # of exports
_LIBRARIES = ("numpy", "scipy", "torch", "tokenizers", "safetensors", "accelerate", "pydantic")


def code_hash() -> str:
    """One hash of all of textkin's Python files and recipes, as installed."""
    root = Path(str(resources.files("textkin")))
    files = sorted(path for path in root.rglob("*") if path.suffix in (".py", ".toml"))
    return sha256_of_json({path.relative_to(root).as_posix(): sha256_of_file(path) for path in files})


def versions() -> dict[str, str]:
    """Versions of Python, textkin and the libraries that results depend on."""
    found = {name: version for name in _LIBRARIES if (version := _version(name))}
    return {"python": platform.python_version(), "textkin": __version__} | found


@cache
def _version(name: str) -> str:
    """The version of an installed library, or ""; reading it takes milliseconds."""
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return ""


def machine() -> str:
    """The machine in words: cores, memory, system."""
    memory = ""
    if hasattr(os, "sysconf") and "SC_PHYS_PAGES" in os.sysconf_names:
        gigabytes = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") / 2**30
        memory = f"{gigabytes:.0f} GiB of memory, "
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return f"{cores} {'core' if cores == 1 else 'cores'}, {memory}{platform.system()} on {platform.machine()}"


def command_line(*commands: str) -> str:
    """The command line of this process, or "" if it isn't a textkin command."""
    program = Path(sys.argv[0])
    command = next((one for one in sys.argv[1:] if not one.startswith("-")), "")
    if program.stem in ("textkin", "__main__") and command in commands:
        return shlex.join(["textkin", *sys.argv[1:]])
    return ""


def hash_of_vectors(path: Path) -> str:
    """The hash of a text file of word vectors, or of a model2vec folder.

    Raises:
        UsageError: there is no such file or folder.
    """
    try:
        if path.is_dir():
            return sha256_of_json({item.name: sha256_of_file(item) for item in _weights_in(path.iterdir())})
        return sha256_of_file(path)
    except OSError as error:
        raise UsageError(
            f"`vectors` {path} can't be read: {error.strerror}",
            fix="give a text file of word vectors, or a model2vec folder",
            params=("vectors",),
            value=path,
        ) from error


def folder_of(system: object) -> Path | None:
    """The folder that a system of textkin's was opened from; None for others, and for those in memory."""
    if not type(system).__module__.startswith("textkin."):
        return None
    of_model = getattr(getattr(system, "model", None), "folder", None)
    found = of_model or getattr(system, "folder", None)
    return found if isinstance(found, Path) else None


def hash_of_scorer(
    model: Path | str, *, fit_texts: Sequence[str] = (), vectors: Path | None = None, seed: int = 0
) -> str:
    """The hash of everything a scorer's scores depend on, besides the two texts.

    A threshold that is saved with a model later doesn't change it, nor does the order of ``fit_texts``.

    Args:
        model: a folder, the name of a cached model, or a baseline.
        fit_texts: the source of a baseline's word frequencies.
        vectors: word vectors for the baseline mean-vectors.
        seed: the seed of the baseline random.

    Raises:
        ModelError: there is no such model.
        UsageError: it or the vectors can't be read.
    """
    if model in BASELINES:
        return sha256_of_json(
            {
                "baseline": plain_name(str(model)),
                "texts": sorted(set(fit_texts)) if model in BY_FREQUENCY else None,
                "vectors": None if vectors is None else hash_of_vectors(vectors),
                "seed": seed if model == "random" else None,
            }
            | ({"analysis": ANALYSIS} if model in BY_FREQUENCY else {})
            | ({"bm25": bm25.to_dict()} if (bm25 := Bm25Parameters.in_name(str(model))[1]) != BM25 else {})
        )
    if is_own(model):
        made = None if vectors is None else hash_of_vectors(vectors)
        return hash_of_own(str(model), fit_texts=fit_texts, vectors=made, seed=seed)
    if (hybrid := hybrid_members(str(model))) is not None:
        parts = [hash_of_scorer(one, fit_texts=fit_texts, vectors=vectors, seed=seed) for one in hybrid]
        return sha256_of_json({"hybrid": parts})
    folder = located(model)
    kind = kind_of(folder)
    if kind is Kind.ENSEMBLE:
        return _hash_of_ensemble(folder, fit_texts=fit_texts, vectors=vectors, seed=seed)
    if kind is not Kind.TEXTKIN:
        return hash_of_model(folder)
    try:
        manifest = json.loads((folder / MANIFEST).read_text(encoding="utf-8-sig"))
        return sha256_of_json({key: manifest[key] for key in _DECIDES_SCORES if key in manifest})
    except (OSError, ValueError, AttributeError, RecursionError) as error:
        raise UsageError(
            f"{folder / MANIFEST} can't be read: {error}", fix="copy the model folder again, whole"
        ) from error


def _hash_of_ensemble(folder: Path, *, fit_texts: Sequence[str], vectors: Path | None, seed: int) -> str:
    """The hash of the members' hashes, their combination, and the data of baselines among them.

    The members' locations don't count.
    """
    manifest = read_object(folder / ENSEMBLE)
    values = {key: manifest.get(key) for key in _DECIDES_TOGETHER}
    members = manifest.get("members")
    if not isinstance(members, list) or not all(isinstance(one, dict) for one in members):
        raise UsageError(f"{folder / ENSEMBLE} names no members", fix="make the ensemble again")
    values["members"] = [one.get("sha256") for one in members]
    names = [one.get("model") for one in members]
    values["baselines"] = [
        hash_of_scorer(name, fit_texts=fit_texts, vectors=vectors, seed=seed)
        for name in names
        if name in BASELINES
    ]
    return sha256_of_json(values)


def hash_of_model(folder: Path) -> str:
    """The hash of a model folder's manifest, which contains its files' hashes, or of a folder's files.

    Raises:
        UsageError: the folder contains no model, or a file of it can't be read.
    """
    kind = kind_of(folder)
    if kind is Kind.UNKNOWN:
        raise invalid("model", folder, expected="a folder with a model of textkin or another library")
    if kind in (Kind.TEXTKIN, Kind.ENSEMBLE):
        return _hashes(folder, [folder / (MANIFEST if kind is Kind.TEXTKIN else ENSEMBLE)]).popitem()[1]
    return sha256_of_json(_hashes(folder, _weights_in(folder.rglob("*"))))


def made_by(model: str | None, encoder: Any) -> dict[str, Any]:
    """Everything an encoder's vectors depend on besides the texts: the model and its precision.

    Args:
        model: its name or folder; None for ``default``.
        encoder: the open model.

    Raises:
        UsageError, ModelError: as :func:`hash_of_model`.
    """
    return {
        "model": hash_of_model(located(DEFAULT if model is None else model)),
        "computes": getattr(encoder, "computes", "fp32"),
    }


def files_of_model(folder: Path) -> dict[str, str]:
    """The SHA-256 of each file that determines a model's outputs, by its path in the folder.

    In a textkin folder these are the files named in its manifest: the manifest itself also has a threshold.

    Raises:
        UsageError: a file can't be read.
        ModelError: the manifest can't be read.
    """
    kind = kind_of(folder)
    if kind is Kind.TEXTKIN:
        return {name: str(sha256) for name, sha256 in read_object(folder / MANIFEST).get("files", {}).items()}
    if kind is Kind.ENSEMBLE:
        return _hashes(folder, [folder / ENSEMBLE])
    found = _weights_in(folder.rglob("*"))
    if (folder / EXPORT).is_file():
        found += sorted(item for item in folder.rglob("*") if item.suffix in _GRAPHS and item.is_file())
    return _hashes(folder, found)


def _hashes(folder: Path, files: Iterable[Path]) -> dict[str, str]:
    try:
        return {item.relative_to(folder).as_posix(): sha256_of_file(item) for item in files}
    except OSError as error:
        raise UsageError(
            f"{error.filename} can't be read: {error.strerror}", fix="copy the model folder again, whole"
        ) from error


def _weights_in(items: Iterable[Path]) -> list[Path]:
    """The files of weights and settings; special files are skipped, as reading a pipe would never end.

    A passport describes the others, and changes nothing.
    """
    return sorted(
        item
        for item in items
        if item.suffix in (".json", ".safetensors") and item.name != PASSPORT and item.is_file()
    )
