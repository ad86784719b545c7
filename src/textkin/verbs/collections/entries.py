"""Entries for collections, from texts, data frames and files."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal

from textkin.base.errors import inapplicable
from textkin.base.frames import column_names, index_of, known_column
from textkin.base.python_inputs import cells_of, path_of
from textkin.data.entry_records import Entry
from textkin.data.readers import TextReading
from textkin.data.readers.entries import EntryFile, EntryReading, as_entries
from textkin.verbs.frame_texts import id_column_of
from textkin.verbs.inputs import refuse_lone_text, text_reading, texts_from


@dataclass(frozen=True, slots=True, kw_only=True)
class Columns:
    """The columns of entries, and how their file is read.

    Attributes:
        text: the column of texts.
        id: the column of ids, or an id for each text; hashes of the texts if None.
        metadata: columns, in a list or with commas between them, or a mapping for each text.
        quoting: the interpretation of double quotes.
        encoding: the file's encoding.
    """

    text: str | int | Sequence[str] | None = None
    id: Any = None
    metadata: Any = None
    quoting: Literal["auto", "csv", "none"] = "auto"
    encoding: str | None = None

    @property
    def of_texts(self) -> TextReading:
        """The same for texts without metadata."""
        return text_reading(self.text, self.id, self.quoting, self.encoding)

    def entries(self, data: Any, *, or_text: bool = False) -> EntryFile | Sequence[Entry]:
        """The entries of texts, of a data frame, or of a file, which is read later.

        A frame has ids in the given column, in one with a known name, or in an index that has a name.

        Args:
            data: a path, a data frame, or texts or entries.
            or_text: True if a string is a text, and only a path object a file.

        Raises:
            UsageError: a column is missing, or it is none of these.
            DataError: it is a lone text.
        """
        if isinstance(data, str) and or_text:
            data = [data]
        refuse_lone_text(data, "texts")
        if (path := path_of(data)) is not None:
            return self.file(path)
        columns = column_names(data)
        if columns is None:
            return self._of_texts(data)
        names = [known_column(columns, one, "metadata") for one in self._metadata_columns()]
        of_id = id_column_of(data, self.of_texts.id)
        has_ids = of_id is not None or getattr(index_of(data), "name", None) is not None
        reading = self.of_texts if of_id is None else replace(self.of_texts, id=str(of_id))
        given = texts_from(data, reading)
        values = [cells_of(data[name], "metadata") for name in names]
        about = [_filled(names, row) for row in zip(*values, strict=True)] if names else None
        return list(as_entries(given.texts, given.ids if has_ids else None, about))

    def file(self, path: Path) -> EntryFile:
        """The entries of a file."""
        reading = EntryReading(
            text=self.of_texts.text,
            id=self.of_texts.id,
            metadata=tuple(map(str, self._metadata_columns())),
            quoting=self.quoting,
            encoding=self.encoding,
        )
        return EntryFile(path, reading=reading)

    def _of_texts(self, data: Any) -> Sequence[Entry]:
        if self.text is not None:
            raise inapplicable("text", to="texts without columns")
        for name in ("id", "metadata"):
            if isinstance(getattr(self, name), str):
                raise inapplicable(name, to="texts without columns", fix="give a list with one item per text")
        if isinstance(data, Mapping):
            if self.id is not None:
                raise inapplicable("id", to="texts by their ids")
            return list(as_entries(list(data.values()), list(data), self.metadata))
        return list(as_entries(data, self.id, self.metadata))

    def _metadata_columns(self) -> list[Any]:
        if isinstance(self.metadata, str | int):
            return [name.strip() for name in str(self.metadata).split(",")]
        names = [] if self.metadata is None else list(self.metadata)
        if any(isinstance(one, Mapping) for one in names):
            raise inapplicable("metadata", to="a table, unless it names columns")
        return names


def _filled(names: Sequence[Any], row: Sequence[Any]) -> dict[str, Any]:
    """The metadata of a row, as a file's: nothing where a cell is empty."""
    return {str(name): value for name, value in zip(names, row, strict=True) if value not in (None, "")}
