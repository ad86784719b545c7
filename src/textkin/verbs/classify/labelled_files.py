"""Files of texts with labels; what their readers skip is told."""

from __future__ import annotations

from pathlib import Path

from textkin.data.readers import TextReading
from textkin.data.readers.labelled_texts import LabelledTexts, has_column, load_labelled
from textkin.data.readers.read_report import note_read
from textkin.vectors.unique_texts import texts_of_file


def read_labelled(path: Path | str, label: str, reading: TextReading | None) -> LabelledTexts:
    """Texts that all have a label.

    Raises:
        UsageError: there is no such column.
        DataError: the file can't be read.
    """
    return _told(path, label, reading, all_labelled=True)


def read_texts(path: Path | str, label: str | None, reading: TextReading | None) -> LabelledTexts:
    """Texts, with labels where the file has a column of them.

    Raises:
        UsageError: there is no such column of texts.
        DataError: the file can't be read, or holds no text.
    """
    if label is not None and has_column(path, label, reading=reading):
        return _told(path, label, reading, all_labelled=False)
    loaded = texts_of_file(path, reading=reading)
    note_read(loaded.report)
    found = loaded.data
    return LabelledTexts(found.ids, found.texts, ("",) * len(found.texts), found.name)


def _told(path: Path | str, label: str, reading: TextReading | None, *, all_labelled: bool) -> LabelledTexts:
    loaded = load_labelled(path, label, reading=reading, all_labelled=all_labelled)
    note_read(loaded.report)
    return loaded.data
