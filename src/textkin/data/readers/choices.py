"""Multiple-choice questions: the challenge's tables, JSON lines, other tables, MovieQA.

* **Tables** have a header: ``question``, one column per choice (``answerA``, ``choiceB``, ``option3``, ``D``,
  ...), and optionally ``id`` and ``correctAnswer`` (or ``answer``, ``answerKey``, ``correct``, ``label``).
  Those of the Allen AI Science Challenge have seven columns, six without answers. An unnamed first column is
  an index.
* **JSON**, as lines of objects or one list of objects, in the layouts of ``choice_objects.py``.
* **MovieQA**, with plots as each question's support.

No question of an exam is dropped silently: one that can't be read is an error with its line, not a skip.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import Any

from textkin.base.errors import DataError, inapplicable, is_workbook
from textkin.base.paths import is_input, name_of
from textkin.data.choice_records import ChoiceQuestion, ChoiceSet
from textkin.data.readers.choice_columns import QUESTION, exam_columns
from textkin.data.readers.choice_objects import holds_question, questions_of
from textkin.data.readers.choice_rows import ExamRow, counted, mixed, without_blank_end
from textkin.data.readers.datasets.movieqa import is_movieqa, read_movieqa_choices
from textkin.data.readers.dialect import cut, guess_delimiter
from textkin.data.readers.json_document import read_document
from textkin.data.readers.json_lines import objection_to, parse_object
from textkin.data.readers.read_report import Loaded, ReadReport
from textkin.data.readers.table import Table, TableRow, open_table
from textkin.data.readers.text_files import head, lines

SCHEMA = 'give for example {"question": "...", "choices": ["...", "..."], "answer": "A"}'

_SAMPLE = 200  # lines, one of which must be an object


def is_choices(path: Path | str) -> bool:
    """True if a file or folder contains multiple-choice questions.

    Raises:
        DataError: the file can't be read.
    """
    place = Path(path)
    if not is_input(place):
        return is_movieqa(place)
    if is_movieqa(place):
        return True
    start = head(place).lstrip()[:1]
    if start in (b"{", b"["):
        found = _first_object(place, start)
        return found is not None and holds_question(found)
    if is_workbook(place):
        header = open_table(place, named=(QUESTION,)).header
        return header is not None and exam_columns(header) is not None
    first = next((line for line in lines(place) if line.strip()), "")
    # Not by opening a table: detecting its quoting would read all of it.
    delimiter = guess_delimiter([first])
    return delimiter is not None and exam_columns(cut(first, delimiter).fields) is not None


def read_choices(path: Path | str, *, split: str | None = None) -> Loaded[ChoiceSet]:
    """Read multiple-choice questions.

    Args:
        path: a table, JSON lines, or MovieQA's ``qa.json`` or folder.
        split: split of MovieQA: train, val or test.

    Raises:
        UsageError: a split is given for data without splits.
        DataError: a question can't be read (with its line), an id is repeated, or there is no question.
    """
    if is_movieqa(Path(path)):
        return read_movieqa_choices(path, split=split)
    if split is not None:
        raise inapplicable("split", to=f"{path}, which isn't a folder of MovieQA")
    found = _whole(read_asked(path), path)
    report = ReadReport(str(path), len(found), len(found), {}, ())
    return Loaded(ChoiceSet(found, name_of(path)), report, "choices")


def choices_of(records: Sequence[Mapping[str, Any]], name: str) -> ChoiceSet | None:
    """The multiple-choice questions of records with the columns or keys of a file; None if they are none.

    Args:
        records: one a question.
        name: their name in messages.

    Raises:
        DataError: a question has a fault, or an id is repeated.
    """
    if not records or not holds_question(records[0]):
        return None
    rows = [row for number, one in enumerate(records, 1) for row in questions_of(one, 0, number)]
    return ChoiceSet(_whole(counted(rows), name), name)


def _whole(rows: Iterable[ExamRow], path: Path | str) -> tuple[ChoiceQuestion, ...]:
    """The questions, of which each must be whole.

    Raises:
        DataError: one has a fault, an id is repeated, or there is none.
    """
    found, seen = list[ChoiceQuestion](), dict[str, int]()
    for asked in rows:
        for fault in asked.faults():
            listing = "; `lint()` lists all such questions" if asked.line else ""
            raise DataError(
                f"question {asked.question_id[:40]!r}: {fault}",
                path=path,
                line=asked.line or None,
                fix=SCHEMA if asked.broken else f"correct it{listing}",
            )
        if asked.question_id in seen:
            where = f", first on line {seen[asked.question_id]}" if asked.line else ""
            raise DataError(
                f"the id {asked.question_id[:40]!r} comes twice{where}",
                path=path,
                line=asked.line or None,
                fix="make the ids unique",
            )
        seen[asked.question_id] = asked.line
        found.append(asked.record)
    if not found:
        raise DataError("holds no questions", path=path, fix="give at least one")
    return tuple(found)


def read_asked(path: Path | str) -> list[ExamRow]:
    """The questions of a table or of JSON objects as read, with their faults.

    Raises:
        DataError: the file can't be read, lacks a column, or a row has another number of cells.
    """
    place = Path(path)
    start = head(place).lstrip()[:1]
    if start not in (b"{", b"["):
        return counted(list(_of_table(open_table(place, named=(QUESTION,)))))
    return counted(list(_of_document(place) if _is_document(place, start) else _of_lines(place)))


def _is_document(path: Path, start: bytes) -> bool:
    """True if a file is one JSON document rather than JSON lines."""
    if start == b"[":
        return True
    first = next((line for line in lines(path) if line.strip()), "")
    return parse_object(first) is None and first.strip() == "{"


def _first_object(path: Path, start: bytes) -> Mapping[str, Any] | None:
    """The first object of a file that opens a bracket, or the first among its first lines."""
    if _is_document(path, start):
        try:
            value = read_document(path).value
        except DataError:
            return None
        first = value[0] if isinstance(value, list) and value else value
        return first if isinstance(first, dict) else None
    return next((found for line in islice(lines(path), _SAMPLE) if (found := parse_object(line))), None)


def _of_table(table: Table) -> Iterator[ExamRow]:
    columns = None if table.header is None or table.format == "jsonl" else exam_columns(table.header)
    if columns is None:
        raise DataError(
            "holds no questions with choices: no header names a question and two or more choices",
            path=table.path,
            fix="name the columns, such as id, question, correctAnswer, answerA, answerB, ...",
        )
    for row in _all_rows(table):
        fields = row.fields
        named = str(row.row + 1) if columns.question_id is None else fields[columns.question_id].strip()
        question = fields[columns.question]
        choices = without_blank_end([fields[column] for column in columns.choices])
        told = "" if columns.answer is None else fields[columns.answer].strip()
        yield ExamRow(
            row.line, named, question, mixed(told, choices, question) if columns.apart else choices, told
        )


def _all_rows(table: Table) -> Iterator[TableRow]:
    """The rows; one with another number of cells is an error rather than a skip."""
    for row in replace(table, ragged=True).rows():
        if len(row.fields) != table.width:
            raise DataError(
                f"{len(row.fields)} columns, expected {table.width} separated by {table.delimiter!r}",
                path=table.path,
                line=row.line,
                fix="check delimiter and quotes",
            )
        yield row


def _of_lines(path: Path) -> Iterator[ExamRow]:
    number = 1
    for line, text in enumerate(lines(path), 1):
        if not text.strip():
            continue
        found = parse_object(text)
        rows = (
            [ExamRow(line, str(number), broken=objection_to(text))]
            if found is None
            else list(questions_of(found, line, number))
        )
        yield from rows
        number += max(1, len(rows))


def _of_document(path: Path) -> Iterator[ExamRow]:
    """The questions of a JSON document: a list of objects, or one object over several lines."""
    document = read_document(path)
    items = list(document.items()) if isinstance(document.value, list) else [document]
    number = 1
    for item in items:
        if not isinstance(item.value, dict):
            raise item.fault("expected an object", fix=SCHEMA)
        rows = list(questions_of(item.value, 0, number))
        yield from rows
        number += max(1, len(rows))
