"""What the verbs of single texts share: texts from a sequence or from a file."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from collections.abc import Set as AbstractSet
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from textkin.base.errors import DataError, inapplicable, invalid
from textkin.base.python_inputs import listed, path_of, texts_of
from textkin.base.python_values import is_missing, number_of
from textkin.collection.store.address import is_address
from textkin.data.readers import TextReading
from textkin.data.readers.read_report import note_read
from textkin.data.readers.texts import Texts
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
        raise inapplicable("reading", to="texts in memory")
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
        raise inapplicable("out", to="texts in memory", fix="leave it out and use the result, or give a path")
    return path


def given_vectors(vectors: Any) -> Any:
    """Vectors as an array, from lists, tables and tensors; a path, an array or None as it is.

    Raises:
        UsageError: they are no numbers, or not as many in each row.
    """
    if vectors is None or isinstance(vectors, str | Path | np.ndarray):
        return vectors
    for way in ("detach", "cpu"):  # a tensor may need gradients, or lie on another device
        vectors = getattr(vectors, way, lambda given=vectors: given)()
    rows = list(vectors) if isinstance(vectors, Iterator) else vectors
    rows = rows.tolist() if type(rows).__name__ == "Series" and hasattr(rows, "tolist") else rows
    try:
        return np.asarray(rows, dtype=None if hasattr(rows, "dtype") else np.float32)
    except (TypeError, ValueError) as error:
        raise invalid("embeddings", vectors, expected="a NumPy array, shape [texts, dim]") from error


def given_numbers(values: Any, name: str) -> NDArray[np.float64]:
    """A number for each text, NaN for one that is missing.

    Raises:
        UsageError: one is no number.
    """
    found = listed(values, name)
    if isinstance(found, str | Mapping | AbstractSet) or not isinstance(found, Iterable):
        raise invalid(name, values, expected="a list with one number per text")
    numbers = [
        math.nan if is_missing(one) else number_of(one, f"{name}[{place}]") for place, one in enumerate(found)
    ]
    return np.array(numbers, dtype=np.float64)
