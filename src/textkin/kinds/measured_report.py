"""The page of a table of systems, where requested."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textkin.base.files import write_text
from textkin.kinds.measuring import Options
from textkin.report.fixed_threshold import fixed_caption, fixed_grid, fixed_title
from textkin.report.measured_page import MeasuredReport, measured_page
from textkin.version import __version__

if TYPE_CHECKING:
    from textkin.kinds.measured_table import Measured


def with_page(measured: Measured, options: Options) -> Measured:
    """The same, its page written to ``options.report`` if that names one.

    Raises:
        OutputError: it can't be written.
    """
    if options.report is not None:
        write_text(options.report, measured_page(_report(measured, options)))
    return measured


def _report(measured: Measured, options: Options) -> MeasuredReport:
    fixed, sampling = measured.decisions, options.sampling
    return MeasuredReport(
        title=f"Systems on {measured.data}",
        facts=(measured.kind, f"measure {measured.measure}", f"beside {measured.rival}"),
        measure=measured.measure,
        systems=measured.systems,
        rival=measured.rival,
        notes=tuple(line for line in (measured.suggestion, *measured.notes) if line),
        by_class=measured.by_class,
        decisions=None if fixed is None else (fixed_title(fixed), fixed_grid(fixed), fixed_caption(fixed)),
        made_with={
            **({"columns": measured.read.columns} if measured.read.columns else {}),
            "baselines fitted on": measured.fitted_on,
            "intervals": f"{sampling.resamples:,} resamples, seed {sampling.seed}",
            "textkin": __version__,
        },
    )
