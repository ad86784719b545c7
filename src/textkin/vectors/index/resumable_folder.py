"""A folder that is built step by step, survives crashes, and is renamed when complete."""

import json
import os
import shutil
import zipfile
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from textkin.base.errors import OutputError
from textkin.base.files import as_output, atomic_path, resumable, sha256_of_json, write_json
from textkin.base.json_records import json_object
from textkin.base.locks import locked_folder
from textkin.base.numpy_files import UNREADABLE
from textkin.base.paths import exists

MANIFEST = "textkin.json"
"""File name of the manifest, which is written last."""

_STATE = "state.json"


class PartFolder:
    """The folder ``.NAME.part`` that becomes ``NAME``, from :func:`part_folder`.

    Attributes:
        target: the folder or zip file to build.
        path: location of its files until then.
        state: state from the last call of :meth:`save`; initially empty.
    """

    def __init__(
        self, target: Path, path: Path, made_of: Mapping[str, Any], begun_with: Mapping[str, Any]
    ) -> None:
        self.target, self.path = target, path
        self._made_of = dict(made_of)
        self._key = sha256_of_json(begun_with)
        found = _read(path / _STATE) or {}
        if found.get("made_of") != self._key:
            for item in path.iterdir():
                shutil.rmtree(item) if item.is_dir() else item.unlink()
            found = {}
        # A process killed during the renaming had written the manifest, which comes last.
        for item in (path / MANIFEST, *path.glob(f".{MANIFEST}.*")):
            item.unlink(missing_ok=True)
        self.state: dict[str, Any] = found.get("state", {})

    def save(self, state: Mapping[str, Any], written: Iterable[Path] = ()) -> None:
        """Sync files to disk, then record the progress."""
        with as_output(self.target):
            for path in written:
                _sync(path)
            _sync(self.path)
        self.state = dict(state)
        write_json(self.path / _STATE, {"made_of": self._key, "state": self.state})

    def forget(self) -> None:
        """Delete everything if the block raises, for errors that a repeated call would hit again."""
        self.state = {}

    def size(self) -> int:
        """The total size of its files in bytes."""
        return sum(item.stat().st_size for item in self.path.iterdir() if item.name != _STATE)

    def finish(self, account: Mapping[str, Any]) -> dict[str, Any]:
        """Add the manifest and rename the folder, or pack it if the name ends in ``.zip``.

        Args:
            account: further manifest entries, besides those the folder is made of.
        """
        manifest = {"made_of": self._made_of, **account}
        write_json(self.path / MANIFEST, manifest)
        with as_output(self.target):
            if is_zip(self.target):
                _pack(self.path, self.target)
                shutil.rmtree(self.path)
            else:
                for item in self.path.iterdir():
                    _sync(item)
                _sync(self.path)
                self.path.rename(self.target)
                (self.target / _STATE).unlink(missing_ok=True)
            _sync(self.target.parent)
        return manifest


@contextmanager
def part_folder(
    target: Path | str, made_of: Mapping[str, Any], *, begun_with: Mapping[str, Any] | None = None
) -> Iterator[PartFolder]:
    """Yield the part of a folder to build, locked for the block.

    The part left by a killed process is resumed if it is made of the same things, and deleted otherwise.

    Args:
        target: the folder, or a zip file by its ending. It must not exist: see :func:`finished`.
        made_of: everything its files depend on, as JSON-compatible values.
        begun_with: the subset that a part must share to be resumed; None for all.

    Raises:
        OutputError: the folder can't be written, or another process is making it.
    """
    target = Path(target)
    path = _part_of(target)
    with as_output(target):
        path.parent.mkdir(parents=True, exist_ok=True)
    with resumable(path), locked_folder(path, target=target):
        with as_output(target):
            part = PartFolder(target, path, made_of, made_of if begun_with is None else begun_with)
        try:
            yield part
        except BaseException:
            if not part.state:  # nothing to resume, least of all after a wrong option
                shutil.rmtree(path, ignore_errors=True)
            raise


def finished(target: Path | str, made_of: Mapping[str, Any]) -> dict[str, Any] | None:
    """The manifest of an existing target made of the same things; None if there is no target.

    Raises:
        OutputError: the target holds something else.
    """
    target = Path(target)
    if not exists(target):
        return None
    manifest = _zipped(target) if is_zip(target) else _read(target / MANIFEST)
    before = (manifest or {}).get("made_of")
    if manifest is None or not isinstance(before, dict):
        if target.is_dir() and not any(target.iterdir()):
            target.rmdir()
            return None
        raise OutputError(f"{target} holds something else already", fix="choose another name, or remove it")
    wanted = json.loads(json.dumps(dict(made_of)))
    others = sorted(key for key in {*before, *wanted} if before.get(key) != wanted.get(key))
    if others:
        raise OutputError(
            f"{target} was made with other {', '.join(others).replace('_', ' ')}",
            fix="choose another name, or remove it",
        )
    _clear(target)
    return manifest


def _clear(target: Path) -> None:
    """Delete the leftovers of a process killed right after renaming."""
    if not is_zip(target):
        (target / _STATE).unlink(missing_ok=True)
    elif exists(part := _part_of(target)):
        with suppress(OutputError), locked_folder(part, target=target):
            shutil.rmtree(part)


def _part_of(target: Path) -> Path:
    return target.with_name(f".{target.name}.part")


def is_zip(path: Path) -> bool:
    """True if a name is that of a zip file."""
    return path.suffix.lower() == ".zip"


def _zipped(path: Path) -> dict[str, Any] | None:
    try:
        with zipfile.ZipFile(path) as packed:
            return json_object(packed.read(MANIFEST))
    except UNREADABLE:
        return None


def _read(path: Path) -> dict[str, Any] | None:
    try:
        return json_object(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None


def _pack(folder: Path, target: Path) -> None:
    """Pack a folder into a zip file without further compression, the manifest last."""
    names = sorted(item.name for item in folder.iterdir() if item.name != _STATE)
    with atomic_path(target) as temporary, zipfile.ZipFile(temporary, "w", zipfile.ZIP_STORED) as packed:
        for name in sorted(names, key=lambda name: (name == MANIFEST, name)):
            # A fixed date, so that the same files give the same bytes.
            about = zipfile.ZipInfo(name, date_time=(1980, 1, 1, 0, 0, 0))
            about.external_attr = 0o644 << 16
            with (folder / name).open("rb") as source, packed.open(about, "w", force_zip64=True) as entry:
                shutil.copyfileobj(source, entry)


def _sync(path: Path) -> None:
    held = os.open(path, os.O_RDONLY)
    try:
        os.fsync(held)
    finally:
        os.close(held)
