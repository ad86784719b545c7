"""Small data sets written for textkin: what the demo and the tests run on."""

from __future__ import annotations

from collections.abc import Iterator
from importlib import resources
from pathlib import Path

from textkin.errors import UsageError


def path(name: str) -> Path:
    """The path of a bundled file, such as ``questions.tsv``.

    Raises:
        UsageError: there is no such file.
    """
    folder = Path(str(resources.files(__name__)))
    names = sorted(
        item.name for item in folder.iterdir() if item.is_file() and item.suffix not in (".py", ".pyc")
    )
    if name not in names:
        raise UsageError(f"no sample {name!r}", fix=f"choose from: {', '.join(names)}")
    return folder / name


def rows(name: str) -> Iterator[tuple[str, ...]]:
    """The rows of a bundled table, such as ``questions.tsv``, below its header.

    Raises:
        UsageError: there is no such file.
    """
    with path(name).open(encoding="utf-8", newline="") as stream:
        lines = (line.rstrip("\n").split("\t") for line in stream)
        next(lines)
        yield from map(tuple, lines)
