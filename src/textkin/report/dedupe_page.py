"""A deduplication report as one page: a slider over thresholds, fully usable without scripts."""

from collections.abc import Sequence
from itertools import pairwise

from textkin.base.counts import count
from textkin.report import chart, dedupe_content
from textkin.report.chart import Frame, Tone, axis
from textkin.report.content import Estimate
from textkin.report.figure_words import full, number, percent
from textkin.report.html import (
    Html,
    block,
    bullets,
    details,
    element,
    grid_table,
    join,
    search_field,
    user_text,
)
from textkin.report.page_frame import VerdictBox, page_of
from textkin.report.plots import Key, plot_figure, stairs
from textkin.report.tables import Grid
from textkin.report.text_diff import two_texts

_AT_ONCE = 20  # groups
_CURVE = 2  # labelled thresholds at least
_SAME = 1e-6  # thresholds, one of them in single precision


def dedupe_page(report: dedupe_content.DedupeReport) -> str:
    """The whole page."""
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
        ),
        kind="deduplication",
        verdict=_verdict(report),
        made=report.made,
        first=(_figures(report), bullets(report.notes)),
        scripts=("filter.js", "slider.js"),
    )


def _verdict(report: dedupe_content.DedupeReport) -> VerdictBox:
    share = f" ({percent(report.removed / report.texts)})" if report.texts else ""
    said = f"{count(report.removed)} of {count(report.texts, 'text')}{share} are duplicates of others"
    near = (row.precision for row in report.precision if abs(row.threshold - report.threshold) < _SAME)
    told = next(near, None)
    if told is None:
        title = "Threshold fitted" if report.shown else "Precision not measured"
        sentence = f"{said}, from {_short(report.threshold)} on."
    else:
        title = "Precision shown" if report.shown else "Precision not shown"
        sentence = (
            f"{said}; by a person's answers, {_percents(told)} of the pairs from "
            f"{_short(report.threshold)} on are the same."
        )
    more = f"Threshold: {report.threshold_words}. {report.advice}".rstrip()
    figures = {
        "texts": count(report.texts),
        "go": count(report.removed),
        "groups": count(report.groups),
        "threshold": _short(report.threshold),
        "precision": "" if told is None else full(told),
    }
    return VerdictBox(title, sentence, more, good=report.shown, figures=figures)


def _percents(told: Estimate) -> str:
    """A precision with its interval as percentages: "95.1 % (85.6 to 99.4 %)"."""
    span = "" if told.low is None or told.high is None else f" ({100 * told.low:.1f} to {percent(told.high)})"
    return f"{percent(told.value)}{span}"


def _short(threshold: float) -> str:
    return number(threshold, 4).rstrip("0").ljust(3, "0")


def _figures(report: dedupe_content.DedupeReport) -> Html:
    share = percent(report.removed / report.texts) if report.texts else ""
    figures = (
        (count(report.texts), "texts"),
        (count(report.kept), "stay"),
        (count(report.removed), f"go, {share}" if share else "go"),
        (count(report.groups), "groups of several"),
        (count(report.largest), "in the largest"),
        (_short(report.threshold), "threshold"),
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
    charts = [
        threshold_figure(report),
        *([] if report.scores is None else [scores_figure(report.scores, report)]),
    ]
    return [said, block(charts), slider, shown]


def _step(step: dedupe_content.Step, report: dedupe_content.DedupeReport) -> Html:
    words = _short(step.threshold)
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
        "div",
        element("h3", f"From {words} on{chosen}"),
        element("p", said),
        *border,
        data_step=words,
        data_threshold=repr(step.threshold),
    )


def _pair(pair: dedupe_content.ShownPair) -> Html:
    marks = [element("strong", f"other {name}", class_="mark") for name in pair.differs]
    ids = join([element("bdi", one) for one in pair.ids], " and ")
    line = element("p", join([ids, f"score {number(pair.score, 4)}", *marks], " · "), class_="muted small")
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
    return [element("p", said), table]


