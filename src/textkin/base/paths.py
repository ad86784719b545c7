"""Checks of paths that also handle invalid names: too long, links in a loop, a NUL."""

import errno
import os
import stat
from pathlib import Path
from typing import IO

STANDARD = "-"
"""Name of standard input for reading, and of standard output for writing."""

IN_MEMORY = "textkin-in-memory-"
"""Begins the name of a temporary folder whose files hold what was given in memory."""


def is_standard(path: Path | str) -> bool:
    """True if standard input or output is meant."""
    return str(path) == STANDARD


def is_of_memory(path: Path | str) -> bool:
    """True for a temporary file with data that were given in memory."""
    return Path(path).parent.name.startswith(IN_MEMORY)


def shown(path: Path | str) -> str:
    """An input path in words; of data that were given in memory, their name."""
    return "standard input" if is_standard(path) else Path(path).stem if is_of_memory(path) else str(path)


def shown_output(path: Path | str) -> str:
    """An output path in words."""
    return "standard output" if is_standard(path) else str(path)


def name_of(path: Path | str) -> str:
    """The name of an input file, without its folders; of data that were given in memory, theirs."""
    return Path(shown(path)).name


def is_file(path: Path | str) -> bool:
    """True if it is a file."""
    return os.path.isfile(path)  # noqa: PTH113 - Path's own method raises for such names


def is_input(path: Path | str) -> bool:
    """True if it is a readable file, or standard input."""
    return is_standard(path) or is_file(path)


def is_folder(path: Path | str) -> bool:
    """True if it is a folder."""
    return os.path.isdir(path)  # noqa: PTH112 - as above


def exists(path: Path | str) -> bool:
    """True if anything exists at the path."""
    return os.path.exists(path)  # noqa: PTH110 - as above


def real(path: Path | str) -> Path:
    """The path with links resolved, as far as they lead anywhere."""
    return Path(os.path.realpath(path))


def open_regular(path: Path | str, *, follow: bool = False) -> IO[bytes]:
    """Open a regular file for reading; pipes, devices and sockets, which may block, are rejected.

    Args:
        path: path of the file.
        follow: True to accept a link to a regular file.

    Raises:
        OSError: it is not a regular file, or can't be opened.
    """
    _require_regular(Path(path).stat(follow_symlinks=follow))  # opening a device may have effects
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
        raise OSError(errno.EINVAL, "it is not a regular file")
