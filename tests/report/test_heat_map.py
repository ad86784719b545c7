import numpy as np

from tests.report.test_study_page import HOSTILE
from textkin.report.heat_map import heat_table


def shown(values, **more):
    values = np.array(values)
    names = [f"n{place}" for place in range(values.shape[1])]
    return heat_table(
        names[: len(values)], names, values, number=lambda one: f"{one:.1f}", caption="c", **more
    )


def test_colours_go_by_size_and_sign():
    html = shown([[1.0, -0.5, 0.01]])
    assert (
        '<td class="h8">1.0</td>' in html
        and '<td class="c4">\N{MINUS SIGN}0.5</td>' in html
        and "<td>0.0</td>" in html
    )
    assert '<td class="h4">1.0</td>' in shown([[1.0]], largest=2.0)
    assert '<td class="h8">3.0</td>' in shown([[3.0]], largest=1.0)


def test_what_is_no_number_is_a_dash():
    assert "<td>–</td>" in shown([[np.nan, 1.0]])
    assert shown([[0.0]]).count("<td>0.0</td>") == 1


def test_hostile_names_are_escaped_and_long_ones_cut():
    html = heat_table([HOSTILE], ["x" * 100], np.ones((1, 1)), number=str, caption=HOSTILE)
    assert "<script" not in html and "x" * 24 not in html
