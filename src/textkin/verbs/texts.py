"""What the verbs of single texts share: texts from a sequence or from a file."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from textkin.errors import DataError, UsageError
from textkin.inputs import path_of, texts_of
from textkin.readers import TextReading
from textkin.readers.report import note_read
from textkin.readers.texts import Texts
from textkin.store.address import is_address
from textkin.vectors.manifest import refuse_other_texts
from textkin.vectors.unique_texts import texts_of_file

_NO_FILE = "check the path, or give texts in a list"


def given_texts(
    data: Any,
    reading: TextReading | None,
    *,
    name: str = "texts",
    or_text: bool = False,
    vectors: Any = None,
) -> Texts:
    """The texts of a sequence, with their places from 1 as ids, or those of a file.

    What the reader of the file skips is told. With ``or_text``, a string that names no file is one text.
    ``vectors`` are those given beside them.

    Raises:
        UsageError: it is neither, or holds what is no text.
        DataError: the file can't be read, or holds no text, or the vectors are of other texts.
    """
    if (path := path_of(data, or_text=or_text)) is not None:
        refuse_lone_text(data, name)
        refuse_other_texts(vectors, path)
        loaded = texts_of_file(path, reading=reading)
        note_read(loaded.report)
        return loaded.data
    if isinstance(data, Texts):
        return data
    if reading is not None:
        raise UsageError("reading says how a file is read, and texts were given", fix="leave it out")
    texts = texts_of(data, name=name)
    return Texts(tuple(str(place) for place in range(1, len(texts) + 1)), tuple(texts), name)


def refuse_lone_text(data: Any, name: str) -> None:
    """Refuse a string that names no file and looks like a text, where one text alone is not enough.

    Raises:
        DataError: it does.
    """
    if isinstance(data, str) and not is_address(data) and path_of(data, or_text=True) is None:
        raise DataError(f"{name} is {data!r}: no such file", fix=_NO_FILE)


def file_of_texts(data: Any) -> Path:
    """The file of texts that ``out`` is made from.

    Raises:
        UsageError: texts were given; then all that would be written is in the result.
    """
    if (path := path_of(data)) is None:
        raise UsageError(
            "out writes what belongs to a file of texts, and texts were given",
            fix="leave it out and take what is in the result, or give a path",
        )
    return path
