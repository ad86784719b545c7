"""Heat maps as tables: they work without colours and scripts."""

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from textkin.report.html import Html, element, scrolling, with_minus_signs

_STEPS = 8
_LONGEST_NAME = 24


def heat_table(
    rows: Sequence[str],
    columns: Sequence[str],
    values: NDArray[np.floating],
    *,
    number: Callable[[float], str],
    caption: str,
    largest: float | None = None,
) -> Html:
    """A table of numbers, coloured by their size: blue above 0, brown below.

    Args:
        rows: row names.
        columns: column names.
        values: shape [rows, columns]; NaN is a dash.
        number: formats a number.
        caption: an explanation of the numbers.
        largest: the value of the strongest colour; None for the largest of these.
    """
    known = np.abs(np.nan_to_num(values))
    most = (float(known.max(initial=0.0)) if largest is None else largest) or 1.0
    head = [element("th", name_cell(name), scope="col") for name in columns]
    body = [
        element("tr", element("th", name_cell(name), scope="row"), *(_cell(one, most, number) for one in row))
        for name, row in zip(rows, values.tolist(), strict=True)
    ]
    return scrolling(
        element(
            "table",
            element("caption", caption),
            element("thead", element("tr", element("td"), *head)),
            element("tbody", *body),
            class_="heat",
        )
    )


def name_cell(name: str) -> Html:
    """A name in its own text direction; a very long one is truncated."""
    cut = name if len(name) <= _LONGEST_NAME else f"{name[: _LONGEST_NAME - 1]}…"
    return element("bdi", cut)


def _cell(value: float, largest: float, number: Callable[[float], str]) -> Html:
    if np.isnan(value):
        return element("td", "–")
    step, shown = min(round(abs(value) / largest * _STEPS), _STEPS), with_minus_signs(number(value))
    if not step:
        return element("td", shown)
    return element("td", shown, class_=f"{'h' if value > 0 else 'c'}{step}")
