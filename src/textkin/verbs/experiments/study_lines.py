"""The lines that a study prints."""

from collections.abc import Iterator

from textkin.base.text_table import text_table
from textkin.report.content import StudyReport
from textkin.report.figure_words import full, goal_on_test, number, recall_paid, sentence, standings
from textkin.report.tables import label_curve_grid, systems_caption, terminal_rows


def study_lines(report: StudyReport, *, with_notes: bool = False) -> Iterator[str]:
    """Yield the table, the threshold, the notes, the verdict and, if there is one, the curve of labels."""
    if with_notes:
        yield report.data
    yield text_table(*terminal_rows(report))
    if report.systems is not None:
        yield "\n" + systems_caption(report.systems, report.measure)
        if len(report.systems.references) > 1:
            yield "p values are corrected for the number of comparisons (Holm)."
        yield from standings(report.systems)
    if report.threshold is not None:
        figures = ", ".join(f"{name} {full(value)}" for name, value in report.threshold.test.items())
        threshold = number(report.threshold.value, 4)
        yield f"Threshold {threshold}, fitted on dev for {report.threshold.goal}; on test:"
        yield f"  {figures}"
        yield from filter(None, [recall_paid(report.threshold)])
    if report.no_threshold:
        yield f"{report.no_threshold}."
    if with_notes:
        yield from report.notes
        yield from report.facts.proof if report.facts is not None else ()
    if report.verdict is not None:
        yield "\n" + sentence(report.verdict)
    if report.threshold is not None:
        yield from filter(None, [goal_on_test(report.threshold)])
    if report.label_curve is not None:
        grid = label_curve_grid(report.label_curve, report.measure)
        yield f"\n{report.label_curve.system} by the labels that it learns from:"
        yield text_table(grid.header, grid.rows)
