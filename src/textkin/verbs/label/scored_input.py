"""Scored pairs to label, from a file, a result, a frame or a list."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from textkin.base.errors import invalid
from textkin.base.frames import column_names, tabular
from textkin.base.python_inputs import in_order, listed, path_of
from textkin.base.python_values import is_missing
from textkin.base.results import Result
from textkin.base.standard_streams import refuse_input
from textkin.measures.labels.scored_pairs import ScoredTexts, read_scored, scored_rows

NAME = "pairs"
_TRIPLE = "text_a", "text_b", "score"
_SHORT = {"a": "text_a", "b": "text_b"}


def scored_from(data: Any) -> ScoredTexts:
    """Scored pairs of a file, of a result of ``mine`` or ``match``, of a frame, or of triples.

    A frame has the columns of such a result, or a, b and score. A triple is two texts and their score.

    Raises:
        UsageError: they are none of these, or in standard input.
        DataError: the file can't be read, a column is missing, or there is no pair.
    """
    if (path := path_of(data)) is not None:
        refuse_input(path, "labels are kept beside the pairs, and may come from there")
        return read_scored(path)
    if isinstance(data, Result):
        data = tabular([dict(row) for row in data.rows()])
    if (columns := column_names(data)) is not None:
        header = [_SHORT.get(str(name), str(name)) for name in columns]
        cells = zip(*(listed(data[name], NAME) for name in columns), strict=True)
        return scored_rows(header, [list(map(_cell, row)) for row in cells], NAME)
    return scored_rows(_TRIPLE, list(_triples(data)), NAME)


def answers_beside(pairs: ScoredTexts) -> Path:
    """The file that keeps the labels: beside a file of pairs, or for pairs in memory in this folder."""
    return pairs.path.with_name(f"{pairs.path.name}.labels.jsonl")


def _triples(data: Any) -> Iterator[list[str]]:
    for place, row in enumerate(in_order(data, NAME)):
        if not isinstance(row, list | tuple) or len(row) != len(_TRIPLE):
            raise invalid(
                f"{NAME}[{place}]",
                row,
                expected="two texts and their score",
                fix="give what `mine()` finds, or [(text, text, score), ...]",
            )
        yield list(map(_cell, row))


def _cell(value: Any) -> str:
    return "" if is_missing(value) else str(value)
