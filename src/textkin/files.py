"""Writing files whole or not at all, and naming their content by hash.

A result is written to a temporary name in the same folder, synced, then renamed: a reader never sees half a
file, and a kill or a full disk leaves the old file as it was.
"""

from __future__ import annotations

import errno
import hashlib
import json
import os
import secrets
import shutil
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, Any

from textkin.errors import OutputError

_CHUNK = 1 << 20
_SUFFIX = ".tmp"


@contextmanager
def atomic_path(path: Path | str) -> Iterator[Path]:
    """Yield a temporary path beside ``path`` that takes its place if the block ends without an exception.

    For libraries that write by file name. The temporary file is removed when the block raises.

    Raises:
        OutputError: the folder can't be written to, the disk is full, or ``path`` is no regular file.
    """
    target = Path(path)
    if target.exists() and not target.is_file():
        raise OutputError(f"can't write {target}: it is no regular file", fix="choose another path")
    temporary = _temporary(target)
    try:
        with _writing(target, temporary):
            target.parent.mkdir(parents=True, exist_ok=True)
            temporary.touch(exist_ok=False)
            yield temporary
            _sync(temporary)
            temporary.replace(target)
            _sync(target.parent)
    finally:
        with suppress(OSError):
            temporary.unlink(missing_ok=True)


@contextmanager
def atomic_folder(path: Path | str) -> Iterator[Path]:
    """Yield a temporary folder that becomes ``path`` if the block ends without an exception.

    A folder that is there already is replaced.

    Raises:
        OutputError: the parent folder can't be written to, or the disk is full.
    """
    target = Path(path)
    temporary, old = _temporary(target), _temporary(target)
    try:
        with _writing(target, temporary):
            temporary.mkdir(parents=True)
            yield temporary
            _sync_all(temporary)
            if target.exists():
                target.replace(old)
            temporary.replace(target)
            _sync(target.parent)
    finally:
        if old.exists() and not target.exists():
            old.replace(target)
        for folder in (temporary, old):
            shutil.rmtree(folder, ignore_errors=True)


@contextmanager
def atomic_files(folder: Path | str, *, last: str) -> Iterator[Path]:
    """Yield a temporary folder whose files move into ``folder`` if the block ends without an exception.

    Other files that are in ``folder`` stay. Until all is written, nothing there changes; then the file
    ``last``, which says what the others are, goes first and comes last, so that a mixture of old and new
    files never has it.

    Raises:
        OutputError: the folder can't be written to, or the disk is full.
    """
    target = Path(folder)
    temporary = _temporary(target / last)
    try:
        with _writing(target, temporary):
            temporary.mkdir(parents=True)
            yield temporary
            _sync_all(temporary)
            (target / last).unlink(missing_ok=True)
            _sync(target)
            for name in sorted(
                (item.name for item in temporary.iterdir()), key=lambda name: (name == last, name)
            ):
                if (target / name).is_dir() and (temporary / name).is_dir():
                    shutil.rmtree(target / name)  # a folder takes no other's place that holds something
                (temporary / name).replace(target / name)
                _sync(target)
    finally:
        shutil.rmtree(temporary, ignore_errors=True)


@contextmanager
def atomic_text(path: Path | str) -> Iterator[IO[str]]:
    r"""Open ``path`` for writing UTF-8 text with ``\n`` line ends, whole or not at all.

    Raises:
        OutputError: the folder can't be written to, or the disk is full.
    """
    with (
        atomic_path(path) as temporary,
        temporary.open("w", encoding="utf-8", newline="\n") as stream,
    ):
        yield stream


def write_text(path: Path | str, text: str) -> None:
    """Write ``text`` to ``path``, whole or not at all."""
    with atomic_text(path) as stream:
        stream.write(text)


def write_bytes(path: Path | str, content: bytes) -> None:
    """Write ``content`` to ``path``, whole or not at all."""
    with atomic_path(path) as temporary:
        temporary.write_bytes(content)


def write_json(path: Path | str, value: Any) -> None:
    """Write ``value`` as indented JSON with sorted keys, whole or not at all; NaN is refused."""
    write_text(
        path,
        json.dumps(value, indent=2, sort_keys=True, ensure_ascii=False, allow_nan=False) + "\n",
    )


def sha256_of_file(path: Path | str) -> str:
    """The SHA-256 of a file's bytes, as 64 hexadecimal digits."""
    digest = hashlib.sha256()
    with Path(path).open("rb") as stream:
        while chunk := stream.read(_CHUNK):
            digest.update(chunk)
    return digest.hexdigest()


def sha256_of_json(value: Any) -> str:
    """The SHA-256 of a value's canonical JSON form: sorted keys, no blanks."""
    text = json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return hashlib.sha256(text.encode()).hexdigest()


def overwritten(written: Iterable[Path], read: Iterable[Path | str | None]) -> Path | None:
    """The first of the files that are read which would be written, too; None if there is none."""
    places = {path.resolve() for path in written}
    return next((Path(path) for path in read if path is not None and Path(path).resolve() in places), None)


def ensure_folder(path: Path | str) -> Path:
    """Make ``path`` a writable folder and return it.

    Raises:
        OutputError: it is a file, or can't be made or written to.
    """
    folder = Path(path)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            pass
    except OSError as error:
        raise _output_error(folder, error) from error
    return folder


def remove_temporaries(folder: Path | str) -> None:
    """Remove what writers that were killed left in ``folder``; nobody else may be writing there."""
    for item in Path(folder).glob(f".*{_SUFFIX}"):
        if item.is_dir():
            shutil.rmtree(item, ignore_errors=True)
        else:
            item.unlink(missing_ok=True)


def _temporary(target: Path) -> Path:
    return target.with_name(f".{target.name}.{secrets.token_hex(8)}{_SUFFIX}")


@contextmanager
def as_output(path: Path) -> Iterator[None]:
    """Turn any operating system's error in the block into an OutputError about ``path``."""
    try:
        yield
    except OSError as error:
        raise _output_error(path, error) from error


@contextmanager
def _writing(target: Path, temporary: Path) -> Iterator[None]:
    """Turn the errors of writing ``target`` into an OutputError; those about other files stay as they are."""
    try:
        yield
    except OSError as error:
        named = None if error.filename is None else Path(os.fsdecode(error.filename))
        if named is None or named in (target, *target.parents) or named.is_relative_to(temporary):
            raise _output_error(target, error) from error
        raise


def _output_error(path: Path, error: OSError) -> OutputError:
    return OutputError(
        f"can't write {path}: {error.strerror or error}",
        fix="check free space and permissions, or choose another output folder",
    )


def _sync_all(folder: Path) -> None:
    for item in sorted(folder.rglob("*")):
        _sync(item)
    _sync(folder)


def _sync(path: Path) -> None:
    """Bring a file or a folder's list of names to the disk."""
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    except OSError as error:
        # Some file systems can't sync folders. What is in them has been synced, or renamed, by now.
        if not path.is_dir() or error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EIO):
            raise
    finally:
        os.close(handle)