def _agreement(report: dedupe_content.DedupeReport) -> list[Html]:
    if not report.agreement:
        return []
    rows = tuple((name, number(value)) for name, value in report.agreement.items())
    return [grid_table(Grid(("measure", "value"), rows), caption="Agreement with known groups")]


def _groups(report: dedupe_content.DedupeReport) -> list[Html]:
    if not report.shown_groups:
        return []
    shown = len(report.shown_groups)
    every = shown == report.groups
    said = "All groups" if every else f"The {count(shown)} largest of {count(report.groups)} groups"
    rest = "" if every else " All of them are in groups.tsv."
    groups = [_group(group) for group in report.shown_groups]
    first, others = groups[:_AT_ONCE], groups[_AT_ONCE:]
    return [
        element("p", f"{said}: first the text that stays, then those that go, the most similar first.{rest}"),
        search_field(".group", "Search groups by id or word"),
        *first,
        *([details(count(len(others), "more group").capitalize(), *others)] if others else []),
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
        *_places(frame, report.threshold),
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


def threshold_figure(report: dedupe_content.DedupeReport) -> Html:
    """Texts that go by threshold, and the precision by a person's labels where it is known.

    The precision has a 95 % band unless all pairs were labelled at every threshold.
    """
    going = [(step.threshold, float(step.removed)) for step in report.steps]
    told = [(row.threshold, row.precision) for row in report.precision if row.precision is not None]
    places = [at for at, _ in (*going, *told)]
    along = axis("threshold", [min(places)], low=min(places), high=max(places))
    volume = axis("texts that go", [y for _, y in going], low=0)
    said = (
        f"Texts that go, by threshold: {'; '.join(f'{y:,.0f} from {number(at, 4)} on' for at, y in going)}."
    )
    goes = (chart.swatch("line", Tone.RIVAL), "texts that go")
    rule = (chart.swatch("rule", Tone.QUIET), f"chosen: {_short(report.threshold)}")
    if len(told) < _CURVE:
        frame = Frame(along, volume)
        marks = [chart.line(frame, going, Tone.RIVAL), *_places(frame, report.threshold)]
        drawing = chart.chart(frame, *marks, label=said)
        return plot_figure("Texts that go, by threshold", [drawing], [goes, rule])
    bands = [(at, *_ends(figure)) for at, figure in told]
    left = Frame(along, axis("precision", [low for _, low, _ in bands], high=1), chart.SECOND_AXIS)
    right = Frame(along, volume, chart.SECOND_AXIS)
    outline = [*((at, high) for at, _, high in bands), *((at, low) for at, low, _ in reversed(bands))]
    estimated = any(figure.low is not None for _, figure in told)
    points = [(at, figure.value) for at, figure in told]
    marks = [
        *([chart.band(left, outline, Tone.MODEL)] if estimated else []),
        chart.line(right, going, Tone.RIVAL),
        chart.line(left, points, Tone.MODEL),
        chart.second_axis(right),
        *_places(left, report.threshold),
    ]
    words = "; ".join(f"{full(figure)} from {number(at, 4)} on" for at, figure in told)
    drawing = chart.chart(left, *marks, label=f"Precision by threshold: {words}. {said}")
    precise = "precision, 95 % interval" if estimated else "precision, all pairs judged"
    keys = [(chart.swatch("line", Tone.MODEL), precise), goes, rule]
    return plot_figure("Precision and texts that go, by threshold", [drawing], keys)


def _places(frame: Frame, threshold: float) -> list[Html]:
    """The chosen threshold, and the one that a reader looks at."""
    return [chart.upright(frame, threshold, Tone.QUIET), chart.handle(frame, threshold)]


def _ends(figure: Estimate) -> tuple[float, float]:
    low, high = figure.low, figure.high
    return figure.value if low is None else low, figure.value if high is None else high


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
