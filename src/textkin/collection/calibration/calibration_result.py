"""The result of calibrating a collection."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from textkin.base.counts import percent
from textkin.base.results import Result, ResultRow, with_interval
from textkin.base.spelling import spelt
from textkin.base.text_table import text_table
from textkin.collection.calibration.fitted_search import FittedSearch
from textkin.kinds.relevance import RelevanceFigures
from textkin.report.content import Estimate
from textkin.report.figure_words import full

NDCG = "nDCG@10"

_COVERED = (1.0, 0.9, 0.75, 0.5)


@dataclass(frozen=True, slots=True, eq=False)
class SearchFigures:
    """Search quality on judged queries that were not used for fitting.

    Attributes:
        queries: the number of queries.
        relevant: the number of those with a relevant entry; nDCG@10 is computed on them.
        absent: judgements of entries that are missing, which are ignored.
        rankings: nDCG@10 of each ranking.
        relevance: the metrics of the probabilities.
    """

    queries: int
    relevant: int
    absent: int
    rankings: Mapping[str, Estimate]
    relevance: RelevanceFigures

    def figures(self) -> dict[str, Estimate]:
        """All metrics by name."""
        found = {f"{NDCG} {name}": one for name, one in self.rankings.items()}
        return found | dict(self.relevance.figures)

    def answering(self) -> list[tuple[float, float]]:
        """The fraction of the surest queries answered, and how many of these have no relevant hit."""
        curve = self.relevance.curve
        places = [min(int(np.searchsorted(curve.coverage, one)), len(curve.coverage) - 1) for one in _COVERED]
        return [(float(curve.coverage[one]), float(curve.risk[one])) for one in places]


@dataclass(frozen=True, slots=True, repr=False)
class CalibratedCollection(Result):
    """The parameters fitted for a collection, and the quality to expect.

    Attributes:
        fitted: the stored parameters.
        fitted_on: the name of the judgements.
        crossed: cross-validated metrics; each fifth of the queries is evaluated with a fit on the others.
        textless: judged queries without a text, which are ignored.
        learnt: test queries that were also used for fitting, which are ignored.
        test: metrics on test queries; None without.

    Example:
        >>> import textkin as tk
        >>> subjects = [f"How does one {verb} a {thing}" for verb in ("mend", "sell") for thing in (
        ...     "bike", "coat", "kettle", "lamp", "chair", "radio", "boat", "clock", "tent", "piano")]
        >>> with tk.open_collection("manual", create=True) as manual:
        ...     added = manual.add(subjects, ids=[str(number) for number in range(20)])
        ...     queries = {f"q{number}": text.lower() for number, text in enumerate(subjects)}
        ...     queries |= {f"n{number}": f"Who is number {number}" for number in range(20)}
        ...     judged = {f"q{number}": {str(number): 1} for number in range(20)}
        ...     judged |= {f"n{number}": {str(number): 0} for number in range(20)}
        ...     manual.calibrate(tk.Qrels.from_dict(judged), queries=queries).crossed.queries
        40
    """

    fitted: FittedSearch
    fitted_on: str
    crossed: SearchFigures
    textless: int = 0
    test: SearchFigures | None = None
    learnt: int = 0

    def text(self) -> str:
        """The metrics side by side, what is answered at which risk, and what was fitted."""
        sides = self.sides()
        names = list(dict.fromkeys(name for side in sides.values() for name in side.figures()))
        rows = [[name, *(full(side.figures()[name]) for side in sides.values())] for name in names]
        lines = [text_table(["", *sides], rows), ""]
        for name, side in sides.items():
            shown = ", ".join(
                f"{risk:.3f} of the surest {percent(part, 0)}" for part, risk in side.answering()
            )
            lines.append(f"{name}: answered without a relevant hit: {shown}")
        return "\n".join([*lines, *self.said()])

    def as_dict(self) -> dict[str, Any]:
        """The fit, and the metrics of each side."""
        return {
            "fitted": self.fitted.to_dict(),
            "fitted_on": self.fitted_on,
            "textless": self.textless,
            "figures": {
                name: {
                    "queries": side.queries,
                    "relevant": side.relevant,
                    "absent": side.absent,
                    "figures": side.figures(),
                    "answering": [{"answered": part, "risk": risk} for part, risk in side.answering()],
                }
                for name, side in self.sides().items()
            },
        }

    def sides(self) -> dict[str, SearchFigures]:
        """The measured results by name."""
        found = {f"{self.fitted_on}, cross-validated": self.crossed}
        return found if self.test is None else {**found, "test": self.test}

    def _rows(self) -> Iterator[ResultRow]:
        for name, side in self.sides().items():
            for figure, found in side.figures().items():
                yield {"queries": name, "figure": figure} | with_interval("value", found)

    def _said(self) -> tuple[str, ...]:
        return self.said()

    def said(self) -> tuple[str, ...]:
        """The fitted parameters, their data, and the data that was ignored."""
        relevance = self.fitted.relevance
        reranked = self.fitted.reranking_in_words and f"; of reranked hits {self.fitted.reranking_in_words}"
        threshold = relevance.threshold.threshold
        lines = [
            f"Weights {self.fitted.in_words}{reranked}; probabilities of the first {relevance.k:,} hits; "
            f"fitted on {self.fitted.queries:,} queries, kept in the collection",
            f"For {threshold.goal}: "
            + spelt(f"`min_probability={threshold.value:.4f}`, at which hits have precision ")
            + f"{threshold.precision:.3f} and recall {threshold.recall:.3f}",
        ]
        for name, side in self.sides().items():
            if side.absent:
                lines.append(f"{name}: {side.absent:,} judgements of entries that are not there don't count")
            if side.relevant < side.queries:
                lines.append(f"{name}: {side.queries - side.relevant:,} queries have no relevant entry here")
        if self.crossed.relevant == self.crossed.queries:
            lines.append(
                "each judged query has a relevant entry here, so that what no entry answers was not learnt: "
                "probabilities are too high for it; judge such queries, too"
            )
        if self.textless:
            lines.append(f"{self.textless:,} judged queries have no text, and don't count")
        if self.learnt:
            lines.append(f"{self.learnt:,} test queries are among those fitted on, and don't count")
        return tuple(lines)
