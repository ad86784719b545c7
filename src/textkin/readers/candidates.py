"""Questions with candidate answers: choosing question sets, and reading them from files of labelled pairs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Literal, get_args

from textkin.errors import DataError, UsageError
from textkin.readers.columns import find_roles
from textkin.readers.pairs import collect
from textkin.readers.report import Loaded
from textkin.readers.table import open_table
from textkin.records import Candidates, CandidateSet, LabelKind, Pair

Questions = Literal["answered", "all", "mixed"]

_DESCRIPTIONS = {
    "answered": "questions with a right candidate",
    "all": "all questions",
    "mixed": "questions with right and wrong candidates",
}


def select_questions(candidates: Iterable[Candidates], questions: Questions, *, source: str) -> CandidateSet:
    """Keep the questions of a set: "answered" have a right candidate, "mixed" also a wrong one.

    Raises:
        UsageError: an unknown set.
    """
    check_questions(questions)
    kept = tuple(item for item in candidates if _belongs(item, questions))
    return CandidateSet(kept, f"{source}, {_DESCRIPTIONS[questions]}")


def check_questions(questions: str) -> None:
    """Refuse the name of a question set that does not exist."""
    if questions not in _DESCRIPTIONS:
        raise UsageError(
            f"unknown question set {questions!r}", fix=f"choose from: {', '.join(get_args(Questions))}"
        )


def read_candidates(
    path: Path | str,
    *,
    questions: Questions = "answered",
    columns: Mapping[str, str] | None = None,
    quoting: Literal["auto", "csv", "none"] = "auto",
) -> Loaded[CandidateSet]:
    """Group labelled pairs into questions (equal ``id_a`` or, without ids, equal text) and candidates.

    A candidate's id is its ``id_b`` or, without one, its row number.

    Raises:
        DataError: a label is no whole number from 0 upwards, or a candidate's id comes twice for a question.
    """
    check_questions(questions)
    table = open_table(path, quoting=quoting)
    loaded = collect(table, find_roles(table.header, table.sample(), columns, path), format="pairs")
    if loaded.data.kind not in (LabelKind.BINARY, LabelKind.GRADED):
        raise DataError(
            "candidates need a label column of relevance (0, 1, ...)",
            path=path,
            fix="name it: --columns a=QUESTION,b=CANDIDATE,label=NAME",
        )
    groups: dict[str, list[Pair]] = {}
    for pair in loaded.data:
        groups.setdefault(pair.id_a or pair.a, []).append(pair)
    grouped = (_candidates(key, pairs, path) for key, pairs in groups.items())
    data = select_questions(grouped, questions, source=table.path.name)
    return Loaded(data, loaded.report, "pairs")


def _candidates(query_id: str, pairs: list[Pair], path: Path | str) -> Candidates:
    doc_ids = tuple(pair.id_b or str(pair.row) for pair in pairs)
    if len(set(doc_ids)) < len(doc_ids):
        twice = next(doc_id for doc_id in doc_ids if doc_ids.count(doc_id) > 1)
        raise DataError(
            f"candidate {twice!r} comes twice for question {query_id[:60]!r}",
            path=path,
            fix="remove the repeated rows",
        )
    labels = [0.0 if pair.label is None else pair.label for pair in pairs]
    if any(label < 0 or label != int(label) for label in labels):
        odd = next(label for label in labels if label < 0 or label != int(label))
        raise DataError(f"relevance {odd}, expected 0, 1, 2, ...", path=path, fix="round the labels")
    return Candidates(
        query_id=query_id,
        query=pairs[0].a,
        doc_ids=doc_ids,
        docs=tuple(pair.b for pair in pairs),
        labels=tuple(int(label) for label in labels),
    )


def _belongs(item: Candidates, questions: Questions) -> bool:
    right = any(label > 0 for label in item.labels)
    wrong = any(label <= 0 for label in item.labels)
    return questions == "all" or (right and (wrong or questions == "answered"))
