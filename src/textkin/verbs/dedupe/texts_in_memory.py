"""Texts in memory as a file in the folder of a deduplication, which is evidence of what was read."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import chain, count
from pathlib import Path
from typing import Any

from textkin.base.errors import OutputError, invalid
from textkin.base.frames import column_names, index_of
from textkin.base.python_inputs import listed
from textkin.base.python_values import is_missing
from textkin.base.table_writer import written_table
from textkin.data.readers import TextReading
from textkin.verbs.dedupe.output_files import ACCOUNT
from textkin.verbs.frame_texts import id_column_of, text_columns_of
from textkin.verbs.inputs import require_apart, texts_from

TEXTS = "texts.csv"
"""The name of the file."""

_ROW = "row"  # the column of ids where the data have none


def written_texts(data: Any, reading: TextReading, out: Path) -> tuple[Path, TextReading, list[str]]:
    """Write a sequence or all columns of a frame, and say how to read them.

    Rows without a text are written, too, to be counted as skipped.

    Args:
        data: texts, or a frame.
        reading: the columns of texts and ids.
        out: the folder.

    Returns:
        The file, the columns in it, and the id of each row: of a frame its column of ids, or its index;
        otherwise the number of the row, from 0.

    Raises:
        UsageError: it is neither, a text is something else, or ids are not unique.
        OutputError: the folder has another file of that name.
    """
    names, columns, reading = _columns(data, reading)
    ids = columns[names.index(str(reading.id))]
    require_apart(ids, index_of(data))
    path = Path(out) / TEXTS
    if path.exists() and not (path.parent / ACCOUNT).exists():
        raise OutputError(
            f"{path} is there, and no deduplication's", fix="give another folder as `out`", params=("out",)
        )
    path.parent.mkdir(parents=True, exist_ok=True)
    with written_table(path, names) as table:
        table.write(zip(*columns, strict=True))
    return path, reading, ids


def _columns(data: Any, reading: TextReading) -> tuple[list[str], list[list[str]], TextReading]:
    names = column_names(data)
    if names is None:
        came = texts_from(data, reading)
        columns = [list(map(str, came.ids)), list(came.texts)]
        return [_ROW, "text"], columns, replace(reading, text="text", id=_ROW)
    of_text = text_columns_of(data, reading.text, "texts")
    text = ",".join(map(str, of_text))
    columns = [list(_cells(listed(data[one], str(one)), str(one), [one] == of_text)) for one in names]
    titles = list(map(str, names))
    index = index_of(data)
    if (reading.id is not None or index is None) and (of_id := id_column_of(data, reading.id)) is not None:
        return titles, columns, replace(reading, text=text, id=str(of_id))
    rows = list(map(str, range(len(columns[0])) if index is None else index))
    others = (f"{_ROW} {number}" for number in count(2))
    title = next(name for name in chain([_ROW], others) if name not in titles)
    return [title, *titles], [rows, *columns], replace(reading, text=text, id=title)


def _cells(values: Sequence[Any], name: str, is_text: bool) -> Iterator[str]:
    for place, value in enumerate(values):
        if is_text and not is_missing(value) and not isinstance(value, str):
            raise invalid(f"texts[{name!r}][{place}]", value, expected="a text")
        yield "" if is_missing(value) else str(value)
