"""Questions with candidate answers: grouping, question sets, and conversion from labelled pairs."""

from collections.abc import Iterable, Iterator, Mapping
from itertools import groupby
from pathlib import Path
from typing import NamedTuple, get_args

from textkin.base.errors import DataError, either, unknown_choice
from textkin.data.readers.columns import find_roles
from textkin.data.readers.pairs import collect
from textkin.data.readers.read_options import Questions, QuotingOption
from textkin.data.readers.read_report import Loaded, SkipCounter
from textkin.data.readers.table import EMPTY_TEXT, open_table
from textkin.data.records import Candidates, CandidateSet, LabelKind, Pair, PairSet

_MOST = 1e15  # beyond, not every integer is a float

NO_CANDIDATES = "question without candidates"

_DESCRIPTIONS = {
    "answered": "questions with a right candidate",
    "all": "all questions",
    "mixed": "questions with right and wrong candidates",
}


class Judged(NamedTuple):
    """A candidate as read from a file, with its first line."""

    line: int
    query_id: str
    query: str
    doc_id: str
    doc: str
    label: int
    row: int = -1


def gather(rows: Iterable[Judged], counter: SkipCounter) -> Iterator[Candidates]:
    """Group consecutive rows by question id; rows with an empty text are skipped and counted.

    Raises:
        DataError: a question is not contiguous or has two texts, or a candidate's id is repeated.
    """
    seen: set[str] = set()
    for query_id, group in groupby(rows, key=lambda row: row.query_id):
        kept: dict[str, Judged] = {}
        for row in group:
            if not (row.query.strip() and row.doc.strip()):
                counter.skip(row.line, EMPTY_TEXT)
                continue
            if wrong := _objection(row, kept, seen):
                raise counter.fault(wrong, row.line, fix="repair the file: one question, one run of rows")
            kept[row.doc_id] = row
        seen.add(query_id)
        if kept:
            yield Candidates(
                query_id=query_id,
                query=next(iter(kept.values())).query,
                doc_ids=tuple(kept),
                docs=tuple(row.doc for row in kept.values()),
                labels=tuple(row.label for row in kept.values()),
                rows=tuple(row.row for row in kept.values() if row.row >= 0),
            )


def binary_label(cell: str, line: int, counter: SkipCounter) -> int:
    """The relevance in a cell of binary data.

    Raises:
        DataError: it is neither 0 nor 1.
    """
    bare = cell.strip(" \t")  # not control characters, which strip() treats as spaces
    if bare not in ("0", "1"):
        raise counter.fault(f"label {cell[:40]!r}, expected 0 or 1", line, fix="correct the row")
    return int(bare)


def select_questions(candidates: Iterable[Candidates], questions: Questions, *, source: str) -> CandidateSet:
    """Select a question set: "answered" (with a correct candidate) or "mixed" (also with a wrong one).

    Raises:
        UsageError: the set is unknown.
    """
    if questions not in _DESCRIPTIONS:
        raise unknown_choice("questions", questions, get_args(Questions))
    kept = tuple(item for item in candidates if _belongs(item, questions))
    return CandidateSet(kept, f"{source}, {_DESCRIPTIONS[questions]}", questions)


def read_judged(
    rows: Iterable[Judged], counter: SkipCounter, questions: Questions, *, source: str, format: str
) -> Loaded[CandidateSet]:
    """The question set of a file's rows; ``source`` is its name in reports.

    Raises:
        UsageError: the set is unknown.
        DataError: as :func:`gather`.
    """
    data = select_questions(gather(rows, counter), questions, source=source)
    return Loaded(data, counter.report(), format)


def read_candidates(
    path: Path | str,
    *,
    questions: Questions = "answered",
    columns: Mapping[str, str] | None = None,
    quoting: QuotingOption = "auto",
    encoding: str | None = None,
) -> Loaded[CandidateSet]:
    """Group labelled pairs into questions (equal ``id_a`` or, without ids, equal text) and candidates.

    A candidate's id is its ``id_b``, or else its row number.

    Raises:
        DataError: a label is not a non-negative integer, or a candidate's id is repeated within a question.
    """
    table = open_table(path, quoting=quoting, named=(columns or {}).values(), encoding=encoding)
    loaded = collect(table, find_roles(table.header, table.sample(), columns, path), format="pairs")
    if loaded.data.kind not in (LabelKind.BINARY, LabelKind.GRADED):
        raise DataError(
            "candidates need a label column of relevance (0, 1, ...)",
            path=path,
            fix=either("name it: `columns=a=QUESTION,b=CANDIDATE,label=NAME`") or "call it label",
        )
    return Loaded(grouped(loaded.data, questions, path=path), loaded.report, "pairs")


def grouped(data: PairSet, questions: Questions, *, path: Path | str) -> CandidateSet:
    """The question set of labelled pairs, by the ids or the texts of questions.

    Raises:
        DataError: a label is not a non-negative integer, an id has two texts, or a candidate's id is repeated
            within a question.
    """
    groups: dict[str, list[Pair]] = {}
    for pair in data:
        groups.setdefault(pair.id_a or pair.a, []).append(pair)
    found = (_candidates(key, pairs, path) for key, pairs in groups.items())
    return select_questions(found, questions, source=data.name)


def _objection(row: Judged, kept: Mapping[str, Judged], seen: set[str]) -> str:
    """The reason why a row doesn't fit its question, or ""."""
    if row.query_id in seen:
        return f"question {row.query_id!r} comes back after other questions"
    if row.doc_id in kept:
        return f"candidate {row.doc_id!r} comes twice for question {row.query_id!r}"
    if kept and row.query != (first := next(iter(kept.values()))).query:
        return f"question {row.query_id!r} has two texts: {first.query[:60]!r} and {row.query[:60]!r}"
    return ""


def _candidates(query_id: str, pairs: list[Pair], path: Path | str) -> Candidates:
    doc_ids = tuple(pair.id_b or str(pair.row) for pair in pairs)
    if len(set(doc_ids)) < len(doc_ids):
        twice = next(doc_id for doc_id in doc_ids if doc_ids.count(doc_id) > 1)
        raise DataError(
            f"candidate {twice!r} comes twice for question {query_id[:60]!r}",
            path=path,
            fix="remove the repeated rows",
        )
    if (other := next((pair for pair in pairs if pair.a != pairs[0].a), None)) is not None:
        raise DataError(
            f"question {query_id[:60]!r} has two texts: {pairs[0].a[:60]!r} and {other.a[:60]!r}",
            path=path,
            fix="give each question its own id",
        )
    labels = [0.0 if pair.label is None else pair.label for pair in pairs]
    if (odd := next((one for one in labels if not 0 <= one < _MOST or one != int(one)), None)) is not None:
        raise DataError(f"relevance {odd:g}, expected 0, 1, 2, ...", path=path, fix="round the labels")
    return Candidates(
        query_id=query_id,
        query=pairs[0].a,
        doc_ids=doc_ids,
        docs=tuple(pair.b for pair in pairs),
        labels=tuple(int(label) for label in labels),
        rows=tuple(pair.row for pair in pairs),
    )


def _belongs(item: Candidates, questions: Questions) -> bool:
    right = any(label > 0 for label in item.labels)
    wrong = any(label <= 0 for label in item.labels)
    return questions == "all" or (right and (wrong or questions == "answered"))
