"""Files of questions with answers, such as flash cards: pairs without labels."""

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
    """Read files of questions and answers, one by one.

    A file with three columns and no header contains id, question and answer. For multiple-choice questions,
    the correct choices are the answers. Any other file is read as pairs, with the question first.

    Args:
        paths: CSV, TSV or JSONL files.
        reading: columns and quoting, if they differ from that.

    Raises:
        UsageError: a column is missing.
        DataError: a file can't be read, or its columns are ambiguous.
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
