"""Whether a folder of vectors was made of the texts at hand, by the hashes that ``textkin encode`` notes."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from textkin.errors import DataError
from textkin.files import sha256_of_file
from textkin.paths import is_file, is_folder
from textkin.readers.filled_parts import filled_files_of

MANIFEST = "manifest.json"

_AGAIN = "encode them again: textkin encode MODEL TEXTS --out VECTORS makes what is missing or changed"


def refuse_other_texts(vectors: object, texts: Path | str) -> None:
    """Refuse vectors of texts that have changed since, where a folder of each is given.

    Nothing is known of vectors without a manifest, nor of texts that were put into one file since.

    Raises:
        DataError: a file of texts has no vectors, or is not the one that they were made of.
    """
    if not isinstance(vectors, Path | str) or not is_folder(vectors) or not is_folder(texts):
        return
    path = Path(vectors) / MANIFEST
    if not is_file(path):
        return
    noted = _noted(path)
    for part in filled_files_of(texts):
        if part.name not in noted:
            raise DataError(f"has no vectors of {part.name}", path=vectors, fix=_AGAIN)
        if noted[part.name] != sha256_of_file(part):
            raise DataError(f"{part.name} has changed since {vectors} was made of it", path=texts, fix=_AGAIN)


def _noted(path: Path) -> dict[str, Any]:
    """The hash of each file of texts."""
    try:
        shards = json.loads(path.read_text(encoding="utf-8"))["shards"]
        return {name: shard["texts_sha256"] for name, shard in shards.items()}
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise DataError("is no manifest of vectors", path=path, fix=_AGAIN) from error
