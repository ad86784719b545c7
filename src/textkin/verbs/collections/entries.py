"""Entries for collections, from texts, data frames and files."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import repeat
from typing import Any

from textkin.base.errors import inapplicable, unknown_choice
from textkin.base.python_inputs import listed, path_of, several
from textkin.base.python_values import plain
from textkin.data.entry_records import Entry
from textkin.data.readers import TextReading
from textkin.data.readers.entries import EntryFile, EntryReading, as_entries
from textkin.verbs.inputs import column_names, texts_from


def metadata_names(given: Any) -> tuple[str, ...]:
    """Names of columns, from a list or from one string with commas between them.

    Raises:
        UsageError: it is no list of names.
    """
    if isinstance(given, str):
        return tuple(name.strip() for name in given.split(","))
    return () if given is None else tuple(several(given, "metadata"))


def entries_from(data: Any, reading: EntryReading, *, or_text: bool = False) -> EntryFile | Sequence[Entry]:
    """The entries of texts, of a data frame, or of a file, which is read later.

    Args:
        data: a path, a data frame, or texts or entries. An id is a hash of the text without a column of ids.
        reading: the columns of texts, ids and metadata, and how a file is read.
        or_text: True if a string is a text, and only a path object a file.

    Raises:
        UsageError: a column is missing, or it is none of these.
    """
    if isinstance(data, str) and or_text:
        data = [data]
    elif (path := path_of(data)) is not None:
        return EntryFile(path, reading=reading)
    columns = column_names(data)
    if columns is None:
        for param, value in (("text", reading.text), ("id", reading.ids), ("metadata", reading.metadata)):
            if value:
                raise inapplicable(param, to="texts without columns")
        return list(as_entries(data))
    if missing := next((one for one in reading.metadata if one not in columns), None):
        raise unknown_choice("metadata", missing, map(str, columns))
    given = texts_from(data, TextReading(column=reading.text, ids=reading.ids))
    about: Iterator[Any] = repeat({})
    if reading.metadata:
        values = [map(plain, listed(data[name], "metadata")) for name in reading.metadata]
        about = (dict(zip(reading.metadata, row, strict=True)) for row in zip(*values, strict=True))
    ids = None if reading.ids is None else given.ids
    return list(as_entries(given.texts, ids, [own for _, own in zip(given.texts, about, strict=False)]))
