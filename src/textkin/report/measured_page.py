"""The report of measured systems on any kind of data: the table, results by class, decisions."""

from collections.abc import Mapping
from dataclasses import dataclass

from textkin.report.content import ByClass, Systems
from textkin.report.figure_words import best_of, outcome, standings
from textkin.report.html import Html, bullets, definitions, element, grid_table
from textkin.report.page_frame import page_of
from textkin.report.systems_table import by_class_part, systems_part
from textkin.report.tables import Grid, systems_caption


@dataclass(frozen=True, slots=True)
class MeasuredReport:
    """The contents of the page.

    Attributes:
        title: the page title.
        facts: short facts on the data.
        measure: the main measure.
        systems: the table.
        rival: the reference of the comparisons.
        notes: remarks for readers.
        by_class: decisions of models by class.
        decisions: at a given threshold: title, table and caption; None without.
        made_with: settings by name.
    """

    title: str
    facts: tuple[str, ...]
    measure: str
    systems: Systems
    rival: str
    notes: tuple[str, ...]
    by_class: tuple[ByClass, ...]
    decisions: tuple[str, Grid, str] | None
    made_with: Mapping[str, str]


def measured_page(report: MeasuredReport) -> str:
    """The whole page."""
    return page_of(
        report.title,
        report.facts,
        (
            ("systems", "All systems on the same data", _systems(report)),
            ("classes", "Class by class", [part for one in report.by_class for part in by_class_part(one)]),
            ("decisions", "Decisions at the threshold", _decisions(report)),
            ("made", "How this was made", [definitions(report.made_with)]),
        ),
        kind="measurement",
        said=best_of(report.systems, report.measure),
    )


def _systems(report: MeasuredReport) -> list[Html]:
    said = (*standings(report.systems), outcome(report.systems, report.measure))
    lines = (systems_caption(report.systems, report.measure), *said)
    return [
        *(element("p", line) for line in lines if line),
        *systems_part(report.systems, report.measure),
        bullets(report.notes),
    ]


def _decisions(report: MeasuredReport) -> list[Html]:
    if report.decisions is None:
        return []
    title, grid, caption = report.decisions
    return [grid_table(grid, caption=title), element("p", caption, class_="muted small")]
