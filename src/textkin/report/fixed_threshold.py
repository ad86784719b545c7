"""The table of decisions at a given threshold."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

from textkin.base.counts import count
from textkin.base.spelling import spelt
from textkin.base.text_table import text_table
from textkin.report.content import Estimate
from textkin.report.figure_words import full
from textkin.report.tables import Grid

MEASURES = ("precision", "recall", "F1", "accuracy")


class FixedRule(StrEnum):
    """The origin of a system's threshold in the table."""

    GIVEN = "given, not fitted"
    AS_MANY = "as many the same"
    FIXED = "none needed"


@dataclass(frozen=True, slots=True)
class FixedRow:
    """A system's decisions.

    Attributes:
        system: its name.
        rule: the source of its threshold.
        threshold: the minimum score of a positive; None without one, or with one per seed.
        called: the number of pairs called the same, averaged over seeds.
        measures: precision, recall, F1 and accuracy; no precision if nothing is called the same.
    """

    system: str
    rule: FixedRule
    threshold: float | None
    called: float
    measures: Mapping[str, Estimate]


@dataclass(frozen=True, slots=True)
class FixedDecisions:
    """The decisions of a model and of other systems at a given threshold.

    Attributes:
        system: the model.
        threshold: the given threshold.
        pairs: the number of pairs.
        positives: the number of positives among them.
        rows: the table rows, the model first.
        fitted: always False.
    """

    system: str
    threshold: float
    pairs: int
    positives: int
    rows: tuple[FixedRow, ...]
    fitted: bool = False


def fixed_title(found: FixedDecisions) -> str:
    """The table's title."""
    return f"Decisions of {found.system} at the threshold {found.threshold:g}, which is not fitted"


def fixed_grid(found: FixedDecisions) -> Grid:
    """Every system with its threshold, its number of positives, and its metrics."""
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
    """The valid and invalid comparisons in the table."""
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
