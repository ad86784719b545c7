"""A deduplication report as one page: a slider over thresholds, fully usable without scripts."""

from collections.abc import Sequence
from itertools import pairwise

from textkin.report import chart, dedupe_content
from textkin.report.chart import Frame, Tone, axis
from textkin.report.figure_words import count, full, number, percent
from textkin.report.html import Html, block, bullets, definitions, element, grid_table, join, user_text
from textkin.report.page_frame import page_of
from textkin.report.plots import Key, plot_figure, stairs
from textkin.report.tables import Grid
from textkin.report.text_diff import two_texts


def dedupe_page(report: dedupe_content.DedupeReport) -> str:
    """The whole page."""
    notes = bullets((f"Threshold: {report.threshold_words}.", *report.notes))
    return page_of(
        report.title,
        report.facts,
        (
            (
                "thresholds",
                "Other thresholds" if len(report.steps) > 1 else "The threshold",
                _thresholds(report),
            ),
            ("precision", "Precision by your answers", _precision(report)),
            ("gold", "Agreement with known groups", _agreement(report)),
            ("sizes", "Sizes of groups", _sizes(report)),
            ("groups", "Largest groups", _groups(report)),
            ("forbidden", "Kept apart by a guard", _forbidden(report)),
            ("made", "How this was made", [definitions(report.made_with)]),
        ),
        kind="deduplication",
        said=f"{count(report.removed)} of {count(report.texts, 'text')} go; threshold "
        f"{report.threshold:.6g}: {report.threshold_words}.",
        first=(_figures(report), notes),
        scripts=("slider.js",),
    )


def _figures(report: dedupe_content.DedupeReport) -> Html:
    share = percent(report.removed / report.texts) if report.texts else ""
    figures = (
        (count(report.texts), "texts"),
        (count(report.kept), "stay"),
        (count(report.removed), f"go, {share}" if share else "go"),
        (count(report.groups), "groups of several"),
        (count(report.largest), "in the largest"),
        (number(report.threshold, 4).rstrip("0").rstrip("."), "threshold"),
    )
    return element("dl", *(_figure(value, words) for value, words in figures), class_="tiles")


def _figure(value: str, words: str) -> Html:
    return element("div", element("dt", words), element("dd", value))


def _thresholds(report: dedupe_content.DedupeReport) -> list[Html]:
    steps = report.steps
    shown = element("div", *(_step(step, report) for step in steps), class_="steps", aria_live="polite")
    if len(steps) < 2:
        return [shown] if steps else []
    chosen = next(place for place, step in enumerate(steps) if step.threshold == report.threshold)
    said = element(
        "p",
        "What another threshold would do, and the pairs that it would only just take for the same. Go down "
        "as long as these are right.",
    )
    slider = element(
        "div",
        element("label", "Threshold ", element("output", "", for_="threshold"), for_="threshold"),
        element(
            "input",
            id="threshold",
            type="range",
            min="0",
            max=str(len(steps) - 1),
            step="1",
            value=str(chosen),
        ),
        class_="slider",
        hidden="hidden",
    )
    charts = [_chart(report), *([] if report.scores is None else [scores_figure(report.scores, report)])]
    return [said, block(charts), slider, shown]


def _chart(report: dedupe_content.DedupeReport) -> Html:
    points = [(step.threshold, float(step.removed)) for step in report.steps]
    low, high = report.steps[0].threshold, report.steps[-1].threshold
    frame = Frame(
        axis("threshold", [low], low=low, high=high), axis("texts that go", [y for _, y in points], low=0)
    )
    drawing = chart.chart(
        frame,
        chart.line(frame, points, Tone.MODEL),
        chart.upright(frame, report.threshold, Tone.QUIET),
        label=f"Texts that go, by threshold: {count(report.steps[0].removed)} at {number(low, 4)}, "
        f"{count(report.steps[-1].removed)} at {number(high, 4)}.",
    )
    keys = ((chart.swatch("line", Tone.MODEL), "texts that go"), (chart.swatch("rule", Tone.QUIET), "chosen"))
    return plot_figure("Texts that go, by threshold", [drawing], keys)


def _step(step: dedupe_content.Step, report: dedupe_content.DedupeReport) -> Html:
    words = number(step.threshold, 4).rstrip("0").ljust(4, "0")
    chosen = " (chosen)" if step.threshold == report.threshold else ""
    said = (
        f"{count(step.removed, 'text')} would go and {count(step.kept)} stay; "
        f"{count(step.groups, 'group')} of several, the largest of {count(step.largest, 'text')}."
    )
    border = (
        [
            element("p", "Only just similar:", class_="muted small"),
            element("ol", *(_pair(pair) for pair in step.border), class_="pairs"),
        ]
        if step.border
        else [element("p", "No pair lies between this threshold and the next.", class_="muted small")]
    )
    return element(
        "div", element("h3", f"From {words} on{chosen}"), element("p", said), *border, data_step=words
    )


def _pair(pair: dedupe_content.ShownPair) -> Html:
    marks = [element("strong", f"other {name}", class_="mark") for name in pair.differs]
    line = element("p", join([f"score {number(pair.score, 4)}", *marks], " · "), class_="muted small")
    return element("li", line, two_texts(pair.a, pair.b))


