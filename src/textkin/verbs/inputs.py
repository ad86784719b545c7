"""Input of verbs of single texts: from a sequence or from a file."""

from collections import Counter
from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

import numpy as np

from textkin.base.errors import DataError, UsageError, inapplicable, invalid
from textkin.base.frames import column_names, index_of, require_order
from textkin.base.paths import is_file, is_standard
from textkin.base.progress import note
from textkin.base.python_inputs import listed, path_of, texts_of
from textkin.base.python_values import is_missing, on_cpu
from textkin.base.spelling import spelt
from textkin.collection.store.address import is_address
from textkin.data.readers import TextReading, load_texts
from textkin.data.readers.read_options import QuotingOption
from textkin.data.readers.read_report import note_read
from textkin.data.readers.texts import Texts
from textkin.vectors.manifest import refuse_other_ids, refuse_other_texts
from textkin.verbs.frame_texts import frame_texts, id_column_of, text_columns_of

MODEL_METHODS = "encode", "score", "predict", "read", "choose", "classify"
"""Methods by one of which an object is a model."""

_NO_FILE = "check the path, or give texts in a list"


def text_reading(
    text: str | int | Sequence[str] | None,
    id: str | int | None,
    quoting: QuotingOption,
    encoding: str | None,
    *data: Any,
) -> TextReading:
    """The options that verbs of texts share for reading a file or a frame.

    Raises:
        UsageError: an option of files is given, and none of the data may be one.
    """
    in_memory = [one for one in data if one is not None]
    if in_memory and not any(isinstance(one, str | Path) for one in in_memory):
        of_files = {"quoting": quoting != "auto", "encoding": encoding is not None}
        if wrong := [name for name, given in of_files.items() if given]:
            raise inapplicable(*wrong, to="data in memory")
    text = ",".join(map(str, text)) if isinstance(text, list | tuple) else text
    text, id = (None if one is None else str(one) for one in (text, id))
    return TextReading(text=text, id=id, quoting=quoting, encoding=encoding)


@dataclass(frozen=True, slots=True)
class TextInput:
    """Texts that a verb was given, with the names by which its result calls them.

    Attributes:
        texts: the texts.
        ids: an id each: a file's ids, a frame's given column of ids, its index, or its column with a name of
            ids; else places from 0.
        index: the index of a pandas frame or column; None of anything else.
        source: the file; None for texts in memory.
    """

    texts: Sequence[str]
    ids: Sequence[Any]
    index: Any = None
    source: Path | None = None

    def __len__(self) -> int:
        return len(self.texts)

    def told_apart(self, name: str = "texts") -> Self:
        """The same, if each id names one text alone, as where a result calls texts by their ids.

        Raises:
            UsageError: one comes twice, as in the index of joined frames.
        """
        require_apart(self.ids, self.index, name)
        return self


def require_apart(ids: Sequence[Any], index: Any, name: str = "texts") -> None:
    """Check that each text has an id, and that each id names one text alone.

    Args:
        ids: the ids of the texts.
        index: the index of their frame, for the fix; None without one.
        name: what they are, for the error.

    Raises:
        UsageError: one is missing, or comes twice, as in the index of joined frames.
    """
    if isinstance(ids, range):
        return
    if (place := next((row for row, one in enumerate(ids) if is_missing(one)), None)) is not None:
        told = f"{name}: the id in row {place} (counted from 0) is missing"
        raise UsageError(told, fix="fill the column of ids", params=("id",))
    names = list(map(str, ids))
    if len(set(names)) < len(names):
        [(twice, _)] = Counter(names).most_common(1)
        of_index = index is not None and list(map(str, index)) == names
        fix = "number them anew: reset_index(drop=True)" if of_index else "make the ids unique"
        raise invalid(name, twice, expected="an id that names one text alone", fix=fix)


