"""The report's tables as strings, for the terminal, Markdown and the data of each plot."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from textkin.base.counts import count, percent
from textkin.base.results import with_interval
from textkin.report import content
from textkin.report.data_facts import DataFacts
from textkin.report.figure_words import LEVEL, duration, full, interval, number, p_value, point, size

_RECALL_LEVELS = tuple(level / 10 for level in range(1, 11))


@dataclass(frozen=True, slots=True)
class Grid:
    """A header and rows of cells, as many cells in each as in the header."""

    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


def terminal_rows(report: content.StudyReport) -> tuple[tuple[str, ...], list[tuple[str, ...]]]:
    """Header and rows of a command's table, best system first.

    Of rankings, and with several references, all measures, no intervals of differences; else the main one.
    """
    if report.systems is None:
        return ("system", report.measure), []
    systems, measure = report.systems, report.measure
    if systems.queries is not None or len(systems.references) > 1:
        shown = narrow_grid(systems, measure)
        return shown.header, list(shown.rows)
    against = [
        name for reference in systems.references for name in (f"against {reference}", "95 % interval", "p")
    ]
    grid = Grid(
        ("system", measure, "95 % interval", *against, "seed sd", "training"),
        tuple(_terminal_row(row, systems, measure) for row in sorted_rows(systems, measure)),
    )
    shown = without_empty_columns(grid)
    return shown.header, list(shown.rows)


def narrow_grid(systems: content.Systems, measure: str) -> Grid:
    """All measures of all systems, narrow enough for a terminal: only the main one has intervals."""
    others = measure_names(systems, measure)[1:]
    against = [name for reference in systems.references for name in (f"against {reference}", "p")]
    header = ("system", measure, "95 % interval", *others, *against, "seed sd", "training", "parameters")
    rows = []
    for row in sorted_rows(systems, measure):
        further = ["" if name not in row.measures else point(row.measures[name]) for name in others]
        gains: list[str] = []
        for compared in map(row.against.get, systems.references):
            gains += ("", "") if compared is None else _short(compared)
        rows.append((row.name, *_main(row, measure), *further, *gains, *_cost(row)))
    return without_empty_columns(Grid(header, tuple(rows)))


def sorted_rows(systems: content.Systems, measure: str) -> list[content.SystemRow]:
    """The systems, best first by the main measure; those without it last; ties by name."""

    def key(row: content.SystemRow) -> tuple[bool, float, str]:
        figure = row.measures.get(measure)
        return (figure is None, 0.0 if figure is None else -figure.value, row.name)

    return sorted(systems.rows, key=key)


def measure_names(systems: content.Systems, main: str) -> list[str]:
    """Every measure of some system: the main one first, the others in order of appearance."""
    names = [name for row in systems.rows for name in row.measures]
    return [name for name in dict.fromkeys([main, *names]) if name in names]


def best_names(systems: content.Systems, name: str) -> set[str]:
    """The systems with the highest value of a measure; none if only one has it."""
    values = {row.name: row.measures[name].value for row in systems.rows if name in row.measures}
    return {one for one in values if values[one] == max(values.values())} if len(values) > 1 else set()


def systems_grid(systems: content.Systems, measure: str) -> Grid:
    """All measures of all systems, with intervals."""
    names = measure_names(systems, measure)
    against = [name for reference in systems.references for name in (f"against {reference}", "p")]
    header = ("system", "kind", *names, *against, "seed sd", "training", "parameters")
    rows = []
    for row in sorted_rows(systems, measure):
        cells = [full(row.measures[name]) if name in row.measures else "" for name in names]
        gains = [cell for reference in systems.references for cell in _comparison(row, reference)]
        rows.append((row.name, kind_of(row, systems), *cells, *gains, *_cost(row)))
    return without_empty_columns(Grid(header, tuple(rows)))


def system_rows(systems: content.Systems, measure: str) -> Iterator[dict[str, Any]]:
    """The numbers of :func:`systems_grid`: a dict per system, all with the same keys."""
    for row in sorted_rows(systems, measure):
        cells: dict[str, Any] = {"system": row.name, "kind": kind_of(row, systems)}
        for name in measure_names(systems, measure):
            cells |= with_interval(name, row.measures.get(name))
        for reference in systems.references:
            against = row.against.get(reference)
            cells |= with_interval(f"against {reference}", None if against is None else against.difference)
            cells[f"p against {reference}"] = None if against is None else against.p
        yield {**cells, "seed sd": row.seeds_sd, "seconds": row.seconds, "parameters": row.parameters}


def kind_of(row: content.SystemRow, systems: content.Systems) -> str:
    """The kind of system in a row."""
    kind = "predictions" if row.name in systems.predictions else "trained" if row.trained else "baseline"
    return f"{kind}, reference" if row.name in systems.references else kind


def differences_caption(reference: str) -> str:
    """An explanation of the differences and p values in a table of systems."""
    return f"Differences are from {reference}; p values are corrected for the number of comparisons (Holm)."


def systems_caption(systems: content.Systems, measure: str) -> str:
    """The data of the systems' evaluation, and its resolution."""
    parts = ((systems.pairs, "pair"), (systems.queries, "query"), (systems.questions, "question"))
    sizes = " and ".join(count(value, noun) for value, noun in parts if value is not None)
    groups = "" if systems.components is None else count(systems.components, "independent group")
    said = [f"Test set: {', in '.join(part for part in (sizes, groups) if part)}."] if sizes or groups else []
    if systems.detectable is not None:
        least = number(systems.detectable, 4 if systems.detectable < 0.01 else 3)
        said.append(f"The minimum detectable difference is about {least} {measure}.")
    elif systems.least_p is not None and systems.least_p >= LEVEL:
        said.append(
            "These tests can't decide: after the correction no p below "
            f"{number(systems.least_p, 2)} is possible, and {LEVEL:g} is needed."
        )
    return " ".join(said)


