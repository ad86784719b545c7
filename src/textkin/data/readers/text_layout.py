"""The layout of a text file, so that a copy of some of its rows has the same."""

import codecs
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, final

from textkin.base.errors import has_rows
from textkin.base.files import written_text
from textkin.data.readers.text_files import starts_with_mark


@final
@dataclass(frozen=True, slots=True)
class TextShape:
    """The layout of a text file.

    Attributes:
        encoding: name given by the user; None for UTF-8, or UTF-16 with a byte order mark.
        written: encoding of a copy.
    """

    encoding: str | None = None
    written: str = "utf-8"

    @contextmanager
    def writing(self, path: Path) -> Iterator[IO[str]]:
        """Open a file for writing lines with their ends; one named ``.gz`` is compressed."""
        with written_text(path, encoding=self.written) as stream:
            yield stream


PLAIN = TextShape()


def shape_of(path: Path, encoding: str | None = None) -> TextShape:
    """Detect the layout of a file.

    Raises:
        DataError: the file can't be read.
    """
    if has_rows(path):
        return PLAIN
    mark = starts_with_mark(path)
    written = encoding or "utf-8"
    if mark == "utf-16" and encoding is None:
        written = "utf-16"
    elif mark == "utf-8" and codecs.lookup(written).name == "utf-8":
        written = "utf-8-sig"
    return TextShape(encoding, written)
