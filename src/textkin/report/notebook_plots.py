"""Plots of results, for notebooks and files: the report's own drawings, without matplotlib."""

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import Any

import numpy as np

from textkin.base.counts import count
from textkin.base.files import write_text
from textkin.report import chart
from textkin.report.chart import Frame, Tone, axis
from textkin.report.html import Html, element
from textkin.report.page_frame import TABLES, document
from textkin.report.plots import plot_figure
from textkin.report.tables import Grid

_BINS = 20
_HEIGHT = 520  # pixels of a notebook's cell


@dataclass(frozen=True, slots=True, repr=False)
class Plot:
    """A drawing that a notebook shows and a file keeps.

    Attributes:
        title: what it shows.
        page: a page of its own, which loads nothing from elsewhere.
    """

    title: str
    page: str

    def _repr_html_(self) -> str:
        """The page in a frame, so that its style stays its own."""
        frame = f'<iframe srcdoc="{escape(self.page)}" title="{escape(self.title)}"'
        return f'{frame} style="width: 100%; height: {_HEIGHT}px; border: 0"></iframe>'

    def __repr__(self) -> str:
        return f"<Plot: {self.title}>"

    def save(self, path: Path | str) -> Path:
        """Write it as an HTML page.

        Raises:
            OutputError: it can't be written.
        """
        write_text(Path(path), self.page)
        return Path(path)


def figure_plot(title: str, *figures: Html, scripts: Sequence[str] = ()) -> Plot:
    """Figures of a report, with the scripts that move them, as a plot of their own."""
    page = document(title, element("h1", title), *figures, kind="plot", scripts=(TABLES, *scripts))
    return Plot(title, page)


def histogram(values: Any, *, title: str, label: str, noun: str) -> Plot:
    """A histogram of numbers, in bins of equal width.

    Args:
        values: the numbers, shape [values].
        title: what they are.
        label: of their axis.
        noun: what has such a number, such as "pair".
    """
    counts, edges = np.histogram(np.asarray(values, dtype=np.float64), bins=_BINS)
    heights, ends = counts.tolist(), edges.tolist()
    frame = Frame(axis(label, ends), axis(f"{noun}s", [0.0, *map(float, heights)], low=0, whole=True))
    stairs = [
        point
        for low, high, height in zip(ends, ends[1:], heights, strict=False)
        for point in ((low, float(height)), (high, float(height)))
    ]
    number_of = sum(heights)
    span = f", {label} {ends[0]:.3f} to {ends[-1]:.3f}" if number_of else ""
    said = f"{count(number_of, noun)}{span}"
    drawing = chart.chart(frame, chart.area(frame, stairs, Tone.MODEL), label=f"{title}: {said}.")
    rows = tuple(
        (f"{low:.3f}", f"{high:.3f}", f"{height:,}")
        for low, high, height in zip(ends, ends[1:], heights, strict=False)
    )
    grid = Grid(("from", "to", "count"), rows)
    return figure_plot(title, plot_figure(said, [drawing], [], grid))
