"""Questions about passages in rows: a question each, beside its passage and its answers.

The columns are ``context``, ``question``, and ``answers`` (an object with the lists ``text`` and
``answer_start``, as SQuAD has on the datasets hub; or a list of texts) or ``answer`` (a text). In a table of
texts they are JSON, and may have columns of their own, ``answers.text`` and ``answers.answer_start``. Without
an offset, an answer is where it first stands as whole words. Without an answer, the list or text is empty.
``id`` and ``title`` are optional. Passages with the same title are an article.
"""

from __future__ import annotations

import json
from ast import literal_eval
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from textkin.base.errors import DataError
from textkin.base.paths import is_folder, name_of
from textkin.base.python_values import is_missing
from textkin.data.readers.columns import plain_names
from textkin.data.readers.json_lines import parse_object
from textkin.data.readers.labels import number
from textkin.data.readers.read_report import Loaded, SkipCounter
from textkin.data.readers.span_checks import objection_to, occurrences
from textkin.data.readers.table import Table, TableRow, open_table
from textkin.data.readers.text_files import head
from textkin.data.span_records import Passage, Span, SpanQuestion, SpanSet

_NO_OFFSET = "answer whose offset is not a whole number from 0"
_ABSENT = "answer that does not stand in its passage"
_LONGEST = 1 << 22  # bytes of a row
_WORDS = b"context", b"question", b"answer"
_ANSWERS = "answers", "answer", "answers.text", "answer.text"
_STARTS = "answer_start", "answers.answer_start", "answer.answer_start"
_CHOICES = {"choices", "options"}


def has_span_columns(names: Sequence[str] | None) -> bool:
    """True if columns, or the paths of JSON objects, are those of questions about passages."""
    found = plain_names(names)
    first = {name.partition(".")[0] for name in found}
    return {"context", "question"} <= first and not set(_ANSWERS).isdisjoint(found) and not first & _CHOICES


def is_span_rows(path: Path | str) -> bool:
    """True if the first line of a table has the columns of questions about passages.

    Raises:
        DataError: the file can't be read.
    """
    if is_folder(path):
        return False
    first = head(path, size=_LONGEST).partition(b"\n")[0]
    if first.lstrip().startswith(b"{"):
        return has_span_columns(list(parse_object(first.decode(errors="replace")) or ()))
    return all(word in first.lower() for word in _WORDS) and has_span_columns(open_table(path).header)


def read_span_rows(path: Path | str) -> Loaded[SpanSet]:
    """Read a table of questions about passages; invalid rows are skipped and counted.

    Raises:
        DataError: the file can't be read, or the id of a question is repeated.
    """
    table = open_table(path)
    counter = SkipCounter(path)
    found = _Spans(path)
    for row in table.rows(counter):
        if reason := found.objection(_values(table, row), row.row):
            counter.skip(row.line, reason)
    return Loaded(found.all(name_of(path)), counter.report(), "squad")


def spans_of_rows(names: Sequence[str], rows: Iterable[Sequence[Any]]) -> SpanSet | None:
    """The questions in rows of a data frame; None if the columns are those of something else.

    Raises:
        DataError: a row is invalid, or the id of a question is repeated.
    """
    if not has_span_columns(list(map(str, names))):
        return None
    found = _Spans("pairs")
    for place, row in enumerate(rows):
        if reason := found.objection(dict(zip(map(str, names), row, strict=True)), place):
            raise DataError(reason, path=f"pairs[{place}]", fix="leave the row out")
    return found.all("questions")


