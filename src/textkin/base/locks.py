"""File locks that the system releases when their process ends in any way."""

import errno
import fcntl
import os
import stat
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from textkin.base.errors import OutputError

PATIENCE = 2.0
"""Seconds to wait for a killed process, or the child of one, to end."""

_PAUSE = 0.05
_HELD = (errno.EWOULDBLOCK, errno.EAGAIN, errno.EACCES)


def lock_file(path: Path, *, target: Path, patience: float | None = None) -> int:
    """Open a file with an exclusive lock, creating it if missing; return the descriptor.

    Args:
        path: the file; links are not followed.
        target: the file to be written, for error messages.
        patience: seconds to wait for another process; ``PATIENCE`` if None.

    Raises:
        OutputError: another process holds the lock.
        OSError: the file can't be opened.
    """
    flags = os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW
    return _locked(path, lambda: os.open(path, flags, 0o666), stat.S_ISREG, target, patience)


def lock_folder(path: Path, *, target: Path, patience: float | None = None) -> int:
    """:func:`lock_file` for a folder."""

    def opened() -> int:
        path.mkdir(parents=True, exist_ok=True)
        return os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)

    return _locked(path, opened, stat.S_ISDIR, target, patience)


def is_first_process() -> bool:
    """True if this process writes and prints: a single one, or the first of those from torchrun."""
    return os.environ.get("RANK", "0") == "0"


def is_one_of_several() -> bool:
    """True if torchrun started this process among others."""
    return os.environ.get("WORLD_SIZE", "1") != "1" and "RANK" in os.environ


@contextmanager
def locked_folder(path: Path, *, target: Path | None = None) -> Iterator[None]:
    """Hold the lock of a folder for the block; the folder is created if missing.

    Raises:
        OutputError: another process holds the lock.
        OSError: the folder can't be created.
    """
    held = lock_folder(path.resolve(), target=target or path)
    try:
        yield
    finally:
        os.close(held)


def _locked(
    path: Path,
    opened: Callable[[], int],
    is_right: Callable[[int], bool],
    target: Path,
    patience: float | None,
) -> int:
    ends = time.monotonic() + (PATIENCE if patience is None else patience)
    while True:
        held = opened()
        try:
            if not is_right(os.fstat(held).st_mode):
                raise OutputError(f"can't write {target}: {path} is in the way", fix="remove it")
            if _taken(held) and leads_to(path, held):
                return held
        except BaseException:
            os.close(held)
            raise
        os.close(held)
        if time.monotonic() >= ends:
            raise OutputError(
                f"another textkin is writing to {target}", fix="wait until it is done, or write elsewhere"
            )
        time.sleep(_PAUSE)


def _taken(held: int) -> bool:
    """True if the lock was acquired; always on a file system without locks."""
    try:
        fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        return error.errno not in _HELD
    return True


def leads_to(path: Path, held: int) -> bool:
    """True if a name still refers to the opened file: the previous lock holder may have moved it."""
    try:
        return os.path.samestat(path.lstat(), os.fstat(held))
    except FileNotFoundError:
        return False
