"""The manifest of a phrase index: what it was made of, its size and its files."""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from textkin.base.errors import DataError, UsageError, said
from textkin.base.json_records import json_object, restored
from textkin.collection.phrases.exact_search import ShortRecord
from textkin.collection.phrases.faiss_cells import PhraseIndexOptions
from textkin.collection.phrases.vector_files import Kind
from textkin.vectors.index.recall import MeasuredRecall
from textkin.vectors.index.resumable_folder import MANIFEST

FORMAT, HOLDS = 3, "index of phrases"
AGAIN = "build the index again"
_MAKE = "make one: `phrases.index()`"


@dataclass(frozen=True, slots=True)
class StoredRecord:
    """How the rows of an index are stored.

    Attributes:
        kind: "dense", "sparse" or "tokens".
        rows: number of rows: of phrases, or of tokens.
        width: width of a vector.
        numbers: number of numbers in sparse rows; 0 for others.
    """

    kind: Kind
    rows: int
    width: int
    numbers: int


@dataclass(frozen=True, slots=True)
class FileRecord:
    """The size and the hash of a file."""

    bytes: int
    sha256: str


@dataclass(frozen=True, slots=True)
class MadeOf:
    """The encoder and the options of an index; the manifest has further hashes, to tell builds apart.

    Attributes:
        model: the encoder's name.
        model_hash: identifies the encoder.
        options: the options of the index.
    """

    model: str
    model_hash: str
    options: PhraseIndexOptions


@dataclass(frozen=True, slots=True)
class PhraseManifest:
    """The content of the manifest.

    Attributes:
        made_of: the encoder and the options.
        model_place: the encoder's location when the index was built.
        passages: number of passages.
        phrases: number of phrases.
        dim: width of the vectors.
        bytes: total size of the files.
        stored: how the rows are stored.
        short: parameters of the short rows; None without these.
        recall: the measured recall of an approximate search.
        files: all files of the index, by name.
    """

    made_of: MadeOf
    model_place: str
    passages: int
    phrases: int
    dim: int
    bytes: int
    stored: StoredRecord
    short: ShortRecord | None
    recall: tuple[MeasuredRecall, ...]
    files: dict[str, FileRecord]


def is_index(place: Path | str) -> bool:
    """True for the folder of an index of phrases, also of another version."""
    try:
        made_of = (json_object((Path(place) / MANIFEST).read_bytes()) or {}).get("made_of")
    except (OSError, ValueError):
        return False
    return isinstance(made_of, dict) and made_of.get("holds") == HOLDS


def read_manifest(folder: Path) -> PhraseManifest:
    """The manifest of an index.

    Raises:
        DataError: the folder is no index, has another format, or its manifest is invalid.
    """
    path = folder / MANIFEST
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
        holds, version = found["made_of"]["holds"], found["made_of"]["format"]
    except (OSError, ValueError, RecursionError, KeyError, TypeError) as error:
        raise DataError("is no index of phrases", path=folder, fix=_MAKE) from error
    if holds != HOLDS or version != FORMAT:
        raise DataError(
            f"holds {holds} of format {version}, expected an index of phrases of format {FORMAT}",
            path=folder,
            fix=AGAIN,
        )
    return phrase_manifest(found, path)


def phrase_manifest(found: dict[str, Any], path: Path) -> PhraseManifest:
    """The manifest of an index from its JSON object.

    Raises:
        DataError: a field is missing, or of another type.
    """
    try:
        return restored(PhraseManifest, found, finite=True)
    except (ValueError, RecursionError, UsageError) as error:
        raise DataError(f"is inconsistent: {said(error)}", path=path, fix=AGAIN) from error
