"""Whether something is there, also for names that no system takes: too long, links in a circle, a NUL."""

from __future__ import annotations

import errno
import os
import stat
from pathlib import Path
from typing import IO

STANDARD = "-"
"""The name of standard input where a file is read, and of standard output where one is written."""


def is_standard(path: Path | str) -> bool:
    """Whether standard input or output is meant."""
    return str(path) == STANDARD


def shown(path: Path | str) -> str:
    """A path that is read, in words."""
    return "standard input" if is_standard(path) else str(path)


def shown_output(path: Path | str) -> str:
    """A path that is written, in words."""
    return "standard output" if is_standard(path) else str(path)


def name_of(path: Path | str) -> str:
    """What a file that is read is called, without its folders."""
    return "standard input" if is_standard(path) else Path(path).name


def is_file(path: Path | str) -> bool:
    """Whether it is a file."""
    return os.path.isfile(path)  # noqa: PTH113 - Path's own method raises for such names


def is_input(path: Path | str) -> bool:
    """Whether it is a file that can be read, or standard input."""
    return is_standard(path) or is_file(path)


def is_folder(path: Path | str) -> bool:
    """Whether it is a folder."""
    return os.path.isdir(path)  # noqa: PTH112 - as above


def exists(path: Path | str) -> bool:
    """Whether there is anything."""
    return os.path.exists(path)  # noqa: PTH110 - as above


def real(path: Path | str) -> Path:
    """The path without links, as far as they lead anywhere."""
    return Path(os.path.realpath(path))


def open_regular(path: Path | str, *, follow: bool = False) -> IO[bytes]:
    """Open a file to be read that is nothing else, so that nobody has to wait: no pipe, device or socket.

    Args:
        path: of the file.
        follow: whether it may be a link to such a file; else a link is none.

    Raises:
        OSError: it is no regular file, or can't be opened.
    """
    _require_regular(Path(path).stat(follow_symlinks=follow))  # a device may act when it is opened
    flags = os.O_RDONLY | os.O_NONBLOCK | (0 if follow else os.O_NOFOLLOW)
    held = os.open(path, flags)
    try:
        _require_regular(os.fstat(held))
        return os.fdopen(held, "rb")
    except BaseException:
        os.close(held)
        raise


def _require_regular(found: os.stat_result) -> None:
    if not stat.S_ISREG(found.st_mode):
        raise OSError(errno.EINVAL, "it is no regular file")
