"""Atomic writes of files and folders, and hashes of their content.

A result is written to a temporary name in the same folder, synced, then renamed. So a reader never sees half
a file, and a crash or a full disk leaves the old file unchanged. Each target has one temporary name, which is
locked during the write. So two writers never meet, and the next writer takes over the leftovers of a crash.
"""

import errno
import gzip
import hashlib
import io
import json
import os
import shutil
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, Any

from textkin.base.errors import OutputError, UsageError
from textkin.base.locks import is_first_process, leads_to, lock_file, lock_folder, locked_folder
from textkin.base.paths import exists, is_file, is_standard, real
from textkin.base.standard_streams import open_input, refuse_output, standard_output

_CHUNK = 1 << 20
_TEMPORARY, _OLD = ".textkin-tmp", ".textkin-old"


@contextmanager
def atomic_path(path: Path | str) -> Iterator[Path]:
    """Yield a temporary path next to ``path`` that replaces it if the block ends without an exception.

    For libraries that write to a file name. The temporary file is removed if the block raises.

    Raises:
        OutputError: the folder can't be written to, the disk is full, ``path`` is not a regular file, or
            another process is writing to it.
    """
    refuse_output(path, "a file")
    target = Path(path)
    if exists(target) and not is_file(target):
        raise OutputError(f"can't write {target}: it is not a regular file", fix="choose another path")
    temporary = _beside(target, _TEMPORARY)
    with _writing(target, temporary):
        target.parent.mkdir(parents=True, exist_ok=True)
        held, moved = _locked_temporary(temporary, target), False
        try:
            os.ftruncate(held, 0)
            yield temporary
            _sync(temporary)
            temporary.replace(target)
            moved = True  # the temporary name may now be another writer's
            _sync(target.parent)
        finally:
            if not moved:
                _discard(temporary)
            os.close(held)


def _locked_temporary(temporary: Path, target: Path) -> int:
    """Lock the temporary file; return its descriptor.

    An interrupted call leaves no file, unless it is another process's.
    """
    try:
        return lock_file(temporary, target=target)
    except OutputError:
        raise
    except BaseException as interrupt:
        if not isinstance(interrupt, Exception):
            with suppress(OSError, OutputError):
                held = lock_file(temporary, target=target, patience=0)
                _discard(temporary)
                os.close(held)
        raise


@contextmanager
def atomic_folder(path: Path | str) -> Iterator[Path]:
    """Yield a temporary folder that becomes ``path`` if the block ends without an exception.

    An existing folder is replaced.

    Raises:
        OutputError: the parent folder can't be written to, the disk is full, or another process is writing to
            ``path``.
        UsageError: ``path`` is standard output.
    """
    refuse_output(path, "a folder")
    target = Path(path)
    with _writing(target, _beside(target, _TEMPORARY)), _staging(target) as temporary:
        old = _beside(target, _OLD)
        _put_back(target)
        try:
            yield temporary
            _sync_all(temporary)
            if target.exists():
                target.replace(old)
            temporary.replace(target)
        except BaseException:
            _put_back(target)
            raise
        _discard(old)
        _sync(target.parent)


@contextmanager
def atomic_files(folder: Path | str, *, last: str) -> Iterator[Path]:
    """Yield a temporary folder whose files move into ``folder`` if the block ends without an exception.

    Other files in ``folder`` stay. Nothing there changes until all files are written. Then the file ``last``,
    which describes the others, is removed first and added last, so that it never exists with a mixture of old
    and new files.

    Raises:
        OutputError: the folder can't be written to, the disk is full, or another process is writing there.
        UsageError: ``folder`` is standard output.
    """
    refuse_output(folder, "a folder")
    target = Path(folder)
    with _writing(target, _beside(target / last, _TEMPORARY)), _staging(target / last) as temporary:
        yield temporary
        _sync_all(temporary)
        (target / last).unlink(missing_ok=True)
        _sync(target)
        for name in sorted(
            (item.name for item in temporary.iterdir()), key=lambda name: (name == last, name)
        ):
            if (temporary / name).is_dir():
                _discard(target / name)  # a non-empty folder can't be replaced
            (temporary / name).replace(target / name)
            _sync(target)


@contextmanager
def atomic_text(path: Path | str) -> Iterator[IO[str]]:
    r"""Open ``path`` for atomic writing of UTF-8 text with ``\n`` line ends.

    Standard output, ``-``, receives the text directly.

    Raises:
        OutputError: the folder can't be written to, or the disk is full.
    """
    if is_standard(path):
        with standard_output() as stream:
            yield stream
        return
    with (
        atomic_path(path) as temporary,
        temporary.open("w", encoding="utf-8", newline="\n") as stream,
    ):
        yield stream


@contextmanager
def written_text(path: Path, *, encoding: str = "utf-8") -> Iterator[IO[str]]:
    """Open a file for direct writing of lines; one named ``.gz`` is compressed, reproducibly."""
    if path.suffix.lower() != ".gz":
        with path.open("w", encoding=encoding, newline="") as stream:
            yield stream
        return
    with (
        path.open("wb") as raw,
        gzip.GzipFile(filename="", mode="wb", fileobj=raw, mtime=0) as packed,
        io.TextIOWrapper(packed, encoding=encoding, newline="") as stream,
    ):
        yield stream


def write_text(path: Path | str, text: str) -> None:
    """Write ``text`` to ``path`` atomically."""
    with atomic_text(path) as stream:
        stream.write(text)


def write_bytes(path: Path | str, content: bytes) -> None:
    """Write ``content`` to ``path`` atomically."""
    with atomic_path(path) as temporary:
        temporary.write_bytes(content)


def write_json(path: Path | str, value: Any) -> None:
    """Write ``value`` as indented JSON with sorted keys, atomically; NaN is rejected."""
    write_text(path, json_text(value))


