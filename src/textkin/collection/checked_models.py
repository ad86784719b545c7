"""The models already verified for a collection, so that canaries aren't encoded again.

The file is stored in the cache. Without a cache, as with a collection in a database, models are verified
every time. A model counts as verified only with the same files, the same passport, the same libraries, and
the same version of textkin's text reading.
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
"""The version of textkin's text reading, raised when the same files would give other vectors."""

_MOST = 64


@final
class CheckedModels:
    """The verified models.

    Args:
        known: the model noted in the collection.
    """

    def __init__(self, known: KnownModel) -> None:
        self._path = known.folder / FOLDER / FILE if isinstance(known.folder, Path) else None
        self._passport = known.passport_sha256

    def has(self, sha256: str | None) -> bool:
        """True if the model with this hash was accepted before."""
        return sha256 is not None and self._key(sha256) in self._read()

    def add(self, sha256: str | None) -> None:
        """Record an accepted model. If writing fails, it is verified again next time."""
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
