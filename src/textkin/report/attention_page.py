"""Attention and interaction matrices as one page: heat maps that work without colours and scripts."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from textkin.base.arrays import Floats32
from textkin.base.counts import count
from textkin.base.errors import invalid
from textkin.data.attention_map import AttentionMap
from textkin.report.data_facts import Reproduction
from textkin.report.heat_map import heat_table, name_cell
from textkin.report.html import Html, bullets, element, join, user_text
from textkin.report.page_frame import VerdictBox, page_of

ENDINGS = (".html", ".json")
_CELLS = 20_000
_STRONGEST = 5
_SUMS = {
    "rows": "Each row sums to 1.",
    "columns": "Each column sums to 1.",
    "none": "Neither rows nor columns sum to 1.",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class TextMaps:
    """Matrices of a model between two texts.

    Attributes:
        model: its name in tables.
        first: the first text, or the question.
        second: the second text, or the passage.
        maps: attention, or contributions or weights of tokens.
        made: how they were made.
    """

    model: str
    first: str
    second: str
    maps: tuple[AttentionMap, ...]
    made: Reproduction


def attention_path(path: Path | str) -> Path:
    """The path of a page or of a JSON file.

    Raises:
        UsageError: its name ends neither in .html nor in .json.
    """
    target = Path(path)
    if target.suffix.lower() not in ENDINGS:
        raise invalid("out", path, expected="a file that ends in .html or .json")
    return target


def attention_page(report: TextMaps) -> str:
    """The whole page of a model's attention."""
    said = (
        "Rows are tokens of the first text, and columns are tokens of the second. In a map of "
        "self-attention, both are tokens of the same text."
    )
    return _page(report, f"What {report.model} looks at", None, notes=(said,), sums=_SUMS)


def explanation_page(report: TextMaps, said: str) -> str:
    """The whole page of a score's explanation; ``said`` explains the numbers."""
    verdict = VerdictBox("Score", said)
    return _page(report, f"Why {report.model} gives this score", verdict, notes=(), sums={})


def _page(
    report: TextMaps,
    title: str,
    verdict: VerdictBox | None,
    *,
    notes: Sequence[str],
    sums: Mapping[str, str],
) -> str:
    maps = (
        (f"map{number}", f"{one.name[:1].upper()}{one.name[1:]}", _map(one, sums))
        for number, one in enumerate(report.maps, start=1)
    )
    texts = element("div", user_text(report.first), user_text(report.second), class_="two texts")
    colours = (
        "Blue is above 0, brown below 0. The strongest colour is the largest number of its map. A file name "
        "that ends in .json writes all digits."
    )
    return page_of(
        title,
        (report.model,),
        maps,
        kind="explanation",
        verdict=verdict,
        made=report.made,
        first=(texts, bullets((*notes, colours))),
    )


def _map(one: AttentionMap, sums: Mapping[str, str]) -> list[Html]:
    rows, columns = _shown(one.weights)
    said = [sums[one.sums]] if sums else []
    if (len(rows), len(columns)) != one.weights.shape:
        said.append(
            f"The map shows the {count(len(rows), 'row')} and {count(len(columns), 'column')} with the "
            f"largest numbers, of {count(one.weights.shape[0])} and {count(one.weights.shape[1])}."
        )
    paired = len(one.rows) > 1
    strongest = element(
        "p",
        "Largest: ",
        join(
            [
                element(
                    "span",
                    *((name_cell(row), " → ") if paired else ()),
                    name_cell(column),
                    f" {_number(value)}",
                )
                for row, column, value in one.strongest(_STRONGEST)
            ],
            "; ",
        ),
    )
    lines = [element("p", " ".join(said), class_="muted")] if said else []
    return [*lines, strongest, _table(one, rows, columns)]


def _table(one: AttentionMap, rows: Sequence[int], columns: Sequence[int]) -> Html:
    return heat_table(
        [one.rows[place] for place in rows],
        [one.columns[place] for place in columns],
        one.weights[np.ix_(rows, columns)],
        number=_number,
        caption=one.name,
        largest=float(np.abs(one.weights).max(initial=0.0)),
    )


def _number(value: float) -> str:
    """A number with two decimals if small, with two digits if large."""
    if abs(value) >= 10:
        return f"{value:,.0f}"
    words = f"{value:.2f}" if abs(value) < 1 else f"{value:.1f}"
    return words.replace("-0.00", "0.00")


def _shown(weights: Floats32) -> tuple[list[int], list[int]]:
    """The rows and columns that fit on a page, in order: those with the largest numbers."""
    rows, columns = weights.shape
    if rows * columns <= _CELLS:
        return list(range(rows)), list(range(columns))
    most = int(_CELLS**0.5)
    few_rows = min(rows, max(most, _CELLS // columns))
    few_columns = min(columns, _CELLS // few_rows)
    sizes = np.abs(weights)
    return _largest(sizes.max(axis=1), few_rows), _largest(sizes.max(axis=0), few_columns)


def _largest(sizes: Floats32, most: int) -> list[int]:
    return np.sort(np.argsort(-sizes, kind="stable")[:most]).tolist()
