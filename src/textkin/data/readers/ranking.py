"""A table of queries with candidates to rank: a row a candidate, with its relevance.

Columns are known by their names: ``question`` (or ``query``), ``candidate`` (or ``passage``, ``answer``, ...)
and ``label`` (or ``relevance``, ...), and if there are any, ids of both: ``qid``, ``doc_id`` and the like.
Queries need not be in one run of rows.
"""

from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import islice
from pathlib import Path
from types import MappingProxyType
from typing import Any

from textkin.base.errors import DataError, either, unknown_choice
from textkin.base.python_values import id_or_blank
from textkin.data.readers.candidates import grouped
from textkin.data.readers.columns import RANKING_ROLES, Roles, find_column, plain_names
from textkin.data.readers.pairs import collect
from textkin.data.readers.read_options import Questions, QuotingOption
from textkin.data.readers.read_report import Loaded
from textkin.data.readers.row_pairs import as_pairs
from textkin.data.readers.table import Table, open_table
from textkin.data.records import CandidateSet

_NAMES: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "query": ("query", "question", "query_text", "question_text"),
        "candidate": (
            *("candidate", "passage", "answer", "document", "doc", "sentence", "response", "text"),
            *("candidate_text", "passage_text", "document_text", "doc_text", "answer_text"),
        ),
        "label": ("label", "relevance", "relevant", "is_relevant", "is_correct", "correct", "rel", "grade"),
        "query_id": ("qid", "query_id", "question_id", "questionid", "q_id"),
        "candidate_id": (
            *("candidate_id", "passage_id", "pid", "doc_id", "docid", "document_id", "did", "corpus_id"),
            *("answer_id", "aid", "sentence_id", "sentenceid", "cid"),
        ),
    }
)
_TEXTS = ("query", "candidate", "label")
_NAME = "candidates"  # of rows in memory
_LOOKED_AT = 100_000  # rows, which may be shuffled
_FEWEST = 1.5  # rows a query, in the mean; with fewer, the rows are pairs


def is_ranking(table: Table) -> bool:
    """True if the header names a query, a candidate and a label, and queries have several candidates."""
    found = ranking_columns(table.header)
    if not found.keys() >= set(_TEXTS):
        return False
    if plain_names(table.header)[found["candidate"]] == "candidate":
        return True
    asked = [row.fields[found.get("query_id", found["query"])] for row in islice(table.rows(), _LOOKED_AT)]
    return len(asked) >= _FEWEST * len(set(asked))


def read_ranking(
    path: Path | str,
    *,
    questions: Questions = "answered",
    columns: Mapping[str, str] | None = None,
    quoting: QuotingOption = "auto",
    encoding: str | None = None,
) -> Loaded[CandidateSet]:
    """Read queries with candidates.

    Args:
        path: the table.
        questions: the question set.
        columns: roles to columns: query, candidate, label, query_id and candidate_id; others are found by
            their names.
        quoting: see ``table.open_table``.
        encoding: see ``table.open_table``.

    Raises:
        UsageError: ``columns`` has an unknown role or column.
        DataError: a column is missing, a label is not a whole number from 0, a query id has two texts, or a
            candidate comes twice for a query.
    """
    chosen = dict(columns or {})
    for role in chosen:
        if role not in RANKING_ROLES:
            raise unknown_choice("columns", role, RANKING_ROLES)
    table = open_table(path, quoting=quoting, named=chosen.values(), encoding=encoding)
    found = ranking_columns(table.header) | {
        role: find_column(table.header, table.width, column, param="columns")
        for role, column in chosen.items()
    }
    require_texts(found, path)
    roles = Roles(
        found["query"], found["candidate"], found["label"], found.get("query_id"), found.get("candidate_id")
    )
    loaded = collect(table, roles, format="ranking")
    return Loaded(grouped(loaded.data, questions, path=path), loaded.report, "ranking")


def ranking_of_rows(names: Sequence[str], rows: Iterable[Sequence[Any]]) -> CandidateSet | None:
    """The queries with candidates in rows; None if the columns are those of something else.

    Raises:
        UsageError: a row is invalid.
        DataError: a label is not a whole number from 0, a query id has two texts, or a candidate comes twice.
    """
    found = ranking_columns(list(map(str, names)))
    if not found.keys() >= set(_TEXTS):
        return None
    cells = [tuple(row) for row in rows]
    asked = {str(row[found.get("query_id", found["query"])]) for row in cells}
    if "candidate" not in plain_names(list(map(str, names))) and len(cells) < _FEWEST * len(asked):
        return None
    pairs = as_pairs([tuple(row[found[role]] for role in _TEXTS) for row in cells], name=_NAME)
    own = [
        [id_or_blank(row[found[role]]) if role in found else "" for role in ("query_id", "candidate_id")]
        for row in cells
    ]
    named = (replace(pair, id_a=own[pair.row][0], id_b=own[pair.row][1]) for pair in pairs)
    return replace(grouped(replace(pairs, pairs=tuple(named)), "all", path=_NAME), name=_NAME)


def ranking_columns(header: Sequence[str] | None) -> dict[str, int]:
    """The columns with known names, by their roles."""
    names, found = plain_names(header), dict[str, int]()
    for role, known in _NAMES.items():
        place = next((names.index(one) for one in known if one in names), None)
        if place is not None:
            found[role] = place
    return found


def require_texts(roles: Container[str], path: Path | str) -> None:
    """Check that there is a column of queries, one of candidates and one of labels.

    Raises:
        DataError: one is missing.
    """
    if missing := [role for role in _TEXTS if role not in roles]:
        raise DataError(
            f"has no column that is known as {' or '.join(missing)}",
            path=path,
            fix=either("name them: `columns=query=NAME,candidate=NAME,label=NAME`")
            or "call them query, candidate and label",
        )
