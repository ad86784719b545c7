"""Which models a collection has found to be its own, so that the next call needn't encode canaries again.

The file lies in the cache: without it, as where a collection is in a database, models are checked once more.
A model counts as checked only with the same files, against the same passport, by the same libraries,
and while textkin reads texts as it did.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import final

from textkin.base.errors import OutputError, TextkinError
from textkin.base.files import sha256_of_json, write_json
from textkin.base.json_fields import read_object, strings
from textkin.collection.noted_model import KnownModel
from textkin.collection.store.cache_files import FOLDER
from textkin.models.provenance import versions

FILE = "models.json"
READING = 2
"""The way in which textkin reads texts: raised when the same files come to give other vectors."""

_MOST = 64


@final
class CheckedModels:
    """The models that were checked.

    Args:
        known: what the collection knows of its model.
    """

    def __init__(self, known: KnownModel) -> None:
        self._path = known.folder / FOLDER / FILE if isinstance(known.folder, Path) else None
        self._passport = known.passport_sha256

    def has(self, sha256: str | None) -> bool:
        """Whether the model of a hash was accepted before."""
        return sha256 is not None and self._key(sha256) in self._read()

    def add(self, sha256: str | None) -> None:
        """Note an accepted model; where that can't be written, it is checked again the next time."""
        if sha256 is None or self._path is None:
            return
        kept = [*(one for one in self._read() if one != self._key(sha256)), self._key(sha256)]
        with suppress(OutputError, OSError):
            self._path.parent.mkdir(exist_ok=True)
            write_json(self._path, {"accepted": kept[-_MOST:]})

    def _key(self, sha256: str) -> str:
        depends = {"model": sha256, "passport": self._passport, "versions": versions(), "reading": READING}
        return sha256_of_json(depends)

    def _read(self) -> Sequence[str]:
        if self._path is None:
            return []
        try:
            return strings(read_object(self._path), "accepted", self._path)
        except TextkinError:
            return []
