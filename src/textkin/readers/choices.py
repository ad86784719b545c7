"""Questions with choices: the challenge's tables, ARC's JSON lines, any table with named columns, MovieQA.

* **Tables** have a header: ``question``, one column a choice (``answerA``, ``choiceB``, ``option3``, ``D``,
  ...), and may have ``id`` and ``correctAnswer`` (or ``answer``, ``answerKey``, ``correct``, ``label``). The
  Allen AI Science Challenge's has seven columns, six without answers; an unnamed first column is an index.
* **JSON lines** hold ``question``, a list of ``choices`` and maybe ``id`` and ``answer``, or all this in the
  way of ARC: ``{"stem": ..., "choices": [{"text": ..., "label": ...}]}`` with ``answerKey``.
* **MovieQA** comes with plots, which are each question's support.

An exam loses no question without a word: what can't be read is an error that names its line, not a skip.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, final

from textkin.choice_records import FEWEST, MOST, ChoiceQuestion, ChoiceSet, letter_of
from textkin.errors import DataError, UsageError
from textkin.paths import is_input, name_of
from textkin.readers.dialect import cut, guess_delimiter
from textkin.readers.json_lines import parse_object
from textkin.readers.movieqa import is_movieqa, read_movieqa_choices
from textkin.readers.report import Loaded, ReadReport
from textkin.readers.source import head, lines
from textkin.readers.table import Table, open_table

_QUESTION = "question"
_ANSWERS = ("correctanswer", "answerkey", "correct_answer", "correct", "answer", "label", "gold")
_CHOICE = re.compile(r"(?:answer|choice|option)?[ _-]?(?:([a-h])|([1-8]))", re.IGNORECASE)
_SCHEMA = 'give for example {"question": "...", "choices": ["...", "..."], "answer": "A"}'


@final
@dataclass(frozen=True, slots=True)
class ExamRow:
    """A question as it stands in its file.

    Attributes:
        line: where it stands, from 1.
        question_id: its id; its number from 1 where the file has none.
        question: its text.
        choices: the texts to choose from, blank ones at the end left out.
        told: the right one as the file names it, "" where it doesn't.
        labels: what the file calls the choices; empty where these are A, B, ... or 1, 2, ...
    """

    line: int
    question_id: str
    question: str
    choices: tuple[str, ...]
    told: str = ""
    labels: tuple[str, ...] = ()

    def faults(self) -> Iterator[str]:
        """What is wrong with it, in words."""
        if not self.question.strip():
            yield "the question is empty"
        if not FEWEST <= len(self.choices) <= MOST:
            yield f"{len(self.choices)} choices, expected {FEWEST} to {MOST}"
        elif any(not choice.strip() for choice in self.choices):
            yield "a choice before the last one is empty"
        elif len(set(self.labels)) < len(self.labels):
            again = next(one for one in self.labels if self.labels.count(one) > 1)
            yield f"two choices are called {again[:40]!r}"
        elif self.told and self.answer is None:
            yield f"the answer {self.told[:40]!r} is none of the {len(self.choices)} choices"
        elif self.told and len(self._told()) > 1:
            yield f"the answer {self.told[:40]!r} is the number of one choice and the text of another"

    @property
    def answer(self) -> int | None:
        """The place of the right choice, by its label, letter, number or text; None where it isn't told."""
        return next(iter(self._told()), None)

    def _told(self) -> list[int]:
        """The places that the file may mean: one by label or letter, or those by number and by text."""
        count = len(self.choices)
        named = self.labels or tuple(map(letter_of, range(count)))
        by_label, by_number, by_text = (
            [place for place, name in enumerate(names[:count]) if name.strip() == self.told.strip()]
            for names in (named, tuple(str(place + 1) for place in range(count)), self.choices)
        )
        if len(by_label) == 1:
            return by_label
        found = [places[0] for places in (by_number, by_text) if len(places) == 1]
        return list(dict.fromkeys(found))

    @property
    def record(self) -> ChoiceQuestion:
        """The question, without faults."""
        return ChoiceQuestion(self.question_id, self.question, self.choices, self.answer)


