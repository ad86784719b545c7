"""The main figures of one system on a suite, without intervals: what a training run chooses by."""

from __future__ import annotations

from typing import Literal

from textkin.data.protocols import System
from textkin.data.records import Suite
from textkin.kinds.duplicates_judge import MiningJudge
from textkin.kinds.judge import Judge
from textkin.kinds.pair_figures import Sampling
from textkin.kinds.pair_judge import PairJudge
from textkin.kinds.ranking_judge import RetrievalJudge

Part = Literal["pairs", "mining", "search"]
"""The three ways of a suite: tell pairs apart, find duplicates, search a collection."""

SUITE_MEASURES = ("nDCG@10", "RR@10", "AP@100", "R@100")
"""Of searching; the first is the main one."""

SUITE_DEPTH = 100
"""So many documents are kept for a query."""

_MAIN: dict[Part, str] = {"pairs": "AP", "mining": "AP", "search": SUITE_MEASURES[0]}


def name_of_figure(part: Part) -> str:
    """How the main figure of a part is called."""
    return f"{part} {_MAIN[part]}"


def suite_figures(system: System, suite: Suite) -> dict[str, float]:
    """The main figure of each part, by its name: "pairs AP", "mining AP", "search nDCG@10".

    Args:
        system: an encoder, since texts are to be placed alone.
        suite: the three data sets.

    Raises:
        DataError: there is nothing to measure on in one of them.
    """
    sampling = Sampling()
    judges: dict[Part, Judge] = {
        "pairs": PairJudge(suite.pairs, sampling=sampling),
        "mining": MiningJudge(suite.duplicates, sampling=sampling),
        "search": RetrievalJudge(
            suite.collection, measures=SUITE_MEASURES[:1], sampling=sampling, depth=SUITE_DEPTH
        ),
    }
    for judge in judges.values():
        judge.take("it", system)
    return {name_of_figure(part): judge.value("it") for part, judge in judges.items()}