def json_text(value: Any, *, sort_keys: bool = True) -> str:
    """The JSON text as written by :func:`write_json`; ``sort_keys`` is optional."""
    return json.dumps(value, indent=2, sort_keys=sort_keys, ensure_ascii=False, allow_nan=False) + "\n"


def sha256_of_file(path: Path | str) -> str:
    """The SHA-256 of a file's bytes, as 64 hexadecimal digits."""
    digest = hashlib.sha256()
    with open_input() if is_standard(path) else Path(path).open("rb") as stream:
        while chunk := stream.read(_CHUNK):
            digest.update(chunk)
    return digest.hexdigest()


def sha256_of_files(paths: Sequence[Path]) -> str:
    """The SHA-256 of one file, or of the names and hashes of several."""
    if len(paths) == 1:
        return sha256_of_file(paths[0])
    return sha256_of_json([(path.name, sha256_of_file(path)) for path in paths])


def sha256_of_json(value: Any) -> str:
    """The SHA-256 of a value's canonical JSON form: sorted keys, no whitespace."""
    text = json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return hashlib.sha256(text.encode()).hexdigest()


def overwritten(written: Iterable[Path], read: Iterable[Path | str | None]) -> Path | None:
    """The first input file that would be overwritten; None if there is none.

    Standard input and output are different files.
    """
    places = {real(path) for path in written if not is_standard(path)}
    return next((Path(path) for path in read if path is not None and real(path) in places), None)


def refuse_overwriting(
    written: Iterable[Path], read: Iterable[Path | str | None], *, param: str = "out", fix: str = ""
) -> None:
    """Refuse to write a file that is read.

    Args:
        written: the files to write.
        read: the files that are read; None is ignored.
        param: the option that names what is written.
        fix: what to do, if not to choose another file.

    Raises:
        UsageError: a file is in both.
    """
    if path := overwritten(written, read):
        raise UsageError(
            f"`{param}` would overwrite the input {path}",
            fix=fix or "choose another file",
            params=(param,),
            value=path,
        )


def ensure_folder(path: Path | str) -> Path:
    """Make ``path`` a writable folder and return it.

    Raises:
        OutputError: it is a file, or can't be created or written to.
    """
    refuse_output(path, "a folder")
    folder = Path(path)
    if is_file(folder):
        raise OutputError(f"can't write {folder}: it is a file, expected a folder", fix="choose another one")
    with as_output(folder):
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            pass
    return folder


@contextmanager
def sole_writer(path: Path | str) -> Iterator[Path]:
    """Make ``path`` a writable folder, and lock out other textkin writers for the block.

    Leftovers of crashed writers are removed first. Among processes started by torchrun, the first one
    represents all.

    Raises:
        OutputError: it is a file, or can't be created or written to, or another process is writing there.
    """
    folder = ensure_folder(path)
    if not is_first_process():
        yield folder
        return
    with locked_folder(folder):
        remove_temporaries(folder)
        yield folder


def remove_temporaries(folder: Path | str) -> None:
    """Remove the leftovers of crashed writers in ``folder``, except those of a running writer."""
    for item in [*Path(folder).glob(f".*{_TEMPORARY}"), *Path(folder).glob(f".*{_OLD}")]:
        target = item.with_name(item.name.removeprefix(".").removesuffix(item.suffix))
        with suppress(OSError, OutputError):
            if item.is_file() and not item.is_symlink():
                held = lock_file(item, target=target, patience=0)
                _discard(item)
                os.close(held)
            elif item.is_dir():
                with _staging(target, patience=0):
                    _put_back(target)


@contextmanager
def resumable(path: Path) -> Iterator[None]:
    """Add a note to any exception of the block that ``path`` keeps the work done so far, if it exists."""
    try:
        yield
    except BaseException as error:
        if path.exists():
            error.add_note(f"{path} keeps what is done, and the same call goes on from there")
        raise


def _beside(target: Path, suffix: str) -> Path:
    return target.with_name(f".{target.name}{suffix}")


@contextmanager
def _staging(target: Path, *, patience: float | None = None) -> Iterator[Path]:
    """Yield the empty, locked temporary folder of a target, and remove it after the block."""
    temporary = _beside(target, _TEMPORARY)
    held = lock_folder(temporary, target=target, patience=patience)
    try:
        for item in temporary.iterdir():
            _discard(item)
        yield temporary
    finally:
        if leads_to(temporary, held):  # otherwise it has become the target
            _discard(temporary)
        os.close(held)


def _put_back(target: Path) -> None:
    """Restore a folder's name if a writer took it away without replacing it; its lock must be held."""
    old = _beside(target, _OLD)
    if old.exists() and not target.exists():
        old.replace(target)
    _discard(old)


def _discard(item: Path) -> None:
    """Remove a file, a link or a folder, if possible; the target of a link stays."""
    if item.is_dir() and not item.is_symlink():
        shutil.rmtree(item, ignore_errors=True)
    else:
        with suppress(OSError):
            item.unlink(missing_ok=True)


@contextmanager
def as_output(path: Path) -> Iterator[None]:
    """Turn any operating system error in the block into an OutputError about ``path``."""
    try:
        yield
    except OSError as error:
        raise _output_error(path, error) from error


@contextmanager
def _writing(target: Path, temporary: Path) -> Iterator[None]:
    """Turn the errors of writing ``target`` into an OutputError; errors about other files are unchanged."""
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
    """Sync a file or a folder's list of names to disk."""
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    except OSError as error:
        # Some file systems can't sync folders. Their contents have been synced, or renamed, by now.
        if not path.is_dir() or error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EIO):
            raise
    finally:
        os.close(handle)