def _sizes(report: dedupe_content.DedupeReport) -> list[Html]:
    if not report.sizes:
        return []
    rows = tuple((size_words(one), count(one.groups)) for one in report.sizes)
    grid = Grid(("texts of a group", "groups"), rows)
    table = grid_table(grid, caption="Groups by size; texts that stay alone are groups of one")
    return [block([sizes_figure(report.sizes), table])]


def _precision(report: dedupe_content.DedupeReport) -> list[Html]:
    rows: Sequence[dedupe_content.PrecisionRow] = report.precision
    if not rows:
        return []
    added = any(row.new for row in rows)
    cells = [
        (
            number(row.threshold, 4),
            count(row.pairs),
            *([count(row.new)] if added else []),
            *("-" if told is None else full(told) for told in (row.precision, row.remaining)),
        )
        for row in rows
    ]
    said = (
        "The share of the pairs from a threshold on that are the same, estimated from a sample that a person "
        "judged, with 95 % intervals. Remaining is the share of the duplicates that the threshold without "
        "answers finds and this one still does."
    )
    if any(row.precision is not None and row.precision.low is None for row in rows):
        said += " Where all pairs were judged, there is no interval."
    new = ("new since",) if added else ()
    grid = Grid(("threshold", "pairs from there on", *new, "precision", "remaining"), tuple(cells))
    table = grid_table(grid, caption="Precision and duplicates remaining, by threshold")
    return [element("p", said), block(precision_curve(rows, report.threshold)), table]


def _agreement(report: dedupe_content.DedupeReport) -> list[Html]:
    if not report.agreement:
        return []
    rows = tuple((name, number(value)) for name, value in report.agreement.items())
    return [grid_table(Grid(("measure", "value"), rows), caption="Agreement with known groups")]


def _groups(report: dedupe_content.DedupeReport) -> list[Html]:
    if not report.shown_groups:
        return []
    shown = len(report.shown_groups)
    said = "All groups" if shown == report.groups else f"The {shown} largest of {count(report.groups)} groups"
    return [
        element("p", f"{said}: first the text that stays, then those that go, the most similar first."),
        *(_group(group) for group in report.shown_groups),
    ]


def _group(group: dedupe_content.ShownGroup) -> Html:
    left = group.size - 1 - len(group.gone)
    more = [element("p", f"and {count(left, 'more text')}", class_="muted small")] if left > 0 else []
    return element(
        "div",
        element("h3", count(group.size, "text")),
        element("p", element("strong", "stays", class_="mark"), " ", element("bdi", group.kept_id)),
        user_text(group.kept),
        element("ol", *(_gone(text) for text in group.gone), class_="pairs"),
        *more,
        class_="group",
    )


def _gone(text: dedupe_content.GoneText) -> Html:
    line = join([element("bdi", text.id), f"score {number(text.score, 4)}", text.reason], " · ")
    return element("li", element("p", line, class_="muted small"), user_text(text.text))


def _forbidden(report: dedupe_content.DedupeReport) -> list[Html]:
    if not report.shown_forbidden:
        return []
    shown = len(report.shown_forbidden)
    said = (
        f"{count(report.forbidden, 'pair')} of different texts would be similar enough, but a guard forbids "
        f"to take them for the same{'' if shown == report.forbidden else f'; {shown} of them'}:"
    )
    pairs = element("ol", *(_pair(pair) for pair in report.shown_forbidden), class_="pairs")
    return [element("p", said), pairs]


def scores_figure(scores: dedupe_content.PairScores, report: dedupe_content.DedupeReport) -> Html:
    """The distribution of scores among similar pairs, with the threshold."""
    low, high = scores.edges[0], scores.edges[-1]
    frame = Frame(
        axis("score", [low], low=low, high=high), axis("similar pairs", list(map(float, scores.pairs)), low=0)
    )
    drawing = chart.chart(
        frame,
        chart.area(frame, stairs(scores.edges, scores.pairs), Tone.MODEL),
        chart.upright(frame, report.threshold, Tone.QUIET),
        label=f"Scores of {count(sum(scores.pairs), 'similar pair')} from {number(low, 4)} on; "
        f"threshold {number(report.threshold, 4)}.",
    )
    keys: list[Key] = [
        (chart.swatch("area", Tone.MODEL), "pairs that no guard forbids"),
        (chart.swatch("rule", Tone.QUIET), f"threshold {number(report.threshold, 4)}"),
    ]
    spans = zip(pairwise(scores.edges), scores.pairs, strict=True)
    rows = tuple((number(start, 4), number(end, 4), count(pairs)) for (start, end), pairs in spans)
    return plot_figure("Scores of similar pairs", [drawing], keys, Grid(("from", "to", "pairs"), rows))


def precision_curve(rows: Sequence[dedupe_content.PrecisionRow], threshold: float) -> list[Html]:
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
    return [plot_figure("Precision by threshold", [drawing], keys)]


def sizes_figure(sizes: Sequence[dedupe_content.GroupSizes]) -> Html:
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


def size_words(one: dedupe_content.GroupSizes) -> str:
    """The size of a group in words."""
    if one.least == one.most:
        return f"{one.least:,}"
    return f"{one.least:,} to {one.most:,}"