def is_choices(path: Path | str) -> bool:
    """Whether a file or folder holds questions with choices.

    Raises:
        DataError: it can't be read.
    """
    place = Path(path)
    if not is_input(place):
        return is_movieqa(place)
    if is_movieqa(place):
        return True
    first = next((line for line in lines(place) if line.strip()), "")
    if first.lstrip().startswith("{"):
        found = parse_object(first) or {}
        return "question" in found and ("choices" in found or _stem(found) is not None)
    # Not by way of a table: how that quotes is found out by reading all of it.
    delimiter = guess_delimiter([first])
    return delimiter is not None and _columns_of(cut(first, delimiter).fields) is not None


def read_choices(path: Path | str, *, split: str | None = None) -> Loaded[ChoiceSet]:
    """Read questions with choices.

    Args:
        path: a table, JSON lines, or MovieQA's ``qa.json`` or folder.
        split: of MovieQA: train, val or test.

    Raises:
        UsageError: a split where there is none.
        DataError: a question can't be read (with its line), an id comes twice, or there is no question.
    """
    if is_movieqa(Path(path)):
        return read_movieqa_choices(path, split=split)
    if split is not None:
        raise UsageError(f"{path} has no splits, as MovieQA has", fix="leave --split out")
    found, seen = list[ChoiceQuestion](), dict[str, int]()
    for asked in read_asked(path):
        for fault in asked.faults():
            raise DataError(
                f"question {asked.question_id[:40]!r}: {fault}",
                path=path,
                line=asked.line,
                fix="correct it; textkin lint lists all such questions",
            )
        if (first := seen.setdefault(asked.question_id, asked.line)) != asked.line:
            raise DataError(
                f"the id {asked.question_id[:40]!r} comes twice, first on line {first}",
                path=path,
                line=asked.line,
                fix="make the ids unique",
            )
        found.append(asked.record)
    if not found:
        raise DataError("the file holds no questions", path=path, fix="give at least one")
    report = ReadReport(str(path), len(found), len(found), {}, ())
    return Loaded(ChoiceSet(tuple(found), name_of(path)), report, "choices")


def read_asked(path: Path | str) -> Iterator[ExamRow]:
    """The questions of a table or of JSON lines as they stand there, with their faults.

    Raises:
        DataError: the file can't be read, lacks a column, or a line has another width or is no JSON object.
    """
    place = Path(path)
    return (
        _of_objects(place)
        if head(place).lstrip()[:1] == b"{"
        else _of_table(open_table(place, named=(_QUESTION,)))
    )


@final
@dataclass(frozen=True, slots=True)
class _ExamColumns:
    """Where a table's columns stand, from 0."""

    question: int
    choices: tuple[int, ...]
    question_id: int | None
    answer: int | None


def _columns(table: Table) -> _ExamColumns | None:
    """Which column is what; None where the table holds no questions with choices."""
    return None if table.header is None or table.format == "jsonl" else _columns_of(table.header)


def _columns_of(header: Iterable[str]) -> _ExamColumns | None:
    """Which column is what by a header; None where that names no question with choices."""
    names = [name.strip().lower() for name in header]
    if _QUESTION not in names:
        return None
    told = next((names.index(name) for name in _ANSWERS if name in names), None)
    choices = _choice_columns(names)
    if len(choices) < FEWEST:
        return None
    by_id = next((names.index(name) for name in ("id", "question_id", "qid") if name in names), None)
    return _ExamColumns(names.index(_QUESTION), choices, by_id, told)


def _choice_columns(names: Iterable[str]) -> tuple[int, ...]:
    """The columns of choices in their order: all that are lettered, or all that are numbered."""
    found: dict[bool, dict[int, int]] = {False: {}, True: {}}
    for column, name in enumerate(names):
        if match := _CHOICE.fullmatch(name):
            letter, number = match.groups()
            place = int(number) - 1 if letter is None else ord(letter.lower()) - ord("a")
            found[letter is None].setdefault(place, column)
    for numbered in (False, True):
        places = found[numbered]
        if len(places) >= FEWEST and sorted(places) == list(range(len(places))):
            return tuple(places[place] for place in range(len(places)))
    return ()


