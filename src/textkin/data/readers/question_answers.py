"""Files of questions with their answers, such as flash cards: pairs without labels."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from textkin.data.readers.choices import is_choices, read_choices
from textkin.data.readers.pairs import read_pairs
from textkin.data.readers.read_options import Reading
from textkin.data.readers.read_report import Loaded
from textkin.data.readers.table import open_table
from textkin.data.records import LabelKind, Pair, PairSet

_COLUMNS = {"id_a": "1", "a": "2", "b": "3"}


def read_question_answers(
    paths: Sequence[Path | str], *, reading: Reading | None = None
) -> tuple[Loaded[PairSet], ...]:
    """Read files of questions and answers, each by itself.

    A file of three columns without header holds id, question and answer; of questions with choices the right
    ones are the answers. Any other file is read as pairs are, with the question first.

    Args:
        paths: CSV, TSV or JSONL files.
        reading: their columns and quoting, where these are not as above.

    Raises:
        UsageError: there is no such column.
        DataError: a file can't be read, or its columns can't be told apart.
    """
    asked = reading or Reading()
    return tuple(_read(path, asked) for path in paths)


def _read(path: Path | str, reading: Reading) -> Loaded[PairSet]:
    columns = reading.columns
    if columns is None and is_choices(path):
        exam = read_choices(path)
        right = (
            Pair(one.question, one.choices[one.answer], id_a=one.question_id)
            for one in exam.data
            if one.answer is not None
        )
        return Loaded(PairSet(tuple(right), LabelKind.NONE, name=exam.data.name), exam.report, exam.format)
    if columns is None:
        table = open_table(path, quoting=reading.quoting, encoding=reading.encoding)
        if table.header is None and table.width == len(_COLUMNS):
            columns = _COLUMNS
    return read_pairs(path, columns=columns, quoting=reading.quoting, encoding=reading.encoding)
