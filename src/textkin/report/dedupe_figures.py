"""Charts of a deduplication report: scores of pairs, precision by threshold, group sizes."""

from collections.abc import Sequence
from itertools import pairwise

from textkin.report import chart
from textkin.report.chart import Frame, Tone, axis
from textkin.report.dedupe_content import DedupeReport, GroupSizes, PairScores, PrecisionRow
from textkin.report.figure_words import count, full, number
from textkin.report.html import Html, element
from textkin.report.plots import Key, plot_figure
from textkin.report.tables import Grid


def scores_figure(scores: PairScores, report: DedupeReport) -> Html:
    """The distribution of scores among similar pairs, with the threshold."""
    low, high = scores.edges[0], scores.edges[-1]
    frame = Frame(
        axis("score", [low], low=low, high=high), axis("similar pairs", list(map(float, scores.pairs)), low=0)
    )
    spans = list(zip(pairwise(scores.edges), scores.pairs, strict=True))
    stairs = [point for (start, end), pairs in spans for point in ((start, pairs), (end, pairs))]
    drawing = chart.chart(
        frame,
        chart.area(frame, stairs, Tone.MODEL),
        chart.upright(frame, report.threshold, Tone.QUIET),
        label=f"Scores of {count(sum(scores.pairs), 'similar pair')} from {number(low, 4)} on; "
        f"threshold {number(report.threshold, 4)}.",
    )
    keys: list[Key] = [
        (chart.swatch("area", Tone.MODEL), "pairs that no guard forbids"),
        (chart.swatch("rule", Tone.QUIET), f"threshold {number(report.threshold, 4)}"),
    ]
    rows = tuple((number(start, 4), number(end, 4), count(pairs)) for (start, end), pairs in spans)
    return plot_figure("Scores of similar pairs", [drawing], keys, Grid(("from", "to", "pairs"), rows))


def precision_curve(rows: Sequence[PrecisionRow], threshold: float) -> list[Html]:
    """Precision by threshold with the chosen point; nothing if too few pairs were labelled.

    There is a 95 % band unless all pairs were labelled at every threshold.
    """
    told = [(row.threshold, row.precision) for row in rows if row.precision is not None]
    if len(told) < 2:
        return []
    low, high = told[0][0], told[-1][0]
    ends = [
        (
            at,
            figure.value if figure.low is None else figure.low,
            figure.value if figure.high is None else figure.high,
        )
        for at, figure in told
    ]
    frame = Frame(
        axis("threshold", [low], low=low, high=high),
        axis("precision", [least for _, least, _ in ends], high=1),
    )
    points = [(at, figure.value) for at, figure in told]
    band = [*((at, most) for at, _, most in ends), *((at, least) for at, least, _ in reversed(ends))]
    marks = [chart.line(frame, points, Tone.MODEL)]
    keys: list[Key] = [(chart.swatch("line", Tone.MODEL), "precision, all pairs judged")]
    if any(figure.low is not None for _, figure in told):
        marks = [chart.band(frame, band, Tone.MODEL), *marks]
        keys = [
            (chart.swatch("line", Tone.MODEL), "estimate"),
            (chart.swatch("area", Tone.MODEL), "95 % interval"),
        ]
    said = "; ".join(f"{full(figure)} from {number(at, 4)} on" for at, figure in told)
    if low <= threshold <= high:
        marks.append(chart.upright(frame, threshold, Tone.QUIET))
        marks.append(chart.dots(frame, [point for point in points if point[0] == threshold], Tone.MODEL))
        keys.append((chart.swatch("rule", Tone.QUIET), f"chosen: {number(threshold, 4)}"))
    drawing = chart.chart(frame, *marks, label=f"Precision by threshold: {said}.")
    legend = element(
        "ul", *(element("li", look, element("span", words)) for look, words in keys), class_="legend"
    )
    return [element("figure", element("figcaption", "Precision by threshold"), drawing, legend)]


def sizes_figure(sizes: Sequence[GroupSizes]) -> Html:
    """Groups of several texts by size, as bars."""
    several = [one for one in sizes if one.least > 1] or list(sizes)
    most = max((one.groups for one in several), default=1) or 1
    rows = [
        element(
            "li",
            element("span", size_words(one)),
            element("meter", "", min="0", max=str(most), value=str(one.groups), aria_label=size_words(one)),
            element("span", count(one.groups)),
        )
        for one in several
    ]
    return element(
        "figure", element("figcaption", "Groups of several texts"), element("ul", *rows, class_="bars")
    )


def size_words(one: GroupSizes) -> str:
    """The size of a group in words."""
    if one.least == one.most:
        return f"{one.least:,}"
    return f"{one.least:,} to {one.most:,}"