def by_class_grids(found: content.ByClass) -> tuple[Grid, Grid]:
    """Precision, recall and F1 of every class; the classes predicted for its pairs."""
    figures = [
        (row.name, count(row.pairs), *map(full, (row.precision, row.recall, row.f1))) for row in found.rows
    ]
    counts = [(row.name, *map(count, row.called)) for row in found.rows]
    called = ("pairs of class", *(f"called {name}" for name in found.classes))
    return Grid(("class", "pairs", "precision", "recall", "F1"), tuple(figures)), Grid(called, tuple(counts))


def by_class_caption(found: content.ByClass) -> str:
    """The system behind these decisions."""
    over = "" if found.seeds == 1 else f", {count(found.seeds, 'seed')} together; counts are means over them"
    return f"Decisions of {found.system}{over}."


def precision_recall_grid(plot: content.PrecisionRecall) -> Grid:
    """For each curve, the best precision of thresholds that reach a recall."""
    header = ("recall of at least", *(curve.system for curve in plot.curves))
    rows = [
        (f"{level:.1f}", *(_best_precision(curve, level) for curve in plot.curves))
        for level in _RECALL_LEVELS
    ]
    return Grid(header, tuple(rows))


def histogram_grid(plot: content.ScoreHistogram) -> Grid:
    """Counts of both classes in each bin."""
    bins = zip(plot.edges[:-1], plot.edges[1:], plot.positives, plot.negatives, strict=True)
    rows = [(f"{low:.3g} to {high:.3g}", count(same), count(other)) for low, high, same, other in bins]
    return Grid(("score", "same", "not the same"), tuple(rows))


def reliability_grid(after: content.Reliability, before: content.Reliability | None) -> Grid:
    """The bins of both diagrams."""
    rows = [
        (name, number(each.probability), number(each.positive_share), count(each.count))
        for name, part in (("before", before), ("after", after))
        if part is not None
        for each in part.bins
    ]
    return Grid(("calibration", "mean predicted probability", "fraction the same", "pairs"), tuple(rows))


def calibration_grid(after: content.Reliability, before: content.Reliability | None) -> Grid:
    """ECE and Brier score on test."""
    parts = (("before", before), ("after", after))
    rows = [(name, full(part.ece), full(part.brier)) for name, part in parts if part is not None]
    return Grid(("calibration", "ECE", "Brier score"), tuple(rows))