class _Spans:
    """Passages and questions of rows, in order. The ids of passages are ``ARTICLE-PARAGRAPH``, from 0."""

    def __init__(self, path: Path | str) -> None:
        self._path = path
        self._passages: dict[tuple[str, str], Passage] = {}
        self._articles: dict[str, list[int]] = {}  # the number of each, and of its passages
        self._questions: dict[str, SpanQuestion] = {}

    def objection(self, row: Mapping[str, Any], number: int) -> str:
        """Take a row, or return the reason for skipping it."""
        cells = dict(zip(plain_names(list(row)), row.values(), strict=True))
        text, title = _text(cells.get("context")), _text(cells.get("title"))
        passage = self._passages[title, text] = self._passage(title, text)
        answers = []
        for answer, start in _answers(cells):
            if start is not None and start < 0:
                return _NO_OFFSET
            there = [start] if start is not None else occurrences(text, answer)
            if not there:
                return _ABSENT
            answers.append(Span(there[0], answer))
        name = _text(cells.get("id")) or str(number + 1)
        question = SpanQuestion(
            question_id=name,
            question=_text(cells.get("question")),
            passage_id=passage.passage_id,
            answers=tuple(answers),
            is_impossible=not answers,
            row=number,
        )
        if name in self._questions:
            raise DataError(f"the id {name!r} comes twice", path=self._path, fix="make the ids unique")
        if not (reason := objection_to(question, passage)):
            self._questions[name] = question
        return reason

    def all(self, name: str) -> SpanSet:
        """The passages, and the questions of valid rows."""
        passages = {one.passage_id: one for one in self._passages.values()}
        return SpanSet(passages, tuple(self._questions.values()), name=name)

    def _passage(self, title: str, text: str) -> Passage:
        """A passage in the article of its title; without a title it is an article of its own."""
        if (known := self._passages.get((title, text))) is not None:
            return known
        article = self._articles.setdefault(title or f"\n{text}", [len(self._articles), 0])
        article[1] += 1
        return Passage(f"{article[0]}-{article[1] - 1}", title, text)


def _values(table: Table, row: TableRow) -> Mapping[str, Any]:
    if table.format == "jsonl":
        return parse_object(row.source) or {}
    return dict(zip(table.header or (), row.fields, strict=True))


def _answers(cells: Mapping[str, Any]) -> Iterator[tuple[str, int | None]]:
    """The answers of a row, with their offsets if it has some."""
    cell = _first(cells, _ANSWERS)
    given, starts = _nested(cell), _nested(_first(cells, _STARTS))
    if isinstance(given, list) and not all(isinstance(one, str | Mapping) for one in given):
        given = cell  # such as the reference [1], which is an answer
    if isinstance(given, Mapping):
        starts, given = given.get("answer_start"), given.get("text")
    texts, places = _list(given), _list(starts)
    if parts := [one for one in texts if isinstance(one, Mapping)]:
        texts, places = [one.get("text") for one in parts], [one.get("answer_start") for one in parts]
    for place, text in enumerate(texts):
        if answer := _text(text):
            yield answer, _offset(places[place]) if len(places) == len(texts) else -1 if places else None


def _first(cells: Mapping[str, Any], names: Iterable[str]) -> Any:
    return next((cells[name] for name in names if name in cells), None)


def _nested(cell: Any) -> Any:
    """A list or an object that a table of texts has as JSON, or as Python writes it; or the cell."""
    if not isinstance(cell, str) or cell[:1] not in ("[", "{"):
        return cell
    for parse in (json.loads, literal_eval):
        try:
            return parse(cell)
        except (ValueError, SyntaxError, RecursionError, MemoryError):
            continue
    return cell


def _offset(value: Any) -> int | None:
    """An offset, None if it is missing, and -1 if it is none."""
    said = _text(value)
    found = number(said)
    if found is None or found < 0 or not found.is_integer():
        return -1 if said else None
    return int(found)


def _list(value: Any) -> list[Any]:
    value = value.tolist() if hasattr(value, "tolist") else value
    if isinstance(value, list | tuple):
        return list(value)
    return [] if is_missing(value) else [value]


def _text(value: Any) -> str:
    return "" if isinstance(value, list | Mapping) or is_missing(value) else str(value)
