"""Trainings that go on, as a page that loads itself again."""

from collections.abc import Sequence

from textkin.base.counts import count
from textkin.report.content import TrainingCurve
from textkin.report.figure_words import number
from textkin.report.html import Html, element, grid_table
from textkin.report.page_frame import document
from textkin.report.plots import training_figure
from textkin.report.tables import Grid

_SECONDS = 5


def live_page(title: str, curves: Sequence[TrainingCurve], measure: str, *, report: str | None = None) -> str:
    """The whole page.

    Args:
        title: what is trained.
        curves: the runs so far.
        measure: the measure of dev.
        report: the link to the report of what is done, "" for none; None while trainings go on.
    """
    going = report is None
    state = f"It loads itself again every {_SECONDS} seconds." if going else "All trainings are done."
    link: list[Html] = [element("p", element("a", "The report", href=report))] if report else []
    systems = dict.fromkeys(curve.system for curve in curves)
    figures = [
        training_figure([curve for curve in curves if curve.system == system], measure) for system in systems
    ]
    rows = [
        (
            curve.system,
            str(curve.seed),
            count(len(curve.epochs)),
            number(last.loss, 4),
            _dev(last.dev),
            _best(curve),
        )
        for curve in curves
        if (last := curve.epochs[-1])
    ]
    header = ("system", "seed", "evaluations", "loss", f"dev {measure}", f"best dev {measure}")
    table = grid_table(Grid(header, tuple(rows)), caption="Trainings so far") if rows else Html()
    return document(
        title,
        element("header", element("h1", title, dir="auto"), element("p", state, class_="muted")),
        *link,
        element("section", table, *figures) if rows else element("p", "No evaluation yet."),
        kind="live",
        refresh=_SECONDS if going else None,
    )


def _dev(value: float | None) -> str:
    return "" if value is None else number(value, 4)


def _best(curve: TrainingCurve) -> str:
    return _dev(max((one.dev for one in curve.epochs if one.dev is not None), default=None))
