"""A folder that records the progress of a join, so that it can resume after a stop."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

from textkin.base.errors import UsageError
from textkin.base.files import atomic_path, ensure_folder, remove_temporaries, write_json
from textkin.vectors.join.pair_list import Pairs, load

_ABOUT = "join.json"


@final
class Journal:
    """The pairs of each finished block, one file per block, written atomically.

    Args:
        folder: created if missing.
        decides: all parameters that the pairs depend on.

    Raises:
        UsageError: the folder belongs to another join.
        OutputError: the folder can't be written to.
    """

    def __init__(self, folder: Path | str, decides: Mapping[str, Any]) -> None:
        self._folder = ensure_folder(folder)
        remove_temporaries(self._folder)
        about = self._folder / _ABOUT
        if not about.exists():
            write_json(about, decides)
        elif (before := _read(about)) != decides:
            keys = sorted(key for key in {*before, *decides} if before.get(key) != decides.get(key))
            raise UsageError(
                f"{self._folder} holds a join with other {', '.join(keys)}",
                fix="choose another folder, or remove this one",
                params=("out",),
                value=self._folder,
            )

    def pairs_of(self, block: int) -> Pairs | None:
        """The pairs of a block, memory-mapped; None if it isn't finished."""
        path = self._path(block)
        return load(path) if path.exists() else None

    def write(self, block: int, pieces: Iterable[Pairs]) -> Pairs:
        """Record a block as finished, and return its pairs, memory-mapped."""
        path = self._path(block)
        with atomic_path(path) as temporary, temporary.open("wb") as stream:
            for piece in pieces:
                piece.tofile(stream)
        return load(path)

    def _path(self, block: int) -> Path:
        return self._folder / f"block-{block:06}.pairs"


def hash_of_rows(values: NDArray[np.float32]) -> str:
    """The SHA-256 of vectors and their shape."""
    digest = hashlib.sha256(str(values.shape).encode())
    digest.update(values.data)
    return digest.hexdigest()


def _read(path: Path) -> dict[str, Any]:
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except ValueError:
        found = None
    if not isinstance(found, dict):
        raise UsageError(f"{path} is no note of a join", fix="choose another folder")
    return found
