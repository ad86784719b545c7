"""Attention and interaction matrices as one page: heat maps that work without colours and scripts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

from textkin.attention_map import AttentionMap
from textkin.report.document import contents, document, sections
from textkin.report.html import Html, element, join, scrolling, user_text
from textkin.report.words import count

FORMAT = 1
_STEPS = 8
_CELLS = 20_000
_STRONGEST = 5
_LONGEST_TOKEN = 24
_SUMS = {
    "rows": "Each row sums to 1.",
    "columns": "Each column sums to 1.",
    "none": "Neither rows nor columns sum to 1.",
}


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class AttentionReport:
    """What a model looked at between two texts.

    Attributes:
        model: how tables call it.
        first: the first text, or the question.
        second: the second text, or the passage.
        maps: the matrices.
    """

    model: str
    first: str
    second: str
    maps: tuple[AttentionMap, ...]

    def to_dict(self) -> dict[str, Any]:
        """The same in JSON's types."""
        return {
            "kind": "attention",
            "format": FORMAT,
            "model": self.model,
            "first": self.first,
            "second": self.second,
            "maps": [one.to_dict() for one in self.maps],
        }


def attention_page(report: AttentionReport) -> str:
    """The whole page."""
    title = f"What {report.model} looks at"
    parts = sections(
        (f"map{number}", f"{one.name[:1].upper()}{one.name[1:]}", _map(one))
        for number, one in enumerate(report.maps, start=1)
    )
    texts = element("div", user_text(report.first), user_text(report.second), class_="two texts")
    said = (
        "Rows are the tokens of the first text, columns those of the second; of a text's attention to itself "
        "both are its own. Blue is above 0, brown below, and each map's strongest colour is its largest "
        "number. A name that ends in .json gives a file with all digits."
    )
    header = element("header", element("h1", title, dir="auto"), element("p", said, class_="muted"))
    return document(title, header, texts, contents(parts), *(part for _, _, part in parts))


def _map(one: AttentionMap) -> list[Html]:
    rows, columns = _shown(one.weights)
    said = [_SUMS[one.sums]]
    if (len(rows), len(columns)) != one.weights.shape:
        said.append(
            f"Shown are the {count(len(rows), 'row')} and {count(len(columns), 'column')} with the largest "
            f"numbers, of {count(one.weights.shape[0])} and {count(one.weights.shape[1])}."
        )
    strongest = element(
        "p",
        "Largest: ",
        join(
            [
                element("span", _token(row), " → ", _token(column), f" {_number(value)}")
                for row, column, value in one.strongest(_STRONGEST)
            ],
            "; ",
        ),
    )
    return [element("p", " ".join(said), class_="muted"), strongest, scrolling(_table(one, rows, columns))]


def _table(one: AttentionMap, rows: Sequence[int], columns: Sequence[int]) -> Html:
    head = [element("th", _token(one.columns[place]), scope="col") for place in columns]
    largest = float(np.abs(one.weights).max(initial=0.0)) or 1.0
    body = [
        element(
            "tr",
            element("th", _token(one.rows[row]), scope="row"),
            *(_cell(float(one.weights[row, column]), largest) for column in columns),
        )
        for row in rows
    ]
    return element(
        "table",
        element("thead", element("tr", element("td"), *head)),
        element("tbody", *body),
        class_="heat",
    )


def _token(token: str) -> Html:
    """A token in its own direction; of a very long one the beginning."""
    cut = token if len(token) <= _LONGEST_TOKEN else f"{token[: _LONGEST_TOKEN - 1]}…"
    return element("bdi", cut)


def _cell(value: float, largest: float) -> Html:
    step = round(abs(value) / largest * _STEPS)
    if not step:
        return element("td", _number(value))
    return element("td", _number(value), class_=f"{'h' if value > 0 else 'c'}{step}")


def _number(value: float) -> str:
    """Two decimals of what is small, and two digits of what is large."""
    if abs(value) >= 10:
        return f"{value:,.0f}".replace("-", "\N{MINUS SIGN}")
    words = f"{value:.2f}" if abs(value) < 1 else f"{value:.1f}"
    return words.replace("-0.00", "0.00").replace("-", "\N{MINUS SIGN}")


def _shown(weights: NDArray[np.float32]) -> tuple[list[int], list[int]]:
    """The rows and columns that fit on a page, in their order: those with the largest numbers."""
    rows, columns = weights.shape
    if rows * columns <= _CELLS:
        return list(range(rows)), list(range(columns))
    most = int(_CELLS**0.5)
    few_rows = min(rows, max(most, _CELLS // columns))
    few_columns = min(columns, _CELLS // few_rows)
    sizes = np.abs(weights)
    return _largest(sizes.max(axis=1), few_rows), _largest(sizes.max(axis=0), few_columns)


def _largest(sizes: NDArray[np.float32], most: int) -> list[int]:
    found: list[int] = np.sort(np.argsort(-sizes, kind="stable")[:most]).tolist()
    return found
