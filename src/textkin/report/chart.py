"""Small SVG charts: axes and marks whose coordinates stay inside the drawing, whatever the data.

A chart is a :class:`Frame` (two axes) and the marks drawn in it. Colours, dashes and dark mode come from the
page's style by class names.
"""

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import pairwise

from textkin.base.errors import DataError
from textkin.report.html import Html, element

WIDTH, HEIGHT = 420, 300
_LEFT, _RIGHT, _TOP, _BOTTOM = 50, 26, 30, 46
SECOND_AXIS = 50
"""Pixels to the right of a frame with a second vertical axis."""
_LOOKS = {
    "interval-bar": 'width="150" height="22"',
    "whisker": 'stroke-width="2"',
    "rule": 'stroke-dasharray="5 4"',
    "dot": 'stroke-width="0"',
    "model": 'stroke="#0a5ea8" fill="#0a5ea8"',
    "other": 'stroke="#6d737b" fill="#6d737b"',
    "quiet": 'stroke="#6d737b"',
}
"""Attributes in the place of a report's style, for bars of intervals."""
_LARGEST, _SMALLEST = 1e15, 1e-12  # beyond these a chart says no more than a table
_LEAST_RELATIVE_SPAN = 1e-6

Points = Sequence[tuple[float, float]]


class Tone(StrEnum):
    """The meaning of a mark; the style defines its appearance."""

    MODEL = "model"
    OTHER = "other"
    QUIET = "quiet"


@dataclass(frozen=True, slots=True)
class Axis:
    """A labelled range with tick values."""

    label: str
    low: float
    high: float
    ticks: tuple[float, ...]

    def share(self, value: float) -> float:
        """The value's position between the ends, 0 to 1; values outside are clipped."""
        return min(max((tame(value, self.label) - self.low) / (self.high - self.low), 0.0), 1.0)


@dataclass(frozen=True, slots=True)
class Frame:
    """The rectangle between two axes.

    Attributes:
        x: the horizontal axis.
        y: the vertical axis.
        right: pixels to its right.
    """

    x: Axis
    y: Axis
    right: int = _RIGHT

    def at(self, x: float, y: float) -> tuple[float, float]:
        """The pixel of a point."""
        return (
            _LEFT + self.x.share(x) * (WIDTH - _LEFT - self.right),
            HEIGHT - _BOTTOM - self.y.share(y) * (HEIGHT - _TOP - _BOTTOM),
        )


def axis(
    label: str,
    values: Sequence[float],
    *,
    low: float | None = None,
    high: float | None = None,
    whole: bool = False,
) -> Axis:
    """An axis that covers all ``values``, with rounded ends unless ``low`` and ``high`` fix them.

    With ``whole``, its ticks are whole numbers.

    Raises:
        DataError: a value is NaN or infinite.
    """
    tamed = [tame(value, label) for value in values]
    first = min(tamed, default=0.0) if low is None else low
    last = max(tamed, default=first + 1.0) if high is None else high
    biggest = max(abs(first), abs(last))
    if last - first <= _LEAST_RELATIVE_SPAN * biggest:
        pad = biggest * 0.1 or 0.5
        first = first - pad if low is None else first
        last = max(last, first) + pad if high is None else last
    step = max(_round_step((last - first) / 6), float(whole))
    first = math.floor(first / step) * step if low is None else first
    last = math.ceil(last / step) * step if high is None else last
    ticks = range(math.ceil(first / step - 1e-9), math.floor(last / step + 1e-9) + 1)
    return Axis(label, first, last, tuple(index * step for index in ticks))


def tame(value: float, label: str) -> float:
    """The value, limited to the range of a chart.

    Raises:
        DataError: it is NaN or infinite.
    """
    if not math.isfinite(value):
        raise DataError(
            f"plot of {label!r}: a value is {value}, expected a finite number",
            fix="leave the point out of the report",
        )
    return 0.0 if abs(value) < _SMALLEST else min(max(value, -_LARGEST), _LARGEST)


def chart(frame: Frame, *marks: Html, label: str) -> Html:
    """The axes, the marks and a text alternative."""
    return element(
        "svg",
        _axes(frame),
        *marks,
        viewBox=f"0 0 {WIDTH} {HEIGHT}",
        role="img",
        aria_label=label,
        class_="chart",
    )


def line(frame: Frame, points: Points, tone: Tone, *, dash: int = 0) -> Html:
    """A line through the points; a single point becomes a dot."""
    if len(points) == 1:
        return dots(frame, points, tone)
    return element("polyline", points=_pixels(frame, points), class_=f"line {tone} dash{dash % 4}")


