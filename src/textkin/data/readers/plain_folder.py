"""Folders of plain files, each of which is one text named by its path in the folder."""

from collections.abc import Iterator
from pathlib import Path

from textkin.base.errors import DataError
from textkin.base.paths import is_file, is_folder
from textkin.data.readers.read_report import SkipCounter
from textkin.data.readers.table import EMPTY_TEXT
from textkin.data.readers.text_files import lines

_PLAIN = frozenset({".txt", ".md", ".text"})


def plain_files(folder: Path) -> list[Path]:
    """The plain files of a folder and of those in it, by name; none if it is not a folder."""
    if not is_folder(folder):
        return []
    return sorted(item for item in folder.rglob("*") if item.suffix.lower() in _PLAIN and is_file(item))


def read_plain_files(
    folder: Path, counter: SkipCounter, *, encoding: str | None = None
) -> Iterator[tuple[str, str]]:
    """Yield the name and the text of each plain file; empty ones are skipped and counted.

    Raises:
        DataError: there is none, or one can't be read.
    """
    files = plain_files(folder)
    if not files:
        raise DataError(
            f"holds no file called *{', *'.join(sorted(_PLAIN))}", path=folder, fix="give a folder of texts"
        )
    for file in files:
        counter.rows += 1
        text = "\n".join(lines(file, encoding)) if file.stat().st_size else ""
        if text.strip():
            yield file.relative_to(folder).as_posix(), text
        else:
            counter.skip(counter.rows, EMPTY_TEXT)
