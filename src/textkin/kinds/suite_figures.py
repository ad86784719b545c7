"""A system's main metrics on a suite, without intervals, for model selection in training."""

from typing import Literal

from textkin.data.protocols import System
from textkin.data.records import Suite
from textkin.kinds.duplicates_judge import MiningJudge
from textkin.kinds.judge import Judge
from textkin.kinds.pair_judge import PairJudge
from textkin.kinds.ranking_judge import RetrievalJudge
from textkin.measures.intervals.sampling import Sampling

Part = Literal["pairs", "mining", "search"]
"""The three tasks of a suite: pair classification, duplicate mining, retrieval."""

SUITE_MEASURES = ("nDCG@10", "MRR@10", "MAP@100", "R@100")
"""Retrieval metrics; the first is the main one."""

SUITE_DEPTH = 100
"""The number of documents kept per query."""

_MAIN: dict[Part, str] = {"pairs": "AP", "mining": "AP", "search": SUITE_MEASURES[0]}


def name_of_figure(part: Part) -> str:
    """The name of a part's main metric."""
    return f"{part} {_MAIN[part]}"


def suite_figures(system: System, suite: Suite) -> dict[str, float]:
    """The main metric of each part, by name: "pairs AP", "mining AP", "search nDCG@10".

    Args:
        system: an encoder, since texts are encoded separately.
        suite: the three data sets.

    Raises:
        DataError: one of them has nothing to measure on.
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
