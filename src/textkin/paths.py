"""Whether something is there, also for names that no system takes: too long, links in a circle, a NUL."""

from __future__ import annotations

import os
from pathlib import Path


def is_file(path: Path | str) -> bool:
    """Whether it is a file."""
    return os.path.isfile(path)  # noqa: PTH113 - Path's own method raises for such names


def is_folder(path: Path | str) -> bool:
    """Whether it is a folder."""
    return os.path.isdir(path)  # noqa: PTH112 - as above


def exists(path: Path | str) -> bool:
    """Whether there is anything."""
    return os.path.exists(path)  # noqa: PTH110 - as above


def real(path: Path | str) -> Path:
    """The path without links, as far as they lead anywhere."""
    return Path(os.path.realpath(path))
