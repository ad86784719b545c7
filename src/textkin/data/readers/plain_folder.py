"""Folders of plain files, each of which is one text named by its path in the folder."""

from collections.abc import Container, Iterator
from pathlib import Path

from textkin.base.counts import count
from textkin.base.errors import DataError, invalid
from textkin.base.files import written_text
from textkin.base.paths import is_file, is_folder
from textkin.base.table_writer import RowWriter
from textkin.data.readers.encodings import check_encoding
from textkin.data.readers.read_options import TextReading
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
    counter.unit = "file"
    others = sum(map(is_file, folder.rglob("*"))) - len(files)
    if others:
        kinds = ", ".join(f"*{ending}" for ending in sorted(_PLAIN))
        counter.columns = f"texts: the files called {kinds}; {count(others, 'other file')} not read"
    for file in files:
        counter.rows += 1
        text = "\n".join(lines(file, encoding)) if file.stat().st_size else ""
        if text.strip():
            yield file.relative_to(folder).as_posix(), text
        else:
            counter.skip(counter.rows, EMPTY_TEXT)


class PlainFolder:
    """A folder of plain files as texts, in the manner of :class:`textkin.data.readers.texts.TextFile`.

    Args:
        path: the folder.
        reading: the encoding; columns there are none.

    Attributes:
        path: path of the folder.
        files: the files.
        format: "csv", that of a copy.

    Raises:
        UsageError: a column is given.
    """

    format = "csv"

    def __init__(self, path: Path | str, *, reading: TextReading) -> None:
        self.path = Path(path)
        for param, column in (("text", reading.text), ("id", reading.id)):
            if column is not None:
                raise self._no_column(column, param)
        check_encoding(reading.encoding)
        self._encoding = reading.encoding
        self.files = plain_files(self.path)

    @property
    def copied_name(self) -> str:
        """The name of a copy, which is a table."""
        return f"{self.path.name}.csv"

    def rows(self, counter: SkipCounter) -> Iterator[tuple[str, str]]:
        """Yield each text after its path in the folder; empty files are skipped and counted.

        Raises:
            DataError: a file can't be read.
        """
        return read_plain_files(self.path, counter, encoding=self._encoding)

    def placed(self) -> Iterator[tuple[str, int, int]]:
        """Yield each text with the number of its file, from 0, and its line, which is 1."""
        counter = SkipCounter(self.path)
        for _, text in self.rows(counter):
            yield text, counter.rows - 1, 1

    def cells(self, column: str, *, param: str) -> Iterator[str]:
        """There are no columns.

        Raises:
            UsageError: always.
        """
        raise self._no_column(column, param)

    def copy(self, target: Path, *, without: Container[str]) -> int:
        """Write a table of the texts and their names, without those of some names.

        Returns:
            The number of written rows.
        """
        rows = [row for row in self.rows(SkipCounter(self.path)) if row[0] not in without]
        with written_text(target) as stream:
            RowWriter(stream, Path(self.copied_name), ("id", "text")).write(rows)
        return len(rows)

    def _no_column(self, column: str, param: str) -> Exception:
        return invalid(param, column, expected=f"no column, since {self.path} holds files of one text each")
