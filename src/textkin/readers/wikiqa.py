"""WikiQA: questions with the sentences of one page as candidates; seven columns, tabs, quotes are text."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby
from pathlib import Path

from textkin.errors import DataError
from textkin.readers.candidates import Questions, check_questions, select_questions
from textkin.readers.columns import find_column, has_names
from textkin.readers.pairs import EMPTY_TEXT
from textkin.readers.report import Loaded, SkipCounter
from textkin.readers.table import Row, Table, open_table
from textkin.records import Candidates, CandidateSet

NAMES = ("QuestionID", "Question", "SentenceID", "Sentence", "Label")


def is_wikiqa(table: Table) -> bool:
    """Whether the header is WikiQA's."""
    return has_names(table.header, *(name.lower() for name in NAMES))


def read_wikiqa(path: Path | str, *, questions: Questions = "answered") -> Loaded[CandidateSet]:
    """Read WikiQA; a question is a run of rows with one QuestionID.

    Figures depend on the question set, which is why the name of the result says it (test file: 243 answered,
    237 mixed, 633 all). The report counts rows of the file; questions that are not in the set are no skips.

    Args:
        path: WikiQA-{train,dev,test}.tsv.
        questions: "answered", with at least one right sentence; "mixed", with right and wrong ones; or "all".

    Raises:
        UsageError: an unknown question set.
        DataError: the header is not WikiQA's, a label is not 0 or 1, or an id comes twice.
    """
    check_questions(questions)
    table = open_table(path, quoting="none")
    if not is_wikiqa(table):
        raise DataError(
            f"expected a header with {', '.join(NAMES)}", path=path, fix="read it as: --format pairs"
        )
    counter = SkipCounter(path)
    data = select_questions(_questions(table, counter), questions, source=table.path.name)
    return Loaded(data, counter.report(), "wikiqa")


def _questions(table: Table, counter: SkipCounter) -> Iterator[Candidates]:
    question_id, question, sentence_id, sentence, label = (
        find_column(table.header, table.width, name) for name in NAMES
    )
    seen: set[str] = set()
    for key, group in groupby(table.rows(counter), key=lambda row: row.fields[question_id]):
        rows = list(group)
        if key in seen:
            raise DataError(
                f"question {key!r} comes back after other questions",
                path=table.path,
                line=rows[0].line,
                fix="put the rows of a question together",
            )
        seen.add(key)
        docs: dict[str, Row] = {}
        for row in rows:
            if not (row.fields[question].strip() and row.fields[sentence].strip()):
                counter.skip(row.line, EMPTY_TEXT)
            elif row.fields[sentence_id] in docs:
                raise DataError(
                    f"sentence {row.fields[sentence_id]!r} comes twice for question {key!r}",
                    path=table.path,
                    line=row.line,
                    fix="remove the repeated row",
                )
            else:
                docs[row.fields[sentence_id]] = row
        if docs:
            yield Candidates(
                query_id=key,
                query=rows[0].fields[question],
                doc_ids=tuple(docs),
                docs=tuple(row.fields[sentence] for row in docs.values()),
                labels=tuple(_relevance(row, label, table.path) for row in docs.values()),
            )


def _relevance(row: Row, label: int, path: Path) -> int:
    cell = row.fields[label].strip()
    if cell not in ("0", "1"):
        raise DataError(
            f"label {cell[:40]!r}, expected 0 or 1", path=path, line=row.line, fix="correct the row"
        )
    return int(cell)