def training_grid(curves: Sequence[content.TrainingCurve], measure: str) -> Grid:
    """Loss and dev measure by epoch, step and seed; a star marks the kept evaluation."""
    rows = [
        (
            str(curve.seed),
            f"{each.epoch}{' *' if curve.is_kept(each) else ''}",
            "" if each.step is None else count(each.step),
            f"{each.loss:.4g}",
            "" if each.dev is None else number(each.dev),
        )
        for curve in curves
        for each in curve.epochs
    ]
    return without_empty_columns(
        Grid(("seed", "epoch", "step", "training loss", f"dev {measure}"), tuple(rows))
    )


def label_curve_grid(curve: content.LabelCurve, measure: str) -> Grid:
    """The measure by number of labels."""
    rows = [(percent(each.share), count(each.labels), full(each.result)) for each in curve.points]
    return Grid(("share of labels", "labels", measure), tuple(rows))


def threshold_grid(threshold: content.FittedThreshold) -> Grid:
    """The threshold's metrics on the data it was fitted on and on test."""
    names = dict.fromkeys([*threshold.test, *threshold.dev])
    rows = [(name, *(_figure(side.get(name)) for side in (threshold.dev, threshold.test))) for name in names]
    return without_empty_columns(Grid(("measure", "dev (fitted here)", "test (unchanged)"), tuple(rows)))


def confusion_grid(confusion: content.ConfusionCounts) -> Grid:
    """Counts on test."""
    return Grid(
        ("test pairs", "called the same", "called not the same"),
        (
            ("same", count(confusion.true_positives), count(confusion.false_negatives)),
            ("not the same", count(confusion.false_positives), count(confusion.true_negatives)),
        ),
    )


def sides_grid(facts: DataFacts) -> Grid:
    """Size and label fractions of each side of the split."""
    labels = list(dict.fromkeys(label for side in facts.sides for label in side.label_shares))
    rows = [
        (
            side.name,
            count(side.pairs),
            "" if side.components is None else count(side.components),
            *(percent(side.label_shares[label]) if label in side.label_shares else "" for label in labels),
        )
        for side in facts.sides
    ]
    return without_empty_columns(
        Grid(
            ("side", "pairs", "independent groups", *(f"fraction of {label!r}" for label in labels)),
            tuple(rows),
        )
    )


def without_empty_columns(grid: Grid) -> Grid:
    """The grid without columns in which every cell is empty."""
    kept = [
        index for index in range(len(grid.header)) if not grid.rows or any(row[index] for row in grid.rows)
    ]
    return Grid(
        tuple(grid.header[index] for index in kept),
        tuple(tuple(row[index] for index in kept) for row in grid.rows),
    )


def _terminal_row(row: content.SystemRow, systems: content.Systems, measure: str) -> tuple[str, ...]:
    gains: list[str] = []
    for reference in systems.references:
        compared = row.against.get(reference)
        if compared is None:
            gains += ("", "", "")
        else:
            gain = compared.difference
            gains += (point(gain, sign=True), interval(gain, sign=True), p_value(compared.p))
    return (row.name, *_main(row, measure), *gains, *_cost(row)[:2])


def _main(row: content.SystemRow, measure: str) -> tuple[str, str]:
    """The main measure and its interval."""
    figure = row.measures.get(measure)
    return ("", "") if figure is None else (point(figure), interval(figure))


def _short(compared: content.ReferenceDifference) -> tuple[str, str]:
    return point(compared.difference, sign=True), p_value(compared.p)


def _comparison(row: content.SystemRow, reference: str) -> tuple[str, str]:
    if reference not in row.against:
        return "", ""
    compared = row.against[reference]
    return full(compared.difference, sign=True), p_value(compared.p)


def _cost(row: content.SystemRow) -> tuple[str, str, str]:
    return (
        "" if row.seeds_sd is None else number(row.seeds_sd, 4),
        "" if row.seconds is None else duration(row.seconds),
        "" if row.parameters is None else size(row.parameters),
    )


def _best_precision(curve: content.PrecisionRecallCurve, level: float) -> str:
    reached = [p for r, p in zip(curve.recall, curve.precision, strict=True) if r >= level - 1e-9]
    return number(max(reached)) if reached else ""


def _figure(value: content.Estimate | None) -> str:
    return "" if value is None else full(value)
