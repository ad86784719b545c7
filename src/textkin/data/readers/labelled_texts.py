"""Single texts with labels, from a table."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from textkin.base.errors import UsageError, invalid
from textkin.base.paths import name_of
from textkin.base.results import Result, ResultRow
from textkin.data.readers import columns
from textkin.data.readers.column_report import texts_taken
from textkin.data.readers.pairs import NO_LABEL
from textkin.data.readers.read_options import TextReading
from textkin.data.readers.read_report import Loaded, SkipCounter
from textkin.data.readers.table import Table, open_table
from textkin.data.readers.texts import is_table_name


@dataclass(frozen=True, slots=True, repr=False)
class LabelledTexts(Result):
    """Texts with labels.

    Attributes:
        ids: ids of the source, or numbers of lines or rows, from 1; of data in memory those of
            :class:`textkin.verbs.inputs.TextInput`.
        texts: texts, as many as ids.
        labels: labels, as many as ids; "" for a text without one.
        name: source of the texts.
        index: the index of a pandas frame or column; None of anything else.
    """

    ids: Sequence[Any]
    texts: tuple[str, ...]
    labels: tuple[str, ...]
    name: str = ""
    index: Any = None

    def _rows(self) -> Iterator[ResultRow]:
        for name, text, label in zip(self.ids, self.texts, self.labels, strict=True):
            yield {"id": name, "text": text, "label": label}

    def __len__(self) -> int:
        return len(self.texts)


def has_column(path: Path | str, label: str, *, reading: TextReading | None = None) -> bool:
    """True if a file of texts is a table with this column.

    Raises:
        DataError: the file can't be read.
    """
    reading = reading or TextReading()
    if reading.text is None and not is_table_name(path):
        return False
    table = open_table(path, quoting=reading.quoting, named=(label,), encoding=reading.encoding)
    try:
        columns.find_column(table.header, table.width, label, param="label")
    except UsageError:
        return False
    return True


def load_labelled(
    path: Path | str, label: str, *, reading: TextReading | None = None, all_labelled: bool = True
) -> Loaded[LabelledTexts]:
    """Read a table of texts with labels; rows without a text are skipped and counted.

    Args:
        path: the table.
        label: name or 1-based number of the label column.
        reading: options for reading the table.
        all_labelled: True to skip and count rows without a label, too.

    Raises:
        UsageError: the column is missing, or is that of the texts.
        DataError: the file can't be read, or its text column can't be determined.
    """
    reading = reading or TextReading()
    named = (label, *columns.named_columns(reading.text), *(() if reading.id is None else (reading.id,)))
    table = open_table(path, quoting=reading.quoting, named=named, encoding=reading.encoding)
    of_label = columns.find_column(table.header, table.width, label, param="label")
    of_text = _text_column(table, of_label, path, reading.text)
    if of_label in of_text:
        raise invalid("label", label, expected="another column than that of the texts")
    of_id = columns.find_id_column(table.header, table.width, reading.id)
    counter = SkipCounter(path)
    counter.columns = texts_taken(table.header, table.sample(), of_text, given=reading.text is not None)
    kept: list[tuple[str, str, str]] = []
    for row in table.rows(counter):
        name = row.fields[of_label].strip()
        if reason := row.objection(of_text):
            counter.skip(row.line, reason)
        elif all_labelled and not name:
            counter.skip(row.line, NO_LABEL)
        else:
            own = of_id is not None and of_id not in (*of_text, of_label)
            key = row.fields[of_id] if own and of_id is not None else str(row.row + 1)
            kept.append((key, row.text(of_text), name))
    ids, texts, labels = zip(*kept, strict=True) if kept else ((), (), ())
    return Loaded(LabelledTexts(ids, texts, labels, name_of(path)), counter.report(), table.format)


def _text_column(table: Table, of_label: int, path: Path | str, column: str | None) -> tuple[int, ...]:
    """The position of the text column: the user's choice, or detected among those without labels."""
    if column is not None:
        return columns.find_text_columns(table.header, table.width, column)
    others = [place for place in range(table.width) if place != of_label]
    header = None if table.header is None else [table.header[place] for place in others]
    sample = [[row[place] for place in others] for row in table.sample() if len(row) == table.width]
    return (others[columns.find_text_column(header, sample, path)],)
