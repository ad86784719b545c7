"""The page's table of systems: metrics over intervals, each drawn against its reference's value."""

from collections.abc import Sequence

from textkin.report.chart import Axis, Tone, alone, axis, interval_bar
from textkin.report.content import ByClass, Estimate, SystemRow, Systems
from textkin.report.figure_words import duration, full, interval, number, p_value, point, size
from textkin.report.html import Html, block, element, grid_table, join, scrolling, text, with_minus_signs
from textkin.report.tables import (
    best_names,
    by_class_caption,
    by_class_grids,
    kind_of,
    measure_names,
    sorted_rows,
)

_INTERVALS = "95 % interval"
_TRAINING = "training time, parameters"
_NEAR = 5  # widths of the widest interval
Column = tuple[str, str, Sequence[Html]]  # title, class, one cell's content per row


def systems_table(systems: Systems, measure: str) -> Html:
    """All systems with all measures, best first; the most important columns fit a narrow screen."""
    rows = sorted_rows(systems, measure)
    gains = [column for reference in systems.references for column in _comparison(rows, reference)]
    main, others = _figures(rows, systems, measure)
    columns = [*main, *gains, *_costs(rows), *others]
    head = [element("th", "system", scope="col", class_="word", data_csv="system\nkind")]
    head += [
        element("th", title, scope="col", class_=kind, data_csv=_saved_as(title, cells))
        for title, kind, cells in columns
    ]
    body = [
        element(
            "tr",
            _name(row, kind_of(row, systems)),
            *(element("td", cells[index], class_=kind) for _, kind, cells in columns),
            class_="trained" if row.trained else "baseline",
        )
        for index, row in enumerate(rows)
    ]
    parts = element("thead", element("tr", *head)), element("tbody", *body)
    caption = element("caption", f"Systems, by {measure}, best first")
    return scrolling(element("table", caption, *parts, class_="systems"))


def _saved_as(title: str, cells: Sequence[Html]) -> str:
    """The columns of a saved table: a figure and its interval apart, and no drawing."""
    if title == _INTERVALS:
        return ""
    if title == _TRAINING:
        return "\n".join(_TRAINING.split(", "))
    has_intervals = any("<small>" in one for one in cells)
    return f"{title}\n{title}, {_INTERVALS}" if has_intervals else title


def interval_bars(systems: Systems, measure: str) -> list[Html]:
    """The intervals of the systems, best first, as drawings of their own; none without the measure."""
    rows = sorted_rows(systems, measure)
    found = [column for column in _figures(rows, systems, measure)[0] if column[0] == _INTERVALS]
    return [alone(bar) if bar else bar for _, _, bars in found for bar in bars]


def systems_part(systems: Systems, measure: str) -> list[Html]:
    """The table with its legend."""
    legend = element("p", systems_legend(systems.references), class_="muted small")
    return [systems_table(systems, measure), legend]


def by_class_part(found: ByClass) -> list[Html]:
    """The decisions of a system class by class."""
    titles = ("Figures of each class", "What the pairs of each class were called")
    grids = zip(by_class_grids(found), titles, strict=True)
    tables = [grid_table(grid, caption=f"{found.system}: {title}") for grid, title in grids]
    return [element("p", by_class_caption(found)), block(tables, "beside")]


def systems_legend(references: Sequence[str]) -> str:
    """A legend for the intervals, differences and marks in the table of systems."""
    said = "The highest value of each measure is bold. Intervals are 95 % intervals."
    if not references:
        return said
    return (
        f"{said} Differences are from {', '.join(references)}, on the same test items; p is of the paired "
        f"test, corrected for the number of comparisons (Holm). The dashed line is {references[0]}; an arrow "
        "head stands for a system far to the left of it."
    )


def _figures(rows: Sequence[SystemRow], systems: Systems, measure: str) -> tuple[list[Column], list[Column]]:
    """The main measure with its intervals as a plot, and the other measures."""
    names = measure_names(systems, measure)
    columns: list[Column] = [
        (
            name,
            "num",
            [_estimate(row.measures.get(name), best=row.name in best_names(systems, name)) for row in rows],
        )
        for name in names
    ]
    if measure not in names:
        return [], columns
    reference = next((row.measures.get(measure) for row in rows if row.name in systems.references[:1]), None)
    along = _along(rows, measure, reference)
    bars = [_bar(row, measure, along, reference) for row in rows]
    return [columns[0], (_INTERVALS, "word", bars)], columns[1:]


def _comparison(rows: Sequence[SystemRow], reference: str) -> list[Column]:
    found = [row.against.get(reference) for row in rows]
    gains = [None if one is None else one.difference for one in found]
    tests = ["" if one is None else p_value(one.p) for one in found]
    return [
        (f"against {reference}", "num", [_estimate(gain, sign=True) for gain in gains]),
        ("p", "num", [text(test) for test in tests]),
    ]


def _costs(rows: Sequence[SystemRow]) -> list[Column]:
    spread = [text("" if row.seeds_sd is None else number(row.seeds_sd, 4)) for row in rows]
    columns = {"seed sd": spread, _TRAINING: [_training(row) for row in rows]}
    return [(name, "num", cells) for name, cells in columns.items() if any(cells)]


def _training(row: SystemRow) -> Html:
    parts = [] if row.seconds is None else [duration(row.seconds)]
    if row.parameters is not None:
        parts.append(element("small", size(row.parameters)))
    return join(parts)


def _name(row: SystemRow, kind: str) -> Html:
    note = [element("small", row.note)] if row.note else []
    return element("th", element("bdi", row.name), element("small", kind), *note, scope="row", class_="word")


def _estimate(figure: Estimate | None, *, sign: bool = False, best: bool = False) -> Html:
    if figure is None:
        return Html()
    shown, span = map(with_minus_signs, (point(figure, sign=sign), interval(figure, sign=sign)))
    return join([element("b", shown) if best else shown, element("small", span)])


def _bar(row: SystemRow, measure: str, along: Axis, best: Estimate | None) -> Html:
    figure = row.measures.get(measure)
    if figure is None:
        return Html()
    span = None if figure.low is None or figure.high is None else (figure.low, figure.high)
    return interval_bar(
        along,
        figure.value,
        span,
        None if best is None else best.value,
        tone=Tone.MODEL if row.trained else Tone.OTHER,
        label=f"{measure} {full(figure)}",
    )


def _along(rows: Sequence[SystemRow], measure: str, best: Estimate | None) -> Axis:
    """An axis that separates the intervals: systems far below the first reference are outside it."""
    figures = [row.measures[measure] for row in rows if measure in row.measures]
    widest = max(
        (each.high - each.low for each in figures if each.low is not None and each.high is not None),
        default=0,
    )
    if best is not None and widest > 0:
        figures = [each for each in figures if each.value >= best.value - _NEAR * widest]
    ends = [end for each in figures for end in (each.value, each.low, each.high) if end is not None]
    return axis(measure, ends, low=min(ends, default=None), high=max(ends, default=None))
