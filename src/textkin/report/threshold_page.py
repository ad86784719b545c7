"""The effects of thresholds: plots with a handle, a slider, and the least similar pairs of each."""

from itertools import pairwise

from textkin.base.counts import count
from textkin.report import chart
from textkin.report.chart import Frame, Tone, axis
from textkin.report.content import Estimate
from textkin.report.dedupe_content import PairScores, ShownPair, Step, TriedThresholds
from textkin.report.figure_words import full, number
from textkin.report.html import Html, block, element, join
from textkin.report.notebook_plots import Plot, figure_plot
from textkin.report.plots import Key, plot_figure, stairs
from textkin.report.tables import Grid
from textkin.report.text_diff import two_texts

SLIDER = "slider.js"
"""The script that moves handle and slider; without it, all steps are shown one below the other."""

_CURVE = 2  # labelled thresholds at least


def short(threshold: float) -> str:
    """A threshold without trailing zeros."""
    return number(threshold, 4).rstrip("0").ljust(3, "0")


def threshold_parts(tried: TriedThresholds) -> list[Html]:
    """The plots, the slider and the steps; the step alone where there is one."""
    steps = tried.steps
    shown = element("div", *(_step(step, tried.chosen) for step in steps), class_="steps", aria_live="polite")
    if len(steps) < 2:
        return [shown] if steps else []
    chosen = next(place for place, step in enumerate(steps) if step.threshold == tried.chosen)
    said = element(
        "p",
        "The effect of other thresholds, and the least similar pairs that each counts as duplicates. Lower "
        "the threshold as long as these pairs are right.",
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
        threshold_figure(tried),
        *([] if tried.scores is None else [scores_figure(tried.scores, tried.chosen)]),
    ]
    return [said, block(charts), slider, shown]


def _step(step: Step, chosen: float) -> Html:
    words = short(step.threshold)
    mark = " (chosen)" if step.threshold == chosen else ""
    largest = f", the largest with {count(step.largest, 'text')}" if step.groups else ""
    said = (
        f"{count(step.removed, 'text')} removed, {count(step.kept)} kept; "
        f"{count(step.groups, 'group')}{largest}."
    )
    border = (
        [
            element("p", "The least similar pairs:", class_="muted small"),
            element("ol", *(pair_item(pair) for pair in step.border), class_="pairs"),
        ]
        if step.border
        else [element("p", "No pair scores between this threshold and the next.", class_="muted small")]
    )
    return element(
        "div",
        element("h3", f"Threshold {words}{mark}"),
        element("p", said),
        *border,
        data_step=words,
        data_threshold=repr(step.threshold),
    )


def pair_item(pair: ShownPair) -> Html:
    """A pair of similar texts, with their ids, score and differences marked."""
    marks = [element("strong", f"other {name}", class_="mark") for name in pair.differs]
    ids = join([element("bdi", one) for one in pair.ids], " and ")
    line = element("p", join([ids, f"score {number(pair.score, 4)}", *marks], " · "), class_="muted small")
    return element("li", line, two_texts(pair.a, pair.b))


def scores_figure(scores: PairScores, threshold: float) -> Html:
    """The distribution of scores among similar pairs, with the threshold."""
    low, high = scores.edges[0], scores.edges[-1]
    frame = Frame(
        axis("score", [low], low=low, high=high),
        axis("similar pairs", list(map(float, scores.pairs)), low=0, whole=True),
    )
    drawing = chart.chart(
        frame,
        chart.area(frame, stairs(scores.edges, scores.pairs), Tone.MODEL),
        *_places(frame, threshold),
        label=f"Scores of {count(sum(scores.pairs), 'similar pair')} at or above {number(low, 4)}; "
        f"threshold {number(threshold, 4)}.",
    )
    keys: list[Key] = [
        (chart.swatch("area", Tone.MODEL), "pairs not blocked by a guard"),
        (chart.swatch("rule", Tone.QUIET), f"threshold {short(threshold)}"),
    ]
    spans = zip(pairwise(scores.edges), scores.pairs, strict=True)
    rows = tuple((number(start, 4), number(end, 4), count(pairs)) for (start, end), pairs in spans)
    return plot_figure("Scores of similar pairs", [drawing], keys, Grid(("from", "to", "pairs"), rows))


def threshold_figure(tried: TriedThresholds) -> Html:
    """Texts removed by threshold, and the precision by a person's labels where it is known.

    The precision has a 95 % band unless all pairs were labelled at every threshold.
    """
    going = [(step.threshold, float(step.removed)) for step in tried.steps]
    told = [(row.threshold, row.precision) for row in tried.precision if row.precision is not None]
    places = [at for at, _ in (*going, *told)]
    along = axis("threshold", [min(places)], low=min(places), high=max(places))
    volume = axis("texts removed", [y for _, y in going], low=0, whole=True)
    said = f"Texts removed, by threshold: {'; '.join(f'{y:,.0f} at {number(at, 4)}' for at, y in going)}."
    goes = (chart.swatch("line", Tone.OTHER), "texts removed")
    rule = (chart.swatch("rule", Tone.QUIET), f"chosen: {short(tried.chosen)}")
    if len(told) < _CURVE:
        frame = Frame(along, volume)
        marks = [chart.line(frame, going, Tone.OTHER), *_places(frame, tried.chosen)]
        drawing = chart.chart(frame, *marks, label=said)
        return plot_figure("Texts removed, by threshold", [drawing], [goes, rule])
    bands = [(at, *_ends(figure)) for at, figure in told]
    left = Frame(along, axis("precision", [low for _, low, _ in bands], high=1), chart.SECOND_AXIS)
    right = Frame(along, volume, chart.SECOND_AXIS)
    outline = [*((at, high) for at, _, high in bands), *((at, low) for at, low, _ in reversed(bands))]
    estimated = any(figure.low is not None for _, figure in told)
    points = [(at, figure.value) for at, figure in told]
    marks = [
        *([chart.band(left, outline, Tone.MODEL)] if estimated else []),
        chart.line(right, going, Tone.OTHER),
        chart.line(left, points, Tone.MODEL),
        chart.second_axis(right),
        *_places(left, tried.chosen),
    ]
    words = "; ".join(f"{full(figure)} at {number(at, 4)}" for at, figure in told)
    drawing = chart.chart(left, *marks, label=f"Precision by threshold: {words}. {said}")
    precise = "precision, 95 % interval" if estimated else "precision, all pairs labelled"
    keys = [(chart.swatch("line", Tone.MODEL), precise), goes, rule]
    return plot_figure("Precision and texts removed, by threshold", [drawing], keys)


def _places(frame: Frame, threshold: float) -> list[Html]:
    """The chosen threshold, and the one that a reader looks at."""
    return [chart.upright(frame, threshold, Tone.QUIET), chart.handle(frame, threshold)]


def _ends(figure: Estimate) -> tuple[float, float]:
    low, high = figure.low, figure.high
    return figure.value if low is None else low, figure.value if high is None else high


def thresholds_plot(tried: TriedThresholds) -> Plot:
    """The plots, the slider and the steps as a page of their own, for notebooks."""
    return figure_plot("Thresholds of a deduplication", *threshold_parts(tried), scripts=(SLIDER,))
