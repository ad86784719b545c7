"""Lookup of models by name: built-in ones, folders, the environment's models, the Hugging Face cache.

The models of an environment are the folders in ``share/textkin/models`` under :data:`sys.prefix`.

Only :func:`fetch` uses the network.
"""

import os
import re
import sys
from collections.abc import Iterable
from pathlib import Path
from types import MappingProxyType

from textkin.base.errors import ModelError, did_you_mean, either, nearest, said
from textkin.base.paths import is_file, is_folder, real

DEFAULT = "default"
"""Name of the built-in static encoder; a folder with this name is ``./default`` or a ``Path``."""

MINILM = "minilm"
"""Name of the built-in transformer, all-MiniLM-L6-v2; the same holds for folders."""

READER = "reader"
"""Name of the built-in reader, which points at the words of an answer."""

RANKER = "ranker"
"""Name of the built-in cross-encoder, which says how well a sentence answers a question."""

NLI = "nli"
"""Name of the built-in cross-encoder that says whether a text follows from another, or contradicts it."""

PHRASES = "phrases"
"""Name of the built-in encoder of phrases and questions, apart from each other."""

ENCODERS = (DEFAULT, MINILM)
"""Names of the built-in encoders of texts."""

BOX = (*ENCODERS, READER, RANKER, NLI, PHRASES)
"""Names of the built-in models, encoders first."""

_BOX = MappingProxyType({name: Path(__file__).parents[1] / "models" / "box" / name for name in BOX})
_NAME = re.compile(r"[A-Za-z0-9][\w.-]*(/[A-Za-z0-9][\w.-]*)?")
_OWNER = "sentence-transformers"  # of models named without an owner
_SOURCE = "all-minilm-l6-v2"  # the source of MINILM, as people may write it
# Never pickles, and never files in other programs' formats.
_FILES = ("*.json", "*.safetensors", "*.txt", "*.md")
_NOT = ("onnx/*", "openvino/*")


def in_box(name: object) -> bool:
    """True if a name refers to a built-in model; a path never does."""
    return isinstance(name, str) and name in _BOX


def locate(name: Path | str) -> Path | None:
    """The local folder of a model: built-in, given as a folder, installed, or cached."""
    if in_box(name):
        return _BOX[str(name)]
    if is_folder(name):
        return Path(name)
    if str(name) in (known := installed()):
        return known[str(name)]
    found = (_snapshot(cache() / f"models--{one.replace('/', '--')}") for one in _repositories(str(name)))
    return next((place for place in found if place is not None), None)


def located(name: Path | str) -> Path:
    """The local folder of a model, see :func:`locate`; an error if there is none.

    Raises:
        ModelError: there is neither a folder nor a cached model with this name; it lists the locations
            searched.
    """
    if not isinstance(name, str | Path):
        raise ModelError(f"the model is of type {type(name).__name__}, expected a folder or a name")
    if not in_box(name) and is_file(name):
        raise ModelError(
            "is a file, expected a model directory", path=name, fix="give the folder that holds it"
        )
    found = locate(name)
    if found is None:
        raise ModelError(
            f"there is no model {str(name)!r}: {searched(name)}",
            fix=either(
                "give a folder", "fetch the model with `download`", did_you_mean_model(str(name), BOX)
            ),
            value=str(name),
        )
    return found


def did_you_mean_model(name: str, known: Iterable[str]) -> str:
    """The fix for a missing model: the nearest known name, or the built-in model made from it."""
    names = list(known)
    if MINILM in names and name.casefold().removeprefix(f"{_OWNER}/") == _SOURCE:
        return f"take {MINILM!r}, which is that model, built in"
    if nearest(name, names) is None:
        names = [one for one in names if ":" not in one]  # without baselines for each language
    return did_you_mean(name, names)


def searched(name: Path | str) -> str:
    """The locations that :func:`locate` searches for a name, in words."""
    looked = f"no folder {Path(name).absolute()}"
    return f"{looked}, and not in the cache {cache()}" if _repositories(str(name)) else looked


def installed() -> dict[str, Path]:
    """The folders of the environment's models, by name."""
    place = Path(sys.prefix) / "share" / "textkin" / "models"
    return {one.name: one for one in sorted(place.iterdir())} if is_folder(place) else {}


def cached() -> dict[str, Path]:
    """The folders of downloaded models, by name."""
    if not is_folder(cache()):
        return {}
    found = {place: _snapshot(place) for place in sorted(cache().glob("models--*"))}
    return {name_of(folder): folder for folder in found.values() if folder is not None}


def cache() -> Path:
    """The folder of downloaded models, by the environment variables of ``huggingface_hub``."""
    for variable in ("HF_HUB_CACHE", "HUGGINGFACE_HUB_CACHE"):
        if found := os.environ.get(variable):
            return Path(found).expanduser()
    if home := os.environ.get("HF_HOME"):
        return Path(home).expanduser() / "hub"
    base = os.environ.get("XDG_CACHE_HOME") or "~/.cache"
    return Path(base).expanduser() / "huggingface" / "hub"


def name_of(folder: Path) -> str:
    """The name of a folder's model in tables: the folder's name, or a cached model's own."""
    if (name := _built_in(folder)) is not None:
        return name
    place = real(folder)
    if place.parent.name == "snapshots" and place.parent.parent.name.startswith("models--"):
        return place.parent.parent.name.removeprefix("models--").replace("--", "/")
    return place.name


def shown_model(folder: Path | str) -> str:
    """A model's folder in messages; of a built-in model its name."""
    return _built_in(folder) or str(folder)


def _built_in(folder: Path | str) -> str | None:
    place = real(folder)
    return next((name for name, box in _BOX.items() if place == real(box)), None)


def fetch(name: str) -> Path:
    """The folder of a model, downloaded into the cache if it isn't on this machine.

    Raises:
        ModelError: the hub can't be reached, or has no such model.
    """
    if (found := locate(name)) is not None:
        return found
    from huggingface_hub import snapshot_download

    reason = "that is not a name of the hub"
    for repository in _repositories(name):
        try:
            return Path(
                snapshot_download(
                    repository,
                    cache_dir=cache(),
                    allow_patterns=list(_FILES),
                    ignore_patterns=list(_NOT),
                )
            )
        except Exception as error:  # the library raises errors of its own, of the network and of the disk
            reason = said(error, whole=True)
    raise ModelError(
        f"{name!r} can't be fetched from the Hugging Face hub: {reason}",
        fix="check the name and the network, or give a folder",
    )


def _repositories(name: str) -> list[str]:
    """The hub's models that a name may refer to."""
    if not _NAME.fullmatch(name):
        return []
    return [name] if "/" in name else [name, f"{_OWNER}/{name}"]


def _snapshot(repository: Path) -> Path | None:
    """The current version of a cached model."""
    try:
        version = (repository / "refs" / "main").read_text(encoding="utf-8-sig").strip()
    except OSError:
        return None
    found = repository / "snapshots" / version
    return found if version and is_folder(found) else None
