"""The report's plots: each with a title, drawings, a legend, and its data as a table."""

from collections.abc import Sequence
from itertools import pairwise

from textkin.base.counts import percent
from textkin.report import chart, content, tables
from textkin.report.chart import Frame, Points, Tone, axis
from textkin.report.figure_words import full, number
from textkin.report.html import Html, details, element, grid_table

Key = tuple[Html, str]


def precision_recall_figure(plot: content.PrecisionRecall) -> Html:
    """Overlaid curves, with the fraction of positives as the level of chance."""
    frame = Frame(axis("recall", (), low=0, high=1), axis("precision", (), low=0, high=1))
    marks: list[Html] = []
    keys: list[Key] = []
    if plot.positive_share is not None:
        marks.append(chart.level(frame, plot.positive_share, Tone.QUIET))
        keys.append((chart.swatch("rule", Tone.QUIET), f"fraction the same, {percent(plot.positive_share)}"))
    names = []
    dashes = {True: 0, False: 0}
    for curve in plot.curves:
        tone = Tone.MODEL if curve.trained else Tone.OTHER
        points = list(zip(curve.recall, curve.precision, strict=True))
        marks.append(chart.steps(frame, points, tone, dash=dashes[curve.trained]))
        names.append(curve.system if curve.area is None else f"{curve.system}, AP {full(curve.area)}")
        keys.append((chart.swatch("line", tone, dash=dashes[curve.trained]), names[-1]))
        dashes[curve.trained] += 1
    drawing = chart.chart(frame, *marks, label=f"Precision by recall on test. {'; '.join(names)}.")
    return plot_figure("Precision and recall", [drawing], keys, tables.precision_recall_grid(plot))


def histogram_figure(plot: content.ScoreHistogram) -> Html:
    """The scores of both classes as fractions of their class, and the threshold."""
    same, other = _shares(plot.positives), _shares(plot.negatives)
    scores = [*plot.edges, *([] if plot.threshold is None else [plot.threshold])]
    frame = Frame(axis("score", scores), axis("fraction of its class", [*same, *other], low=0))
    marks = [
        chart.area(frame, stairs(plot.edges, other), Tone.OTHER),
        chart.area(frame, stairs(plot.edges, same), Tone.MODEL),
    ]
    keys = [
        (chart.swatch("area", Tone.MODEL), "same"),
        (chart.swatch("area", Tone.OTHER), "not the same"),
    ]
    label = f"Scores of {plot.system} on test: {sum(plot.positives)} same, {sum(plot.negatives)} not the same"
    if plot.threshold is not None:
        marks.append(chart.upright(frame, plot.threshold, Tone.QUIET))
        keys.append((chart.swatch("rule", Tone.QUIET), f"threshold {number(plot.threshold, 4)}"))
        label += f"; threshold {number(plot.threshold, 4)}"
    drawing = chart.chart(frame, *marks, label=label + ".")
    return plot_figure(f"Scores of {plot.system}", [drawing], keys, tables.histogram_grid(plot))


def reliability_figure(plot: content.CalibrationPlot) -> Html:
    """Predicted against observed probability; dots are larger for more pairs."""
    frame = Frame(
        axis("mean predicted probability", (), low=0, high=1), axis("fraction the same", (), low=0, high=1)
    )
    marks = [chart.diagonal(frame, Tone.QUIET)]
    keys: list[Key] = [(chart.swatch("rule", Tone.QUIET), "perfect")]
    said = []
    parts = (("before", plot.before, Tone.OTHER), ("after", plot.after, Tone.MODEL))
    for name, part, tone in parts:
        if part is not None:
            points = [(each.probability, each.positive_share) for each in part.bins]
            marks += [
                chart.line(frame, points, tone),
                chart.dots(frame, points, tone, radii=radii_of(part.bins)),
            ]
            said.append(f"{name} calibration, ECE {full(part.ece)}")
            keys.append((chart.swatch("dot", tone), said[-1]))
    drawing = chart.chart(frame, *marks, label=f"Reliability on test: {'; '.join(said)}.")
    return plot_figure(
        "Are the probabilities calibrated?",
        [drawing],
        keys,
        tables.reliability_grid(plot.after, plot.before),
    )


