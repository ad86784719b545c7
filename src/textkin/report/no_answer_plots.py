"""Plots of readers: the risk of answering, and the calibration of no answer."""

from collections.abc import Container, Sequence
from dataclasses import dataclass

from textkin.base.counts import count
from textkin.base.spelling import spelt
from textkin.report import chart
from textkin.report.chart import Frame, Tone, axis
from textkin.report.content import Estimate, ReliabilityBin
from textkin.report.figure_words import full, number
from textkin.report.html import Html
from textkin.report.plots import Key, plot_figure, radii_of
from textkin.report.tables import Grid


@dataclass(frozen=True, slots=True)
class Abstention:
    """The usefulness of a system's no-answer probability for abstaining.

    Attributes:
        system: its name.
        calibration_error: the expected calibration error of the probability, in 10 bins of equal mass.
        risk_area: the area under the curve below; lower is better.
        coverage: the fraction of questions answered, those most likely to have an answer first.
        risk: the mean loss of the best answer to each of these: 1 - F1, or 1 if there is no answer.
        bins: the predicted probability against the fraction without an answer.
    """

    system: str
    calibration_error: Estimate
    risk_area: Estimate
    coverage: tuple[float, ...]
    risk: tuple[float, ...]
    bins: tuple[ReliabilityBin, ...] = ()

    def sentence(self) -> str:
        """Both metrics in words."""
        figures = (
            ("expected calibration error", self.calibration_error),
            ("area under the risk-coverage curve", self.risk_area),
        )
        said = [
            f"{name} {one.value:.3f}"
            + ("" if one.low is None or one.high is None else f" ({one.low:.3f} to {one.high:.3f})")
            for name, one in figures
        ]
        return f"{self.system}'s probability of no answer: {', '.join(said)}"


def risk_figure(plots: Sequence[Abstention], calibrated: Container[str]) -> Html:
    """The mean loss of a share of the answers, the surest first.

    Args:
        plots: of systems with a probability of no answer.
        calibrated: the names of those whose rule was fitted to dev questions.
    """
    frame = Frame(
        axis("proportion answered, the surest first", (), low=0, high=1),
        axis("mean loss of the answers, 1 - F1", (), low=0, high=1),
    )
    marks, keys, said = [], [], []
    for place, one in enumerate(plots):
        tone = Tone.MODEL if one.system in calibrated or len(plots) == 1 else Tone.OTHER
        marks.append(chart.line(frame, list(zip(one.coverage, one.risk, strict=True)), tone, dash=place))
        said.append(f"{one.system}, area {full(one.risk_area)}")
        keys.append((chart.swatch("line", tone, dash=place), said[-1]))
    rows = [
        (one.system, number(coverage), number(risk))
        for one in plots
        for coverage, risk in zip(one.coverage, one.risk, strict=True)
    ]
    drawing = chart.chart(frame, *marks, label=f"Risk by coverage. {'; '.join(said)}.")
    data = Grid(("system", "answered", "mean loss"), tuple(rows))
    return plot_figure("Risk by coverage", [drawing], keys, data)


def reliability_figure(plot: Abstention, *, calibrated: bool) -> Html:
    """The predicted probability of no answer against the observed share.

    Args:
        plot: of a system with a probability of no answer.
        calibrated: True if its rule was fitted to dev questions.
    """
    frame = Frame(
        axis("mean predicted probability", (), low=0, high=1),
        axis("proportion without answer", (), low=0, high=1),
    )
    points = [(each.probability, each.positive_share) for each in plot.bins]
    tone = Tone.MODEL if calibrated else Tone.OTHER
    marks = (
        chart.diagonal(frame, Tone.QUIET),
        chart.line(frame, points, tone),
        chart.dots(frame, points, tone, radii=radii_of(plot.bins)),
    )
    how = "fitted on dev questions" if calibrated else spelt("not fitted: `calibrate()` does it")
    said = f"{plot.system}, ECE {full(plot.calibration_error)}"
    keys: list[Key] = [
        (chart.swatch("rule", Tone.QUIET), "perfect"),
        (chart.swatch("dot", tone), f"{said}; {how}"),
    ]
    rows = [(number(x), number(y), count(each.count)) for (x, y), each in zip(points, plot.bins, strict=True)]
    drawing = chart.chart(frame, *marks, label=f"Reliability of no answer: {said}.")
    data = Grid(("mean probability", "proportion without answer", "questions"), tuple(rows))
    return plot_figure(f"The probability of no answer of {plot.system}", [drawing], keys, data)
