import math
import re
import warnings

import pytest
from hypothesis import given
from hypothesis import strategies as st

from textkin.base.errors import DataError
from textkin.report import chart
from textkin.report.chart import HEIGHT, WIDTH, Frame, Tone, axis

finite = st.floats(allow_nan=False, allow_infinity=False)
points = st.lists(st.tuples(finite, finite), max_size=30)


def coordinates(svg: str) -> list[tuple[float, float]]:
    found = []
    for group in re.findall(r' points="([^"]*)"', svg):
        found += [tuple(map(float, pair.split(","))) for pair in group.split()]
    for names in (("x", "y"), ("x1", "y1"), ("x2", "y2"), ("cx", "cy")):
        pattern = rf' {names[0]}="([^"]*)"[^>]*? {names[1]}="([^"]*)"'
        found += [(float(x), float(y)) for x, y in re.findall(pattern, svg)]
    return found


def drawing(data) -> str:
    frame = Frame(axis("x", [x for x, _ in data]), axis("y", [y for _, y in data]))
    marks = [
        chart.line(frame, data, Tone.MODEL),
        chart.steps(frame, data, Tone.OTHER),
        chart.area(frame, data, Tone.QUIET),
        chart.dots(frame, data, Tone.MODEL),
        chart.whiskers(frame, [(x, y, y) for x, y in data], Tone.MODEL),
        chart.diagonal(frame, Tone.QUIET),
    ]
    return chart.chart(frame, *marks, label="drawn")


@given(points)
def test_all_coordinates_lie_inside_the_drawing(data):
    svg = drawing(data)
    places = coordinates(svg)
    assert len(places) > len(data)
    assert all(0 <= x <= WIDTH and 0 <= y <= HEIGHT for x, y in places)


@given(points, finite)
def test_lines_across_the_frame_stay_in_it(data, value):
    frame = Frame(axis("x", [x for x, _ in data]), axis("y", [y for _, y in data]))
    svg = chart.upright(frame, value, Tone.QUIET) + chart.level(frame, value, Tone.QUIET)
    assert all(0 <= x <= WIDTH and 0 <= y <= HEIGHT for x, y in coordinates(svg))


@given(st.lists(finite, max_size=20))
def test_an_axis_is_never_empty_and_has_few_rising_ticks(values):
    made = axis("x", values)
    assert made.low < made.high
    assert 2 <= len(made.ticks) <= 13
    assert all(a < b for a, b in zip(made.ticks, made.ticks[1:], strict=False))
    assert all(0 <= made.share(value) <= 1 for value in values)


def test_no_points_and_one_point():
    assert "<polyline" in drawing([(0.0, 1.0), (1.0, 2.0)])
    one = drawing([(3.0, 4.0)])
    assert "<polyline" not in one
    assert one.count("<circle") == 3  # the line, the staircase and the dot


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf])
def test_no_number_no_plot(value):
    with pytest.raises(DataError, match=r"plot of 'loss': a value is (nan|-?inf), expected a finite number"):
        axis("loss", [0.5, value])
    frame = Frame(axis("x", []), axis("y", []))
    with pytest.raises(DataError):
        chart.line(frame, [(0.0, 0.0), (value, 1.0)], Tone.MODEL)


def test_ends_and_ticks_are_round():
    made = axis("AP", [0.668, 0.753])
    assert (round(made.low, 9), round(made.high, 9)) == (0.66, 0.76)
    assert [round(tick, 9) for tick in made.ticks] == [0.66, 0.68, 0.7, 0.72, 0.74, 0.76]
    assert axis("recall", (), low=0, high=1).ticks[-1] == pytest.approx(1.0)


def test_the_staircase_holds_a_height_back_to_the_point_before():
    frame = Frame(axis("x", (), low=0, high=1), axis("y", (), low=0, high=1))
    drawn = coordinates(chart.steps(frame, [(0.0, 1.0), (0.5, 0.4), (1.0, 0.2)], Tone.MODEL))
    path = [(0.0, 1.0), (0.0, 0.4), (0.5, 0.4), (0.5, 0.2), (1.0, 0.2)]
    assert drawn == [pytest.approx(frame.at(*point), abs=0.051) for point in path]


def test_many_points_are_thinned_but_extremes_stay():
    frame = Frame(axis("x", (), low=0, high=1), axis("y", (), low=0, high=1))
    data = [(index / 20_000, 0.5) for index in range(20_001)]
    data[7_000] = (0.35, 1.0)
    drawn = coordinates(chart.steps(frame, data, Tone.MODEL))
    assert len(drawn) <= 4 * WIDTH
    assert min(y for _, y in drawn) == pytest.approx(frame.at(0.35, 1.0)[1], abs=0.051)


@given(finite, finite, finite)
def test_an_interval_bar_stays_in_its_line(value, low, high):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        along = axis("AP", [0.6, 0.8], low=0.6, high=0.8)
        svg = chart.interval_bar(along, value, (low, high), low, tone=Tone.MODEL, label="AP")
    assert all(0 <= x <= 150 and 0 <= y <= 22 for x, y in coordinates(svg))
    assert ("<polygon" in svg) == (value < 0.6)


def test_large_numbers_fit_beside_the_axis_on_a_phone():
    """At 390 pixels letters are 14 units large, a digit about 8, and 43 units are left of the axis."""
    for most in (9_000, 47_825, 300_000, 999_999, 5_000_000):
        frame = chart.Frame(chart.axis("x", [0, 1]), chart.axis("texts that go", [most], low=0))
        drawn = chart.chart(frame, label="l")
        labels = re.findall('text-anchor="end" class="tick">([^<]*)<', drawn)
        assert len(labels) > 2
        assert all(len(label) - 0.5 * label.count(",") - 0.5 * label.count(".") <= 5 for label in labels)
        assert len(set(labels)) == len(labels)


@pytest.mark.parametrize("highest", [0.0, 1.0, 2.0, 7.0])
def test_an_axis_of_counts_has_whole_ticks(highest):
    found = axis("pairs", [0.0, highest], low=0, whole=True)
    assert found.high >= max(highest, 1) and all(tick == round(tick) for tick in found.ticks)