def training_figure(curves: Sequence[content.TrainingCurve], measure: str) -> Html:
    """Loss and dev measure of one system by epoch or step, one line per seed."""
    losses: list[Points] = [[(each.at, each.loss) for each in curve.epochs] for curve in curves]
    devs: list[Points] = [
        [(each.at, each.dev) for each in curve.epochs if each.dev is not None] for curve in curves
    ]
    unit = "step" if any(each.step is not None for curve in curves for each in curve.epochs) else "epoch"
    drawings = [_seeds_chart(losses, "training loss", unit, kept=[])]
    if any(devs):
        kept = [
            (each.at, each.dev)
            for curve in curves
            for each in curve.epochs
            if curve.is_kept(each) and each.dev is not None
        ]
        drawings.append(_seeds_chart(devs, f"dev {measure}", unit, kept=kept))
    keys = [
        (chart.swatch("line", Tone.MODEL, dash=index), f"seed {curve.seed}")
        for index, curve in enumerate(curves)
    ]
    if any(curve.best_epoch is not None for curve in curves) and any(devs):
        keys.append((chart.swatch("dot", Tone.MODEL), "kept"))
    return plot_figure(
        f"Training of {curves[0].system}", drawings, keys, tables.training_grid(curves, measure)
    )


def label_curve_figure(curve: content.LabelCurve, measure: str) -> Html:
    """The learning curve over the number of labels."""
    ends = [end for each in curve.points for end in _ends(each.result.low, each.result.high)]
    values = [each.result.value for each in curve.points]
    reference = [] if curve.baseline_value is None else [curve.baseline_value]
    points = [(float(each.labels), each.result.value) for each in curve.points]
    frame = Frame(
        axis("training labels", [x for x, _ in points], low=0),
        axis(f"test {measure}", [*ends, *values, *reference]),
    )
    bars = [
        (float(each.labels), each.result.low, each.result.high)
        for each in curve.points
        if each.result.low is not None and each.result.high is not None
    ]
    marks = [
        chart.whiskers(frame, bars, Tone.MODEL),
        chart.line(frame, points, Tone.MODEL),
        chart.dots(frame, points, Tone.MODEL),
    ]
    keys = [(chart.swatch("line", Tone.MODEL), f"{curve.system}, with 95 % intervals")]
    if curve.baseline_value is not None:
        marks.append(chart.level(frame, curve.baseline_value, Tone.OTHER))
        keys.append((chart.swatch("rule", Tone.OTHER), f"{curve.baseline}, without labels"))
    said = "; ".join(f"{each.labels} labels: {full(each.result)}" for each in curve.points)
    drawing = chart.chart(frame, *marks, label=f"Test {measure} by number of training labels. {said}.")
    return plot_figure("Would more labels pay?", [drawing], keys, tables.label_curve_grid(curve, measure))


def plot_figure(
    title: str, drawings: Sequence[Html], keys: Sequence[Key], data: tables.Grid | None = None
) -> Html:
    """Title, drawings, legend, and the data, if given, as a table that opens."""
    legend = [element("li", look, element("span", words)) for look, words in keys]
    return element(
        "figure",
        element("figcaption", title),
        element("div", *drawings, class_="drawings"),
        *([element("ul", *legend, class_="legend")] if legend else []),
        *([] if data is None else [details("The data of this plot", grid_table(data, caption=title))]),
    )


def _seeds_chart(lines: Sequence[Points], name: str, unit: str, *, kept: Points) -> Html:
    points = [point for each in lines for point in each]
    places = [x for x, _ in points]
    first = min(places, default=0)
    along = axis(unit, [], low=first, high=max(*places, first + 1), whole=True)
    frame = Frame(along, axis(name, [y for _, y in points]))
    marks = [chart.line(frame, each, Tone.MODEL, dash=index) for index, each in enumerate(lines) if each]
    last = "; ".join(f"{each[-1][1]:.4g}" for each in lines if each)
    return chart.chart(
        frame,
        *marks,
        chart.dots(frame, kept, Tone.MODEL),
        label=f"{name} by {unit}. In the last {unit} of each seed: {last}.",
    )


def _shares(counts: Sequence[int]) -> list[float]:
    total = sum(counts) or 1
    return [each / total for each in counts]


def stairs(edges: Sequence[float], heights: Sequence[float]) -> Points:
    """The outline of a histogram."""
    spans = zip(pairwise(edges), heights, strict=True)
    return [point for (low, high), height in spans for point in ((low, height), (high, height))]


def radii_of(bins: Sequence[content.ReliabilityBin]) -> list[float]:
    """The radii of the bins' dots, larger for more pairs."""
    most = max((each.count for each in bins), default=1) or 1
    return [2 + 5 * (each.count / most) ** 0.5 for each in bins]


def _ends(low: float | None, high: float | None) -> list[float]:
    return [end for end in (low, high) if end is not None]
