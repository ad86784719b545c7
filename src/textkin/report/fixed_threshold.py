"""The table of what systems decide at a threshold that was given, not fitted."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import final

from textkin.base.spelling import spelt
from textkin.base.text_table import text_table
from textkin.report.content import Estimate
from textkin.report.figure_words import count, full
from textkin.report.tables import Grid

MEASURES = ("precision", "recall", "F1", "accuracy")


class FixedRule(StrEnum):
    """How a system of the table comes to its decisions."""

    GIVEN = "given, not fitted"
    AS_MANY = "as many the same"
    FIXED = "none needed"


@final
@dataclass(frozen=True, slots=True)
class FixedRow:
    """What a system decides.

    Attributes:
        system: its name.
        rule: where its threshold comes from.
        threshold: pairs that score as much are the same; None where there is none, or one a seed.
        called: how many pairs are called the same, the mean over the seeds.
        measures: precision, recall, F1 and accuracy; no precision where nothing is called the same.
    """

    system: str
    rule: FixedRule
    threshold: float | None
    called: float
    measures: Mapping[str, Estimate]


@final
@dataclass(frozen=True, slots=True)
class FixedDecisions:
    """What a model decides at a threshold that was given, and what others decide.

    Attributes:
        system: the model.
        threshold: as it was given.
        pairs: that were decided on.
        positives: how many of them are labelled the same.
        rows: the model first.
        fitted: never.
    """

    system: str
    threshold: float
    pairs: int
    positives: int
    rows: tuple[FixedRow, ...]
    fitted: bool = False


def fixed_title(found: FixedDecisions) -> str:
    """What stands above the table."""
    return f"Decisions of {found.system} at the threshold {found.threshold:g}, which is not fitted"


def fixed_grid(found: FixedDecisions) -> Grid:
    """Every system with its threshold, how many pairs it calls the same, and its figures."""
    rows = [
        (
            row.system,
            "" if row.threshold is None else f"{row.threshold:.4g}",
            str(row.rule),
            f"{row.called:,.1f}".removesuffix(".0"),
            *(full(row.measures[name]) if name in row.measures else "" for name in MEASURES),
        )
        for row in found.rows
    ]
    return Grid(("system", "threshold", "which is", "called the same", *MEASURES), tuple(rows))


def fixed_caption(found: FixedDecisions) -> str:
    """What may be compared in the table, and what may not."""
    return (
        f"{count(found.positives)} of {count(found.pairs, 'pair')} are labelled the same. Scores of other "
        f"systems have other scales, on which {found.threshold:g} means nothing: each has the threshold at "
        f"which it calls about as many pairs the same as {found.system}, found without labels. "
        + spelt("Thresholds that are fitted on other pairs (`dev`) may do better for all of them.")
    )


def fixed_lines(found: FixedDecisions) -> tuple[str, ...]:
    """Title, table and caption, as lines of text."""
    grid = fixed_grid(found)
    return ("", text_table(grid.header, grid.rows, title=fixed_title(found)), fixed_caption(found))
