"""Writing files whole or not at all, and naming their content by hash.

A result is written to a temporary name in the same folder, synced, then renamed: a reader never sees half a
file, and a kill or a full disk leaves the old file as it was.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, Any

from textkin.errors import OutputError

_CHUNK = 1 << 20


@contextmanager
def atomic_path(path: Path | str) -> Iterator[Path]:
    """Yield a temporary path beside ``path`` that takes its place if the block ends without an exception.

    For libraries that write by file name. The temporary file is removed when the block raises.

    Raises:
        OutputError: the folder can't be written to, or the disk is full.
    """
    target = Path(path)
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}.", suffix=".tmp")
        os.close(handle)
    except OSError as error:
        raise _output_error(target, error) from error
    temporary = Path(name)
    try:
        yield temporary
        _sync(temporary)
        temporary.chmod(0o666 & ~_umask())
        temporary.replace(target)
        _sync_folder(target.parent)
    except OSError as error:
        raise _output_error(target, error) from error
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
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        temporary = Path(tempfile.mkdtemp(dir=target.parent, prefix=f".{target.name}.", suffix=".tmp"))
    except OSError as error:
        raise _output_error(target, error) from error
    try:
        yield temporary
        temporary.chmod(0o777 & ~_umask())
        if target.exists():
            shutil.rmtree(target)
        temporary.replace(target)
        _sync_folder(target.parent)
    except OSError as error:
        raise _output_error(target, error) from error
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


def _output_error(path: Path, error: OSError) -> OutputError:
    return OutputError(
        f"can't write {path}: {error.strerror or error}",
        fix="check free space and permissions, or choose another output folder",
    )


def _sync(path: Path) -> None:
    with path.open("rb") as stream:
        os.fsync(stream.fileno())


def _sync_folder(path: Path) -> None:
    # Not every file system lets a folder be opened or synced; the rename itself has happened by now.
    with suppress(OSError):
        handle = os.open(path, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


def _umask() -> int:
    # The mask can only be read by setting it.
    mask = os.umask(0o077)
    os.umask(mask)
    return mask
