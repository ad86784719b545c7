"""What ``textkin encode`` writes beside vectors, the manifest and the ids, and its check against texts."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from textkin.base.errors import DataError, said
from textkin.base.files import sha256_of_file
from textkin.base.json_records import restored
from textkin.base.paths import is_file, is_folder
from textkin.data.readers.text_files import filled_files_of

MANIFEST = "manifest.json"

_AGAIN = "encode them again: `encode()` with the same `out` makes what is missing or changed"
_OR_REMOVE = "encode the texts again, or remove this file if it is not of these vectors"
_DIGITS = 19  # numbers with fewer fit into 64 bits


@dataclass(frozen=True, slots=True)
class ShardRecord:
    """The vectors of one file of texts.

    Attributes:
        texts_sha256: hash of the file of texts.
        vectors: name of the file of vectors.
        vectors_sha256: its hash.
        ids: name of the file of ids.
        ids_sha256: its hash.
        count: number of texts.
        dim: width of the vectors.
    """

    texts_sha256: str
    vectors: str
    vectors_sha256: str
    ids: str
    ids_sha256: str
    count: int
    dim: int


@dataclass(frozen=True, slots=True)
class VectorsManifest:
    """The content of a folder of vectors.

    Attributes:
        made_of: everything that the vectors depend on, besides the texts.
        precision: of the numbers, "fp32" or "bf16".
        shards: the vectors of each file of texts, by its name.
        format: the format of the folder.
    """

    made_of: dict[str, Any]
    precision: Literal["fp32", "bf16"]
    shards: dict[str, ShardRecord]
    format: Literal[1]


def read_manifest(folder: Path | str) -> VectorsManifest | None:
    """The manifest of a folder of vectors; None if it has none.

    Raises:
        DataError: the manifest is invalid.
    """
    path = Path(folder) / MANIFEST
    if not is_file(path):
        return None
    try:
        return restored(VectorsManifest, json.loads(path.read_text(encoding="utf-8-sig")))
    except (OSError, ValueError, RecursionError) as error:
        raise DataError(
            f"is not a manifest of vectors: {said(error)}",
            path=path,
            fix="remove the folder, and encode the texts again",
        ) from error


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
    for part in filled_files_of(texts):
        if part.name not in manifest.shards:
            raise DataError(f"has no vectors of {part.name}", path=vectors, fix=_AGAIN)
        if manifest.shards[part.name].texts_sha256 != sha256_of_file(part):
            raise DataError(f"{part.name} has changed since {vectors} was made of it", path=texts, fix=_AGAIN)


def refuse_other_ids(vectors: object, ids: Sequence[str], texts: Path | str) -> None:
    """Raise if the file of ids beside a file of vectors has others than the texts, or another order.

    Vectors without that file can't be checked, nor texts that are numbered here or there, rather than named.
    Another number of vectors is another error.

    Raises:
        DataError: an id differs.
    """
    if not isinstance(vectors, Path | str) or not is_file(beside := Path(vectors).with_suffix(".ids.txt")):
        return
    try:
        with beside.open(encoding="utf-8", newline="") as stream:
            made_of = stream.read()
    except (OSError, UnicodeDecodeError) as error:
        raise DataError("the ids of the vectors can't be read", path=beside, fix=_OR_REMOVE) from error
    theirs, ours = made_of.split("\n"), "".join(f"{one}\n" for one in ids).split("\n")
    if len(theirs) != len(ours) or theirs == ours:
        return
    if set(theirs) != set(ours) and (is_numbering(theirs[:-1]) or is_numbering(ours[:-1])):
        return
    place = next(place for place, (one, other) in enumerate(zip(theirs, ours, strict=True)) if one != other)
    raise DataError(
        f"has the id {theirs[place][:40]!r} where the texts of {texts} have {ours[place][:40]!r}: "
        f"{Path(vectors).name} holds the vectors of other texts, or in another order",
        path=beside,
        line=place + 1,
        fix=_OR_REMOVE,
    )


def is_numbering(ids: Sequence[str]) -> bool:
    """True for rising numbers as Python writes them, as those of rows are."""
    last = -1
    for name in ids:
        is_number = name.isascii() and name.isdecimal() and len(name) < _DIGITS
        if not is_number or (number := int(name)) <= last or str(number) != name:
            return False
        last = number
    return True