def _of_table(table: Table) -> Iterator[ExamRow]:
    columns = _columns(table)
    if columns is None:
        raise DataError(
            "holds no questions with choices: no header names a question and two or more choices",
            path=table.path,
            fix="name the columns, such as id, question, correctAnswer, answerA, answerB, ...",
        )
    for row in _all_rows(table):
        fields = row.fields
        yield ExamRow(
            row.line,
            str(row.row + 1) if columns.question_id is None else fields[columns.question_id].strip(),
            fields[columns.question],
            _without_blank_end(fields[column] for column in columns.choices),
            "" if columns.answer is None else fields[columns.answer].strip(),
        )


def _all_rows(table: Table) -> Iterator[Any]:
    """The rows, where one of another width is an error and no skip."""
    ragged = Table(
        table.path,
        table.format,
        table.delimiter,
        table.quoting,
        table.header,
        table.width,
        table.head,
        ragged=True,
        patient=table.patient,
    )
    for row in ragged.rows():
        if len(row.fields) != table.width:
            raise DataError(
                f"{len(row.fields)} columns, expected {table.width} separated by {table.delimiter!r}",
                path=table.path,
                line=row.line,
                fix="check delimiter and quotes",
            )
        yield row


def _of_objects(path: Path) -> Iterator[ExamRow]:
    number = 0
    for line, text in enumerate(lines(path), 1):
        if not text.strip():
            continue
        number += 1

        def fault(message: str, line: int = line) -> DataError:
            return DataError(message, path=path, line=line, fix=_SCHEMA)

        found = parse_object(text)
        if found is None:
            raise fault("no readable JSON object")
        yield _of_object(found, line, number, fault)


def _of_object(
    found: Mapping[str, Any], line: int, number: int, fault: Callable[[str], DataError]
) -> ExamRow:
    inner = _stem(found)
    question = found.get("question") if inner is None else inner["stem"]
    listed = found.get("choices") if inner is None or "choices" in found else inner.get("choices")
    if not isinstance(question, str):
        raise fault("the object has no question")
    if isinstance(listed, dict):  # columns instead of rows
        texts, labels = listed.get("text"), listed.get("label")
        if not (isinstance(texts, list) and isinstance(labels, list) and len(texts) == len(labels)):
            raise fault("the choices are no lists of texts and labels")
        listed = [{"text": text, "label": label} for text, label in zip(texts, labels, strict=True)]
    if not isinstance(listed, list):
        raise fault("the object has no list of choices")
    pairs = list(map(_text_and_label, listed))
    if None in pairs:
        raise fault("a choice is no text")
    told = next((found[key] for key in ("answerKey", "answer", "correctAnswer") if found.get(key)), "")
    named = found.get("id", str(number))
    if not isinstance(told, str) or not isinstance(named, str):
        raise fault("id or answer is no text")
    choices = tuple(pair[0] for pair in pairs if pair is not None)
    labels = tuple(pair[1] for pair in pairs if pair is not None)
    return ExamRow(line, named, question, choices, told, labels if all(labels) else ())


def _text_and_label(item: Any) -> tuple[str, str] | None:
    """A choice and what the file calls it, "" if nothing; None where it is no text."""
    text, label = (item.get("text"), item.get("label", "")) if isinstance(item, dict) else (item, "")
    return (text, label) if isinstance(text, str) and isinstance(label, str) else None


def _stem(found: Mapping[str, Any]) -> dict[str, Any] | None:
    """The object that ARC has in the place of the question's text."""
    inner = found.get("question")
    return inner if isinstance(inner, dict) and isinstance(inner.get("stem"), str) else None


def _without_blank_end(choices: Iterable[str]) -> tuple[str, ...]:
    """A table's choices: columns that a question has no use for are blank."""
    listed = list(choices)
    while listed and not listed[-1].strip():
        listed.pop()
    return tuple(listed)
