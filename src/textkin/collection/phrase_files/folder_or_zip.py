"""Files by name, from a folder or a zip file."""

from __future__ import annotations

import json
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, final

from textkin.base.errors import DataError, said
from textkin.base.gzip_input import MOST_BYTES, MOST_TIMES
from textkin.base.numpy_files import UNREADABLE
from textkin.base.paths import is_file, is_folder
from textkin.vectors.index.resumable_folder import MANIFEST

_AGAIN = "make the files again"


@final
class Entries:
    """The files of a folder, or those at the top level of a zip file.

    Attributes:
        path: the path of the folder or the zip file.
        manifest: textkin's manifest; None for files of another program.
    """

    def __init__(self, path: Path, packed: zipfile.ZipFile | None) -> None:
        self.path = path
        self._packed = packed
        self._names = set() if packed is None else set(packed.namelist())
        content = self.read(MANIFEST)
        self.manifest: dict[str, Any] | None = None
        if content is not None:
            self.manifest = self._object(content)

    def read(self, name: str) -> bytes | None:
        """A file's content; None if it doesn't exist.

        Raises:
            DataError: it can't be read.
        """
        if "\0" in name or "/" in name:
            return None
        place = self.path / name
        try:
            if self._packed is None:
                return place.read_bytes() if is_file(place) else None
            if name not in self._names:
                return None
            about = self._packed.getinfo(name)
            if about.file_size > max(MOST_BYTES, MOST_TIMES * about.compress_size):
                raise DataError(f"unpacks to {MOST_TIMES} times its size", path=place, fix=_AGAIN)
            return self._packed.read(name)
        except UNREADABLE as error:
            raise DataError(f"can't be read: {said(error)}", path=place, fix=_AGAIN) from error

    def _object(self, content: bytes) -> dict[str, Any]:
        try:
            found = json.loads(content)
        except (ValueError, RecursionError) as error:
            raise DataError("is broken", path=self.path / MANIFEST, fix=_AGAIN) from error
        if not isinstance(found, dict):
            raise DataError("holds no JSON object", path=self.path / MANIFEST, fix=_AGAIN)
        return found


@contextmanager
def open_entries(path: Path | str) -> Iterator[Entries]:
    """Open the files of a folder or a zip file. A context manager.

    Raises:
        DataError: it doesn't exist, or the zip file is broken.
    """
    place = Path(path)
    if is_folder(place):
        yield Entries(place, None)
        return
    if not is_file(place):
        raise DataError("no such folder or zip file", path=place, fix="check the path")
    try:
        packed = zipfile.ZipFile(place)
    except (OSError, ValueError, zipfile.BadZipFile) as error:
        raise DataError(f"is no zip file that can be read: {error}", path=place, fix=_AGAIN) from error
    with packed:
        yield Entries(place, packed)