def steps(frame: Frame, points: Points, tone: Tone, *, dash: int = 0) -> Html:
    """A staircase: each point's height extends back to the previous point, as average precision sums it."""
    corners = [(before[0], point[1]) for before, point in pairwise(points)]
    path = [each for pair in zip(points, corners, strict=False) for each in pair] + list(points[-1:])
    return line(frame, _thinned(frame, path), tone, dash=dash)


def area(frame: Frame, points: Points, tone: Tone) -> Html:
    """A filled outline on the x axis."""
    if not points:
        return Html()
    floor = frame.y.low
    closed = [(points[0][0], floor), *points, (points[-1][0], floor)]
    return element("polygon", points=_pixels(frame, closed), class_=f"area {tone}")


def band(frame: Frame, outline: Points, tone: Tone) -> Html:
    """A filled outline."""
    return element("polygon", points=_pixels(frame, outline), class_=f"area {tone}") if outline else Html()


def dots(frame: Frame, points: Points, tone: Tone, *, radii: Sequence[float] = ()) -> Html:
    """A dot at each point."""
    marks = []
    for index, (x, y) in enumerate(points):
        px, py = frame.at(x, y)
        radius = radii[index] if radii else 3.5
        marks.append(element("circle", cx=_px(px), cy=_px(py), r=_px(radius), class_=f"dot {tone}"))
    return Html("".join(marks))


def whiskers(frame: Frame, bars: Sequence[tuple[float, float, float]], tone: Tone) -> Html:
    """Vertical bars from low to high at x."""
    return Html(
        "".join(_segment(frame.at(x, low), frame.at(x, high), f"whisker {tone}") for x, low, high in bars)
    )


def upright(frame: Frame, x: float, tone: Tone) -> Html:
    """A vertical line across the frame."""
    return _segment(frame.at(x, frame.y.low), frame.at(x, frame.y.high), f"rule {tone}")


def second_axis(frame: Frame) -> Html:
    """The vertical axis of a second frame, at the right edge of the first."""
    edge = frame.at(frame.x.high, frame.y.low)[0]
    ticks = [
        _label(edge + 7, frame.at(frame.x.high, value)[1] + 4, _tick_text(value, frame.y), "start")
        for value in frame.y.ticks
    ]
    name = _label(WIDTH - 2, 14, frame.y.label, "end", "name")
    return element("g", *ticks, name, aria_hidden="true")


def handle(frame: Frame, x: float) -> Html:
    """A vertical line that a script moves along the x axis; its ends are told to the script."""
    left, bottom = frame.at(frame.x.low, frame.y.low)
    right, top = frame.at(frame.x.high, frame.y.high)
    place = _px(frame.at(x, frame.y.low)[0])
    return element(
        "g",
        element("line", x1=place, x2=place, y1=_px(bottom), y2=_px(top)),
        element("circle", cx=place, cy=_px(top), r="6"),
        class_="handle",
        aria_hidden="true",
        data_low=repr(frame.x.low),
        data_high=repr(frame.x.high),
        data_left=_px(left),
        data_right=_px(right),
    )


def level(frame: Frame, y: float, tone: Tone) -> Html:
    """A horizontal line across the frame."""
    return _segment(frame.at(frame.x.low, y), frame.at(frame.x.high, y), f"rule {tone}")


def diagonal(frame: Frame, tone: Tone) -> Html:
    """From the lower left to the upper right corner."""
    ends = frame.at(frame.x.low, frame.y.low), frame.at(frame.x.high, frame.y.high)
    return _segment(*ends, f"rule {tone}")


def swatch(kind: str, tone: Tone, *, dash: int = 0) -> Html:
    """The appearance of a mark, for the legend."""
    shapes = {
        "line": element("line", x1="1", y1="6", x2="27", y2="6", class_=f"line {tone} dash{dash % 4}"),
        "rule": element("line", x1="1", y1="6", x2="27", y2="6", class_=f"rule {tone}"),
        "area": element("rect", x="2", y="2", width="24", height="8", class_=f"area {tone}"),
        "dot": element("circle", cx="14", cy="6", r="4", class_=f"dot {tone}"),
    }
    return element("svg", shapes[kind], viewBox="0 0 28 12", class_="swatch", aria_hidden="true")


