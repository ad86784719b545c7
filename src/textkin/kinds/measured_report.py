"""The page of a table of systems, where requested."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from textkin.base.files import write_text
from textkin.base.python_inputs import path_of
from textkin.kinds.measuring import Options
from textkin.kinds.reproduction import how_made
from textkin.kinds.systems import AnyModel
from textkin.report.fixed_threshold import fixed_caption, fixed_grid, fixed_title
from textkin.report.measured_page import MeasuredReport, measured_page

if TYPE_CHECKING:
    from textkin.kinds.measured_table import Measured


def with_page(
    measured: Measured,
    options: Options,
    models: Mapping[str, Iterable[AnyModel]],
    *,
    calibrated: frozenset[str] = frozenset(),
) -> Measured:
    """The same, its page written to ``options.report`` if that names one.

    Args:
        measured: the table.
        options: of measuring.
        models: the named systems with their models.
        calibrated: the names of systems whose rule of no answer was fitted to dev questions.

    Raises:
        OutputError: it can't be written.
    """
    if options.report is not None:
        write_text(options.report, measured_page(_report(measured, options, models, calibrated)))
    return measured


def _report(
    measured: Measured,
    options: Options,
    models: Mapping[str, Iterable[AnyModel]],
    calibrated: frozenset[str],
) -> MeasuredReport:
    fixed, sampling = measured.decisions, options.sampling
    unit = f" of {options.group_by}s" if measured.kind == "spans" else ""
    return MeasuredReport(
        title=f"Systems on {measured.data}",
        facts=(measured.kind, f"measure {measured.measure}", f"compared with {measured.reference}"),
        measure=measured.measure,
        systems=measured.systems,
        notes=tuple(line for line in (measured.suggestion, *measured.notes) if line),
        by_class=measured.by_class,
        decisions=None if fixed is None else (fixed_title(fixed), fixed_grid(fixed), fixed_caption(fixed)),
        made=how_made(
            "compare",
            settings={
                "columns": measured.read.columns,
                "baselines fitted on": measured.fitted_on,
                "intervals": f"{sampling.resamples:,} resamples{unit}, seed {sampling.seed}",
            },
            files=(measured.read.path, path_of(options.dev), options.fit, options.vectors),
            models=models,
        ),
        plots=measured.abstentions,
        calibrated=calibrated,
    )
