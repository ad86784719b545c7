"""Triplets: an anchor, a positive, and one or more negatives, optionally with a teacher's scores.

Columns are recognised by name: ``anchor`` (or ``query``, ``question``), ``positive``, and ``negative``, or
``negative_1``, ``negative_2`` and so on. A teacher's scores are in ``positive_score`` and
``negative_1_score``, or as the margin of the positive in ``margin_1``.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

from textkin.base.errors import DataError
from textkin.base.paths import name_of, shown
from textkin.base.progress import note_once
from textkin.base.python_values import is_missing
from textkin.data.readers.columns import plain_names, refuse_repeated
from textkin.data.readers.labels import number
from textkin.data.readers.read_options import QuotingOption
from textkin.data.readers.read_report import Loaded, SkipCounter
from textkin.data.readers.table import EMPTY_TEXT, Table, as_pairs_of, open_table
from textkin.data.records import Candidates, CandidateSet

NO_NEGATIVE = "no negative"
TWICE = "a text that stands twice in its row"
_ANCHORS = ("anchor", "query", "question")
_Fault = Callable[..., DataError]
_NEGATIVE = re.compile(r"negative(_?\d+)?")


def is_triplets(table: Table) -> bool:
    """True if the header names an anchor, a positive and a negative."""
    return _columns(table.header) is not None


def read_triplets(
    path: Path | str, *, quoting: QuotingOption = "auto", encoding: str | None = None
) -> Loaded[CandidateSet]:
    """Read triplets: each row is a query whose candidates are its positive and its negatives.

    Candidates are sorted by text, so that neither order nor ties reveal the positive. A row with fewer
    negatives than others has empty cells. Rows without anchor, positive or negative, and rows with equal
    texts, are skipped and counted.

    Raises:
        DataError: the columns are not those of triplets, two have one name, or a score is missing or not a
            number.
    """
    table = open_table(path, quoting=quoting, encoding=encoding, all_keys=True)
    columns = _columns(table.header)
    if columns is None:
        raise DataError(
            "expected columns anchor, positive and negative (or negative_1, negative_2, ...)",
            path=path,
            fix=as_pairs_of("name the columns so in the first row"),
        )
    _check(table.header or (), columns, path)
    counter = SkipCounter(table.path)
    queries = tuple(_queries(table, columns, counter))
    return Loaded(CandidateSet(queries, name_of(table.path)), counter.report(), "triplets")


def triplets_of_rows(names: Sequence[str], rows: Iterable[Sequence[Any]]) -> CandidateSet | None:
    """The triplets in rows of a data frame; None if the columns are those of something else.

    Raises:
        DataError: two columns have one name, or a row lacks a text or a score, or has one text twice.
    """
    header = list(map(str, names))
    if (columns := _columns(header)) is None:
        return None
    _check(header, columns, "pairs")
    queries = []
    for place, row in enumerate(rows):
        fault = partial(DataError, path=f"pairs[{place}]")
        found = _query(place, ["" if is_missing(cell) else str(cell) for cell in row], columns, fault)
        if isinstance(found, str):
            raise fault(found, fix="leave the row out")
        queries.append(replace(found, rows=(place,) * len(found.docs)))
    return CandidateSet(tuple(queries), "triplets")


@dataclass(frozen=True, slots=True)
class _Columns:
    """0-based columns; the score of the positive comes first."""

    anchor: int
    positive: int
    negatives: tuple[int, ...]
    scores: tuple[int, ...] = ()
    margins: tuple[int, ...] = ()


def _columns(header: Sequence[str] | None) -> _Columns | None:
    places = {name: place for place, name in enumerate(plain_names(header))}
    anchor = next((places[name] for name in _ANCHORS if name in places), None)
    negatives = {name: place for name, place in places.items() if _NEGATIVE.fullmatch(name)}
    if anchor is None or "positive" not in places or not negatives:
        return None
    scores, margins = (
        tuple(places[name] for name in group) if places.keys() >= set(group) else ()
        for group in _of_teacher(negatives)
    )
    return _Columns(anchor, places["positive"], tuple(negatives.values()), scores, margins)


def _of_teacher(negatives: Iterable[str]) -> tuple[list[str], list[str]]:
    """The names of a teacher's scores, and of its margins, beside columns of negatives."""
    names = list(negatives)
    scores = [f"{name}_score" for name in ("positive", *names)]
    return scores, [name.replace("negative", "margin") for name in names]


def _check(header: Sequence[str], columns: _Columns, path: Path | str) -> None:
    """Say which scores of a teacher aren't read since some of their columns are missing.

    Raises:
        DataError: a column that is read has the name of another one.
    """
    names = plain_names(header)
    texts = (columns.anchor, columns.positive, *columns.negatives)
    refuse_repeated(names, (*texts, *columns.scores, *columns.margins), path)
    if columns.scores or columns.margins:
        return
    for group in _of_teacher(names[place] for place in columns.negatives):
        missing = [name for name in group if name not in names]
        if len(missing) < len(group):
            told = f"the teacher's scores aren't read, since {', '.join(missing)} is missing"
            note_once(f"{shown(path)}: {told}")


def _queries(table: Table, columns: _Columns, counter: SkipCounter) -> Iterator[Candidates]:
    for row in table.rows(counter):
        found = _query(row.row, row.fields, columns, partial(counter.fault, line=row.line))
        if isinstance(found, str):
            counter.skip(row.line, found)
        else:
            yield found


def _query(place: int, cells: Sequence[str], columns: _Columns, fault: _Fault) -> Candidates | str:
    """The query of a row, or the reason for skipping it.

    Raises:
        DataError: a score is not a number.
    """
    anchor, positive = cells[columns.anchor], cells[columns.positive]
    kept = [at for at, column in enumerate(columns.negatives) if cells[column].strip()]
    docs = [positive, *(cells[columns.negatives[at]] for at in kept)]
    if not (anchor.strip() and positive.strip()):
        return EMPTY_TEXT
    if not kept:
        return NO_NEGATIVE
    if len(set(docs)) < len(docs):
        return TWICE
    scores = _scores(cells, columns, kept, fault)
    order = sorted(range(len(docs)), key=docs.__getitem__)
    return Candidates(
        query_id=str(place + 1),
        query=anchor,
        doc_ids=tuple(str(one + 1) for one in range(len(docs))),
        docs=tuple(docs[at] for at in order),
        labels=tuple(int(at == 0) for at in order),
        scores=tuple(scores[at] for at in order) if scores else (),
    )


def _scores(cells: Sequence[str], columns: _Columns, kept: list[int], fault: _Fault) -> list[float]:
    """The teacher's scores of the positive and of the existing negatives; empty without a teacher."""
    if columns.scores:
        return [_score(cells[columns.scores[at]], fault) for at in (0, *(at + 1 for at in kept))]
    if columns.margins:
        return [0.0, *(-_score(cells[columns.margins[at]], fault) for at in kept)]
    return []


def _score(cell: str, fault: _Fault) -> float:
    if (value := number(cell)) is None:
        raise fault(f"score {cell[:40]!r}, expected a number", fix="correct the row")
    return value