def interval_bar(
    along: Axis, value: float, span: tuple[float, float] | None, mark: float | None, *, tone: Tone, label: str
) -> Html:
    """A value and its interval on one line, with a vertical mark for comparison.

    A value below the axis is an arrow head at its lower end.
    """
    width, height, margin = 150, 22, 6

    def place(number: float) -> str:
        return _px(margin + along.share(number) * (width - 2 * margin))

    parts = []
    if mark is not None:
        x = place(mark)
        parts.append(element("line", x1=x, x2=x, y1="0", y2=str(height), class_="rule quiet"))
    if value < along.low:
        parts.append(element("polygon", points="8,7 8,15 1,11", class_=f"dot {tone}"))
    else:
        if span is not None:
            low, high = span
            ends = {"x1": place(low), "x2": place(high), "y1": "11", "y2": "11"}
            parts.append(element("line", **ends, class_=f"whisker {tone}"))
        parts.append(element("circle", cx=place(value), cy="11", r="3.5", class_=f"dot {tone}"))
    return element(
        "svg", *parts, viewBox=f"0 0 {width} {height}", role="img", aria_label=label, class_="interval-bar"
    )


def alone(drawing: Html) -> Html:
    """A drawing that stands where no style of a report does, such as in a notebook's table."""
    styled = re.sub(
        r'class="([^"]+)"', lambda found: " ".join(_LOOKS[word] for word in found[1].split()), drawing
    )
    return Html(styled.replace("<svg ", '<svg xmlns="http://www.w3.org/2000/svg" ', 1))


def _axes(frame: Frame) -> Html:
    left, bottom = frame.at(frame.x.low, frame.y.low)
    parts = []
    for value in frame.y.ticks:
        ends = frame.at(frame.x.low, value), frame.at(frame.x.high, value)
        parts.append(_segment(*ends, "grid"))
        parts.append(_label(left - 7, ends[0][1] + 4, _tick_text(value, frame.y), "end"))
    for value in frame.x.ticks:
        x = frame.at(value, frame.y.low)[0]
        parts.append(_segment((x, bottom), (x, bottom + 4), "axis"))
        parts.append(_label(x, bottom + 18, _tick_text(value, frame.x), "middle"))
    parts.append(_segment((left, bottom), frame.at(frame.x.high, frame.y.low), "axis"))
    parts.append(_label(2, 14, frame.y.label, "start", "name"))
    parts.append(_label((left + WIDTH - frame.right) / 2, HEIGHT - 8, frame.x.label, "middle", "name"))
    return element("g", *parts, aria_hidden="true")


def _label(x: float, y: float, words: str, anchor: str, kind: str = "tick") -> Html:
    return element("text", words, x=_px(x), y=_px(y), text_anchor=anchor, class_=kind)


def _segment(start: tuple[float, float], end: tuple[float, float], kind: str) -> Html:
    return element("line", x1=_px(start[0]), y1=_px(start[1]), x2=_px(end[0]), y2=_px(end[1]), class_=kind)


def _pixels(frame: Frame, points: Points) -> str:
    return " ".join(f"{_px(x)},{_px(y)}" for x, y in (frame.at(*point) for point in points))


def _px(value: float) -> str:
    return f"{value:.1f}".removesuffix(".0")


def _thinned(frame: Frame, points: Points) -> Points:
    """At most four points per column of pixels (first, lowest, highest, last), with the same appearance."""
    columns: dict[int, list[int]] = {}
    for index, (x, _) in enumerate(points):
        columns.setdefault(round(frame.x.share(x) * (WIDTH - _LEFT - frame.right)), []).append(index)
    kept: list[int] = []
    for column in columns.values():
        by_height = sorted(column, key=lambda index: points[index][1])
        kept += sorted({column[0], by_height[0], by_height[-1], column[-1]})
    return [points[index] for index in sorted(kept)]


def _round_step(least: float) -> float:
    power = 10.0 ** math.floor(math.log10(least))
    return next(factor * power for factor in (1, 2, 5, 10) if factor * power >= least * (1 - 1e-9))


def _tick_text(value: float, along: Axis) -> str:
    step = along.ticks[1] - along.ticks[0] if len(along.ticks) > 1 else along.high - along.low
    decimals = max(0, -math.floor(math.log10(step) + 1e-9))
    largest = max(abs(along.low), abs(along.high))
    if 1e4 <= largest < 1e9 and step >= 100:  # as many as fit next to the axis on a phone
        unit, name = (1e6, "M") if largest >= 1e6 else (1e3, "k")
        return f"{value / unit:g}{name}" if value else "0"
    if abs(value) >= 1e6 or decimals > 4:
        return f"{value:.2g}"
    return f"{value:,.{decimals}f}" if value else f"{0:.{decimals}f}"
