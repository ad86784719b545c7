"""The manifest of a folder of vectors, written by ``textkin encode``, and its check against texts."""

import json
from pathlib import Path
from typing import Any

from textkin.base.errors import DataError
from textkin.base.files import sha256_of_file
from textkin.base.paths import is_file, is_folder
from textkin.data.readers.text_files import filled_files_of

MANIFEST, FORMAT = "manifest.json", 1

_KEYS = {"texts_sha256", "vectors", "vectors_sha256", "ids", "ids_sha256", "count", "dim"}
_AGAIN = "encode them again: `encode()` with the same `out` makes what is missing or changed"


def read_manifest(folder: Path | str) -> dict[str, Any] | None:
    """The manifest of a folder of vectors; None if it has none.

    Raises:
        DataError: the manifest is invalid.
    """
    path = Path(folder) / MANIFEST
    if not is_file(path):
        return None
    try:
        found: dict[str, Any] = json.loads(path.read_text(encoding="utf-8-sig"))
        shards = found["shards"].values()
        whole = (
            "made_of" in found and found["format"] == FORMAT and all(one.keys() >= _KEYS for one in shards)
        )
    except (ValueError, KeyError, TypeError, AttributeError):
        whole = False
    if not whole:
        raise DataError(
            "is not a manifest of vectors", path=path, fix="remove the folder, and encode the texts again"
        )
    return found


def refuse_other_texts(vectors: object, texts: Path | str) -> None:
    """Raise if texts have changed since their vectors were made, for a folder of each.

    Vectors without a manifest can't be checked, nor texts that were merged into one file since.

    Raises:
        DataError: a file of texts has no vectors, or has changed since they were made.
    """
    if not isinstance(vectors, Path | str) or not is_folder(vectors) or not is_folder(texts):
        return
    if (manifest := read_manifest(vectors)) is None:
        return
    shards = manifest["shards"]
    for part in filled_files_of(texts):
        if part.name not in shards:
            raise DataError(f"has no vectors of {part.name}", path=vectors, fix=_AGAIN)
        if shards[part.name]["texts_sha256"] != sha256_of_file(part):
            raise DataError(f"{part.name} has changed since {vectors} was made of it", path=texts, fix=_AGAIN)
