"""Input of verbs of single texts: from a sequence or from a file."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from pathlib import Path
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

from textkin.base.errors import DataError, UsageError, inapplicable, invalid, unknown_choice
from textkin.base.paths import is_standard
from textkin.base.python_inputs import is_pair, listed, path_of, text_pairs_of, texts_of
from textkin.base.python_values import is_missing, number_of, on_cpu
from textkin.collection.store.address import is_address
from textkin.data.readers import Reading, TextReading, load_pairs, load_texts
from textkin.data.readers.columns import parse_columns
from textkin.data.readers.read_options import QuotingOption
from textkin.data.readers.read_report import note_read
from textkin.data.readers.texts import Texts
from textkin.vectors.manifest import refuse_other_texts
from textkin.vectors.unique_texts import texts_of_file

_PAIR_COLUMNS = {"a": "a", "b": "b"}
_NO_FILE = "check the path, or give texts in a list"


@final
@dataclass(frozen=True, slots=True)
class TextInput:
    """Texts that a verb was given, with the names by which its result calls them.

    Attributes:
        texts: the texts.
        ids: an id each: a file's ids, a frame's column of ids or its index, else places from 0.
        index: the index of a pandas frame or column; None of anything else.
        source: the file; None for texts in memory.
    """

    texts: Sequence[str]
    ids: Sequence[Any]
    index: Any = None
    source: Path | None = None

    def __len__(self) -> int:
        return len(self.texts)


def texts_from(
    data: Any, reading: TextReading, *, name: str = "texts", or_text: bool = False, vectors: Any = None
) -> TextInput:
    """The texts of a file, a sequence, a column or a data frame.

    Rows that a file's reader skips are reported.

    Args:
        data: the given data.
        reading: the columns of texts and ids of a file or frame, and the reading options.
        name: the argument's name in errors.
        or_text: True if a string that names no file is one text.
        vectors: vectors of the texts, which may be known to belong to others.

    Raises:
        UsageError: it is none of these, or holds something other than strings.
        DataError: the file can't be read, or holds no text, or the vectors are of other texts.
    """
    if (path := path_of(data, or_text=or_text)) is not None:
        found = given_texts(data, reading, name=name, or_text=or_text, vectors=vectors)
        return TextInput(found.texts, found.ids, source=path)
    if isinstance(data, Texts):
        return TextInput(data.texts, data.ids)
    if isinstance(data, list) and data and isinstance(data[0], dict):
        data = _Records(data)
    columns = column_names(data)
    if columns is None:
        _refuse_columns(reading, name)
        texts = texts_of(data, name=name)
        index = _index_of(data)
        return TextInput(texts, range(len(texts)) if index is None else list(index), index)
    column = _text_column(columns, reading.column, name)
    texts = texts_of(data[column], name=f"{name}[{column!r}]")
    index = _index_of(data)
    if reading.ids is not None:
        ids = listed(data[_known(columns, reading.ids, "id")], name)
    else:
        ids = range(len(texts)) if index is None else list(index)
    return TextInput(texts, ids, index)


@final
class _Records:
    """Rows as dictionaries, read by columns.

    Args:
        rows: the rows. A key that a row lacks is a missing value.
    """

    def __init__(self, rows: Sequence[dict[str, Any]]) -> None:
        self._rows = rows
        self.columns = list(dict.fromkeys(key for row in rows for key in row))

    def __getitem__(self, column: str) -> list[Any]:
        return [row.get(column) for row in self._rows]


@final
@dataclass(frozen=True, slots=True)
class PairInput:
    """Pairs of texts that a verb was given.

    Attributes:
        pairs: the texts.
        rows: the number of each pair's row in its file, or its place, from 1.
        index: the index of a pandas frame or column; None of anything else.
        source: the file; None for pairs in memory.
        single: True for two texts, each given as a string.
    """

    pairs: Sequence[tuple[str, str]]
    rows: Sequence[int]
    index: Any = None
    source: Path | None = None
    single: bool = False


def pairs_from(a: Any, b: Any, reading: Reading) -> PairInput:
    """The pairs of two texts, of two lists of texts, of a list of pairs, of a frame or of a file.

    Rows that a file's reader skips are reported.

    Args:
        a: a text or texts; without ``b`` pairs, or a path.
        b: a text or texts; one text is paired with each of several.
        reading: the reading options of a file or a frame.

    Raises:
        UsageError: it is none of these, or there are not as many texts on both sides.
        DataError: the file can't be read.
    """
    if b is not None:
        return _two_sides(a, b)
    if (path := path_of(a)) is not None:
        loaded = load_pairs(path, reading=reading)
        note_read(loaded.report)
        return PairInput(loaded.data.texts, [pair.row + 1 for pair in loaded.data], source=path)
    single = is_pair(a)
    columns = column_names(a) or ()
    chosen = reading.columns or (_PAIR_COLUMNS if {"a", "b"} <= set(columns) else {})
    if columns and {"a", "b"} <= chosen.keys():
        sides = [texts_of(a[_known(columns, chosen[role], "columns")], name=role) for role in ("a", "b")]
        pairs = list(zip(*sides, strict=True))
    else:
        pairs = text_pairs_of(a)
    return PairInput(pairs, range(1, len(pairs) + 1), _index_of(a), single=single)


def _two_sides(a: Any, b: Any) -> PairInput:
    lone = [isinstance(side, str) for side in (a, b)]
    if not lone[0] and (column_names(a) is not None or _holds_pairs(a)):
        raise invalid("b", b, expected="nothing beside pairs", fix="name the model: `model=...`")
    one, other = (
        [side] if isinstance(side, str) else texts_of(side, name=name) for side, name in ((a, "a"), (b, "b"))
    )
    count = max(len(one), len(other)) if any(lone) else len(one)
    one, other = (texts * count if alone else texts for texts, alone in zip((one, other), lone, strict=True))
    if len(one) != len(other):
        raise invalid("b", f"{len(other):,} texts", expected=f"as many as `a` has, {len(one):,}")
    index = next((side.index for side in (a, b) if hasattr(side, "iloc")), None)
    return PairInput(list(zip(one, other, strict=True)), range(1, count + 1), index, single=all(lone))


def _holds_pairs(data: Any) -> bool:
    return isinstance(data, list) and bool(data) and (is_pair(data[0]) or isinstance(data[0], list | tuple))


def pair_reading(*, columns: Any, format: str, quoting: QuotingOption, encoding: str | None) -> Reading:
    """Reading options of a file of pairs; columns by role, as a string or a mapping.

    Raises:
        UsageError: the columns can't be understood.
    """
    chosen = parse_columns(columns) if isinstance(columns, str) else columns
    return Reading(columns=chosen, format=format, quoting=quoting, encoding=encoding)


def fit_texts_from(fit: Any) -> Sequence[str] | None:
    """The texts that baselines take word frequencies from, given as texts or their file; None if not given.

    Raises:
        UsageError: it holds something other than strings.
        DataError: the file can't be read.
    """
    if fit is None:
        return None
    return load_texts(fit).data.texts if path_of(fit) is not None else texts_of(fit, name="fit")


def column_names(data: Any) -> list[Any] | None:
    """The columns of a frame of pandas, polars or Arrow; None of anything else."""
    found = getattr(data, "column_names", None)  # Arrow's columns are arrays
    found = getattr(data, "columns", None) if found is None else found
    return None if found is None or callable(found) else list(found)


def _refuse_columns(reading: TextReading, name: str) -> None:
    """Refuse the choice of a column where there are none.

    Raises:
        UsageError: one was chosen.
    """
    for param, value in (("text", reading.column), ("id", reading.ids)):
        if value is not None:
            raise inapplicable(param, to=f"{name}, which has no columns")


def _text_column(columns: Sequence[Any], wanted: str | None, name: str) -> Any:
    """The column of texts: the one that is named, the only one, or the one called text.

    Raises:
        UsageError: there is no such column, or several could be meant.
    """
    if wanted is not None:
        return _known(columns, wanted, "text")
    if len(columns) == 1 or "text" in columns:
        return columns[0] if len(columns) == 1 else "text"
    raise UsageError(
        f"{name} has the columns {', '.join(map(repr, columns))}, and `text` says which one holds texts",
        fix=f"give one, such as `text={columns[0]}`",
        params=("text",),
    )


def _known(columns: Sequence[Any], wanted: Any, param: str) -> Any:
    if wanted not in columns:
        raise unknown_choice(param, wanted, map(str, columns))
    return wanted


def _index_of(data: Any) -> Any:
    """The index of a frame or column of pandas; None of anything else."""
    index = getattr(data, "index", None)
    return None if callable(index) else index


def given_texts(
    data: Any,
    reading: TextReading | None,
    *,
    name: str = "texts",
    or_text: bool = False,
    vectors: Any = None,
) -> Texts:
    """The texts of a sequence, with their places from 1 as ids, or those of a file.

    Rows that the file's reader skips are reported. With ``or_text``, a string that names no file is one text.
    ``vectors`` are those given beside them.

    Raises:
        UsageError: it is neither, or holds something other than strings.
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
    if isinstance(data, str) and (is_address(data) or is_standard(Path(data))):
        return
    if isinstance(data, str) and path_of(data, or_text=True) is None:
        raise DataError(f"{name} is {data!r}: no such file", fix=_NO_FILE)


def file_of_texts(data: Any) -> Path:
    """The file of texts that ``out`` is made from.

    Raises:
        UsageError: texts were given; then all that would be written is in the result.
    """
    if (path := path_of(data)) is None:
        raise inapplicable("out", to="texts in memory", fix="leave it out and use the result, or give a path")
    return path


def named(param: str, given: Any) -> str | None:
    """A path or a name.

    Raises:
        UsageError: it is something else, of which no file could hold the hash.
    """
    if not isinstance(given, str | Path | None):
        raise invalid(param, given, expected="a path or a name, with `out`")
    return None if given is None else str(given)


def given_vectors(vectors: Any) -> Any:
    """Vectors as an array, from lists, tables and tensors; a path, an array or None as it is.

    Raises:
        UsageError: they are no numbers, or not as many in each row.
    """
    if vectors is None or isinstance(vectors, str | Path | np.ndarray):
        return vectors
    vectors = on_cpu(vectors)
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
