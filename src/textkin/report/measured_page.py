"""The report of measured systems on any kind of data: the table, results by class, decisions."""

from collections.abc import Iterator
from dataclasses import dataclass

from textkin.report.content import ByClass, Systems
from textkin.report.data_facts import Reproduction
from textkin.report.figure_words import best_figures, best_of, outcome, standing_title, standings
from textkin.report.html import Html, block, bullets, element, grid_table
from textkin.report.no_answer_plots import Abstention, reliability_figure, risk_figure
from textkin.report.page_frame import VerdictBox, page_of
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
        notes: remarks for readers.
        by_class: decisions of models by class.
        decisions: at a given threshold: title, table and caption; None without.
        made: how it was made.
        plots: of systems with a probability of no answer.
        calibrated: the names of those whose rule was fitted to dev questions.
    """

    title: str
    facts: tuple[str, ...]
    measure: str
    systems: Systems
    notes: tuple[str, ...]
    by_class: tuple[ByClass, ...]
    decisions: tuple[str, Grid, str] | None
    made: Reproduction
    plots: tuple[Abstention, ...] = ()
    calibrated: frozenset[str] = frozenset()


def measured_page(report: MeasuredReport) -> str:
    """The whole page."""
    return page_of(
        report.title,
        report.facts,
        (
            ("systems", "All systems on the same data", _systems(report)),
            ("classes", "Class by class", [part for one in report.by_class for part in by_class_part(one)]),
            ("decisions", "Decisions at the threshold", _decisions(report)),
            ("risk", "Risk and coverage", _risk(report)),
            ("no-answer", "Calibration of no answer", [block(_reliability(report))]),
        ),
        kind="measurement",
        verdict=_verdict(report),
        made=report.made,
        first=(bullets(report.notes),),
    )


def _risk(report: MeasuredReport) -> list[Html]:
    return [risk_figure(report.plots, report.calibrated)] if report.plots else []


def _reliability(report: MeasuredReport) -> Iterator[Html]:
    for one in report.plots:
        yield reliability_figure(one, calibrated=one.system in report.calibrated)


def _verdict(report: MeasuredReport) -> VerdictBox | None:
    systems, measure = report.systems, report.measure
    best = best_of(systems, measure)
    title, good = standing_title(systems)
    figures = best_figures(systems, measure)
    return VerdictBox(title, best, outcome(systems, measure), good=good, figures=figures) if best else None


def _systems(report: MeasuredReport) -> list[Html]:
    lines = (systems_caption(report.systems, report.measure), *standings(report.systems))
    return [
        *(element("p", line) for line in lines if line),
        *systems_part(report.systems, report.measure),
    ]


def _decisions(report: MeasuredReport) -> list[Html]:
    if report.decisions is None:
        return []
    title, grid, caption = report.decisions
    return [grid_table(grid, caption=title), element("p", caption, class_="muted small")]
