"""A probability of relevance, fitted to a goal on judged queries, and its expected quality.

Metrics and threshold come from probabilities cross-fitted by query. The threshold's guarantee holds for hits
of queries like the judged ones; unjudged hits count as not relevant.
"""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from textkin.base.arrays import Floats, Ints
from textkin.data.protocols import ByWeight
from textkin.kinds.judge import estimate
from textkin.measures.decisions import relevance
from textkin.measures.decisions.fit_threshold import fit_threshold
from textkin.measures.decisions.goal import Goal
from textkin.measures.decisions.saved_thresholds import SavedThreshold
from textkin.measures.intervals.bootstrap import bootstrap
from textkin.measures.intervals.sampling import Sampling
from textkin.measures.metrics.calibration import calibration_error_by_weight
from textkin.measures.metrics.risk_coverage import RiskCoverage, risk_area_by_weight, risk_coverage
from textkin.measures.metrics.weighted import quotient
from textkin.report.content import Estimate


@dataclass(frozen=True, slots=True, eq=False)
class JudgedHits:
    """Hits of judged queries, and their source.

    Attributes:
        hits: the features of the hits.
        relevant: 1 where judged relevant, else 0. Shape [hits].
        systems: see :class:`SavedRelevance`.
        depth: see :class:`SavedRelevance`.
        k: see :class:`SavedRelevance`.
        name: the name of the judgements.
        sha256: their hash.
        groups: groups of related queries, by hit; None if all are independent. Shape [hits].
    """

    hits: relevance.Hits
    relevant: Floats
    systems: Mapping[str, str]
    depth: int
    k: int
    name: str
    sha256: str
    groups: Ints | None = None


@dataclass(frozen=True, slots=True, eq=False)
class RelevanceFigures:
    """The quality of a probability of relevance on queries it was not fitted on.

    Attributes:
        figures: ECE of hits and of queries, the area under the curve, the fractions of relevant hits and of
            queries with such a hit; intervals are over queries.
        curve: the fraction of answered queries without a relevant hit, by the number answered.
    """

    figures: Mapping[str, Estimate]
    curve: RiskCoverage


def fit_for_goal(
    judged: JudgedHits, goal: Goal, *, sampling: Sampling
) -> tuple[relevance.SavedRelevance, RelevanceFigures]:
    """Fit a model and a threshold on all judged queries, with expected metrics on others.

    Raises:
        DataError: there are too few queries, or all hits are relevant, or none is.
        PromiseError: no threshold reaches the goal.
    """
    hits, relevant = judged.hits, judged.relevant
    told = relevance.cross_fitted_relevance(hits, relevant, groups=judged.groups, seed=sampling.seed)
    found = relevance_figures(hits, relevant, told.of_hits, told.of_queries, sampling=sampling)
    threshold = fit_threshold(relevant, told.of_hits, goal, clusters=hits.questions)
    model = relevance.fit_relevance(hits, relevant, seed=sampling.seed)
    ends = {
        name: (one.value, one.low, one.high)
        for name, one in found.figures.items()
        if one.low is not None and one.high is not None
    }
    saved = SavedThreshold(threshold, judged.name, judged.sha256)
    return relevance.SavedRelevance(model, judged.systems, judged.depth, judged.k, saved, ends), found


def relevance_figures(
    hits: relevance.Hits, relevant: Floats, of_hits: Floats, of_queries: Floats, *, sampling: Sampling
) -> RelevanceFigures:
    """Metrics of probabilities on queries that the model was not fitted on.

    Args:
        hits: the hits of judged queries.
        relevant: 1 for relevant hits. Shape [hits].
        of_hits: the probability of each hit. Shape [hits].
        of_queries: the probability that any hit of a query is relevant. Shape [queries].
        sampling: settings of intervals.

    Raises:
        DataError: there are no hits, or a probability is invalid.
    """
    has_answer = relevance.answered(relevant, hits.questions)
    queries = np.arange(len(has_answer))
    wanted: dict[str, tuple[ByWeight, Ints]] = {
        "ECE of hits": (calibration_error_by_weight(relevant, of_hits), hits.questions),
        "ECE of queries": (calibration_error_by_weight(has_answer, of_queries), queries),
        "risk area": (risk_area_by_weight(1 - has_answer, of_queries), queries),
        "relevant": (_mean(relevant), hits.questions),
        "answered": (_mean(has_answer), queries),
    }
    figures = {
        name: estimate(bootstrap(figure, clusters, resamples=sampling.resamples, seed=sampling.seed))
        for name, (figure, clusters) in wanted.items()
    }
    return RelevanceFigures(figures, risk_coverage(1 - has_answer, of_queries))


def _mean(values: Floats) -> ByWeight:
    return lambda weights: quotient(values @ weights, weights.sum(axis=0))
