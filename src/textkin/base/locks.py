"""One writer at a time: locks that the system takes back when their process ends, however it ends."""

from __future__ import annotations

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
"""Seconds; so long a process may take to end that was killed, or whose parent was."""

_PAUSE = 0.05
_HELD = (errno.EWOULDBLOCK, errno.EAGAIN, errno.EACCES)


def lock_file(path: Path, *, target: Path, patience: float | None = None) -> int:
    """Open a file, made if it isn't there, for this process alone; the descriptor holds the lock.

    Args:
        path: no link is followed.
        target: what is to be written, which an error names.
        patience: seconds to wait for another process; ``PATIENCE`` if None.

    Raises:
        OutputError: another process holds it.
        OSError: it can't be opened.
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
    """Whether this process is the one that writes and speaks, of those that torchrun started or of one."""
    return os.environ.get("RANK", "0") == "0"


def is_one_of_several() -> bool:
    """Whether torchrun started this process beside others."""
    return os.environ.get("WORLD_SIZE", "1") != "1" and "RANK" in os.environ


@contextmanager
def locked_folder(path: Path, *, target: Path | None = None) -> Iterator[None]:
    """Hold the lock of a folder while the block runs; the folder is made if it isn't there.

    Raises:
        OutputError: another process holds it.
        OSError: it can't be made.
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
    """Whether the lock is ours now; on a file system without locks it always is."""
    try:
        fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        return error.errno not in _HELD
    return True


def leads_to(path: Path, held: int) -> bool:
    """Whether a name still means what was opened by it: who held the lock before may have moved it."""
    try:
        return os.path.samestat(path.lstat(), os.fstat(held))
    except FileNotFoundError:
        return False