def texts_from(
    data: Any,
    reading: TextReading,
    *,
    name: str = "texts",
    or_text: bool = False,
    vectors: Any = None,
    but: Container[Any] = (),
) -> TextInput:
    """The texts of a file, a sequence, a column, a data frame, or a mapping of ids to texts.

    Rows that a file's reader skips are reported.

    Args:
        data: the given data.
        reading: the columns of texts and ids of a file or frame, and the reading options.
        name: the argument's name in errors.
        or_text: True if a string that names no file is one text.
        vectors: vectors of the texts, which may be known to belong to others.
        but: columns of a frame that are no texts.

    Raises:
        UsageError: it is none of these, or holds something other than strings.
        DataError: the file can't be read, or holds no text, or the vectors are of other texts.
    """
    if (path := path_of(data, or_text=or_text)) is not None:
        refuse_lone_text(data, name)
        refuse_other_texts(vectors, path)
        loaded = load_texts(path, reading=reading)
        refuse_other_ids(vectors, loaded.data.ids, path)
        note_read(loaded.report)
        return TextInput(loaded.data.texts, loaded.data.ids, source=path)
    if isinstance(data, Texts):
        return TextInput(data.texts, data.ids)
    if isinstance(data, Mapping):
        _refuse_columns(reading, name)
        for key, cell in data.items():
            if isinstance(cell, list | tuple) or getattr(cell, "ndim", None):
                fix = f"of columns give that of the texts, such as {name}[{key!r}]"
                raise invalid(name, data, expected="a text for each id", fix=fix)
        return TextInput(texts_of(list(data.values()), name=name), list(data))
    columns, index = column_names(data), index_of(data)
    if columns is None:
        _refuse_columns(reading, name)
        texts = texts_of(data, name=name)
    else:
        texts = frame_texts(data, text_columns_of(data, reading.text, name, but=but), name)
    if (reading.id is not None or index is None) and (of_id := id_column_of(data, reading.id)) is not None:
        return TextInput(texts, listed(data[of_id], name), index)
    return TextInput(texts, range(len(texts)) if index is None else list(index), index)


def fit_texts_from(fit: Any) -> Sequence[str] | None:
    """The texts that baselines take word frequencies from, given as texts or their file; None if not given.

    Raises:
        UsageError: it holds something other than strings.
        DataError: the file can't be read.
    """
    if fit is None:
        return None
    return load_texts(fit).data.texts if path_of(fit) is not None else texts_of(fit, name="fit")


def _refuse_columns(reading: TextReading, name: str) -> None:
    """Refuse the choice of a column where there are none.

    Raises:
        UsageError: one was chosen.
    """
    for param, value in (("text", reading.text), ("id", reading.id)):
        if value is not None:
            raise inapplicable(param, to=f"{name}, which has no columns")


def refuse_lone_text(data: Any, name: str) -> None:
    """Refuse a string that names no file and looks like a text, where one text alone is not enough.

    Raises:
        DataError: it does.
    """
    if isinstance(data, str) and (is_address(data) or is_standard(Path(data))):
        return
    if isinstance(data, str) and path_of(data, or_text=True) is None:
        raise DataError(f"{name} is {data!r}: no such file", fix=_NO_FILE)


def note_file_as_text(given: Any) -> None:
    """Note that a string naming a file is read as a text; only a path is a file."""
    if isinstance(given, str) and is_file(given):
        note(
            f"{given!r} is taken as a text, not as the file of that name; "
            + spelt("for its texts give `out`, or in Python a Path")
        )


def refuse_given(values: Mapping[str, Any], *, to: str, fix: str | None = None) -> None:
    """Refuse options that were given and don't apply.

    Args:
        values: by option; None, False or an empty list or dictionary if it wasn't given.
        to: what they don't apply to.
        fix: what the user can do.

    Raises:
        UsageError: one was given.
    """
    asked = {name: value for name, value in values.items() if value is not None and value is not False}
    if given := [
        name for name, value in asked.items() if not isinstance(value, list | tuple | dict) or value
    ]:
        raise inapplicable(*given, to=to, fix=fix)


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


def given_vectors(vectors: Any, texts: Any, name: str = "embeddings") -> Any:
    """Vectors as an array, from lists, tables and tensors; a path, an array or None as it is.

    Args:
        vectors: the given vectors.
        texts: the texts, whose index a table or a column of vectors has in its order.
        name: the argument's name in errors.

    Raises:
        UsageError: they are no numbers, not as many in each row, or in another order than the texts.
    """
    require_order(texts, vectors, name)
    if vectors is None or isinstance(vectors, str | Path | np.ndarray):
        return vectors
    vectors = on_cpu(vectors)
    rows = list(vectors) if isinstance(vectors, Iterator) else vectors
    if len(getattr(rows, "shape", (0,))) == 1:  # a column of lists
        rows = listed(rows, name)
    try:
        return np.asarray(rows, dtype=None if hasattr(rows, "dtype") else np.float32)
    except (TypeError, ValueError) as error:
        raise invalid(name, vectors, expected="a NumPy array, shape [texts, dim]") from error
