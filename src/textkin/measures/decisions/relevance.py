"""The probability that a hit is relevant, and that a query has any relevant hit.

Two logistic models are fitted on judged queries. The first predicts the relevance of each hit from its scores
and ranks. The second predicts from the probabilities of a query's hits whether any of them is relevant; one
minus that is the probability that the collection doesn't answer the query.

An unjudged hit counts as not relevant. Where judgements are incomplete, as in any pooled test set, the
probabilities are those of being judged relevant, which are too low for being relevant.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from textkin.base.arrays import Bools, Floats, Ints
from textkin.base.errors import DataError, ModelError, not_finite, said
from textkin.base.files import write_json
from textkin.base.json_records import restored
from textkin.measures.decisions.combination import Linear
from textkin.measures.decisions.combination_fit import FOLDS, folds_of, normalisation
from textkin.measures.decisions.conditional_logit import fit_logit
from textkin.measures.decisions.saved_thresholds import FORMAT, MAKE_AGAIN, SavedThreshold, read_decision

_RIDGE = 1.0
_SURE = 1e-6  # bound on probabilities before taking log-odds
_KIND = "relevance"


@dataclass(frozen=True, slots=True, eq=False)
class Hits:
    """The hits of queries with their features.

    Attributes:
        features: finite. Shape [hits, features].
        names: names of the features.
        questions: the query number of each hit; hits of one query are adjacent. Shape [hits].

    Raises:
        DataError: shapes differ, or a number is not finite.
    """

    features: Floats
    names: tuple[str, ...]
    questions: Ints

    def __post_init__(self) -> None:
        if self.features.shape != (len(self.questions), len(self.names)):
            raise DataError(
                f"features of shape {self.features.shape} beside {len(self.questions)} hits and "
                f"{len(self.names)} names"
            )
        if not np.isfinite(self.features).all():
            raise not_finite("a ranking")

    def only(self, kept: Bools) -> Hits:
        """The selected hits; ``kept`` has the shape [hits]."""
        return Hits(self.features[kept], self.names, self.questions[kept])


def fit_logistic(features: Floats, labels: Floats) -> Linear:
    """Fit log-odds to features, with a penalty of half the sum of squared weights.

    Args:
        features: shape [rows, features].
        labels: 1 or 0. Shape [rows].

    Raises:
        DataError: all labels are equal.
    """
    locations, scales = normalisation(features, None)
    weights, intercept = fit_logit((features - locations) / scales, labels, ridge=_RIDGE)
    return Linear(tuple(locations.tolist()), tuple(scales.tolist()), tuple(weights.tolist()), intercept)


def logistic(log_odds: Linear, features: Floats) -> Floats:
    """The probability of rows, shape [rows], from their features, shape [rows, features]."""
    from scipy.special import expit

    return np.asarray(expit(log_odds.combine(features)))


@dataclass(frozen=True, slots=True)
class RelevanceModel:
    """The probability of relevance of each hit, and of any hit of a query.

    Attributes:
        features: names of the features of a hit.
        hit: log-odds of hits.
        answer: log-odds of queries, see :func:`query_features`.
    """

    features: tuple[str, ...]
    hit: Linear
    answer: Linear

    def __post_init__(self) -> None:
        if (len(self.hit.weights), len(self.answer.weights)) != (len(self.features), 2):
            raise ValueError(f"hits have {len(self.hit.weights)} weights, and {len(self.features)} features")

    def of_hits(self, hits: Hits) -> Floats:
        """The probability that each hit is relevant, shape [hits].

        Raises:
            ModelError: the hits have other features.
        """
        if hits.names != self.features:
            raise ModelError(
                f"the probability was fitted on {', '.join(self.features)}, and these hits have "
                f"{', '.join(hits.names)}",
                fix="search by the systems that it was fitted with, or fit it again",
            )
        return logistic(self.hit, hits.features)

    def of_queries(self, of_hits: Floats, questions: Ints) -> Floats:
        """The probability that any hit of a query is relevant, from those of its hits.

        Args:
            of_hits: the result of :meth:`of_hits`. Shape [hits].
            questions: shape [hits].

        Returns:
            One probability per query that has hits, by increasing query number. Shape [queries].
        """
        return logistic(self.answer, query_features(of_hits, questions))


def query_features(of_hits: Floats, questions: Ints) -> Floats:
    """Features of a query: log-odds of its best hit, and of any hit if hits were independent.

    Args:
        of_hits: the probability of each hit. Shape [hits].
        questions: shape [hits].

    Returns:
        Shape [queries, 2].
    """
    member = np.unique(questions, return_inverse=True)[1]
    count = int(member.max(initial=-1)) + 1
    bounded = np.clip(of_hits, _SURE, 1 - _SURE)
    best = np.full(count, -np.inf)
    np.maximum.at(best, member, np.log(bounded) - np.log1p(-bounded))
    none = np.bincount(member, weights=np.log1p(-bounded), minlength=count)
    return np.stack((best, np.log(-np.expm1(none)) - none), axis=1)


def answered(relevant: Floats, questions: Ints) -> Floats:
    """1 for each query with a relevant hit, else 0. Shapes [hits] to [queries]."""
    member = np.unique(questions, return_inverse=True)[1]
    return (np.bincount(member, weights=relevant) > 0).astype(np.float64)


def fit_relevance(hits: Hits, relevant: Floats, *, folds: int = FOLDS, seed: int = 0) -> RelevanceModel:
    """Fit both models on judged queries.

    The model of queries is trained on out-of-fold probabilities of hits, as new queries have.

    Args:
        hits: hits of judged queries.
        relevant: 1 for hits judged relevant, else 0. Shape [hits].
        folds: number of folds of queries.
        seed: seed of the folds.

    Raises:
        DataError: all hits are of one kind (relevant or not), or all queries are (answered or not).
    """
    has_answer = answered(relevant, hits.questions)
    if has_answer.all():
        raise DataError(
            f"each of {len(has_answer):,} queries has a relevant hit, so that nothing tells what has none",
            fix="judge queries that nothing answers, too, or fit on fewer hits: `k`",
        )
    found = np.empty(len(relevant))
    fold = folds_of(hits.questions, folds=folds, seed=seed)
    for number in np.unique(fold).tolist():
        out = fold == number
        found[out] = logistic(fit_logistic(hits.features[~out], relevant[~out]), hits.features[out])
    answer = fit_logistic(query_features(found, hits.questions), has_answer)
    return RelevanceModel(hits.names, fit_logistic(hits.features, relevant), answer)


@dataclass(frozen=True, slots=True, eq=False)
class CrossFitted:
    """Out-of-fold probabilities of queries.

    Attributes:
        of_hits: the probability of each hit. Shape [hits].
        of_queries: the probability that any hit of a query is relevant. Shape [queries].
    """

    of_hits: Floats
    of_queries: Floats


def cross_fitted_relevance(
    hits: Hits, relevant: Floats, *, groups: Ints | None = None, seed: int = 0
) -> CrossFitted:
    """Predict each fold of queries with a model of the others.

    Args:
        hits: hits of judged queries.
        relevant: 1 for hits judged relevant, else 0. Shape [hits].
        groups: the group of dependent queries that each hit belongs to; None if queries are independent.
            Shape [hits].
        seed: seed of the folds.

    Raises:
        DataError: there are too few queries, or the complement of a fold lacks hits or queries of one kind.
    """
    fold = folds_of(hits.questions if groups is None else groups, folds=FOLDS, seed=seed)
    queries, first = np.unique(hits.questions, return_index=True)
    of_hits, of_queries = np.empty(len(relevant)), np.empty(len(queries))
    for number in np.unique(fold).tolist():
        out = fold == number
        model = fit_relevance(hits.only(~out), relevant[~out], folds=FOLDS, seed=seed)
        of_hits[out] = model.of_hits(hits.only(out))
        of_queries[fold[first] == number] = model.of_queries(of_hits[out], hits.questions[out])
    return CrossFitted(of_hits, of_queries)


@dataclass(frozen=True, slots=True)
class SavedRelevance:
    """A probability of relevance with the threshold for showing a hit.

    Attributes:
        model: the models.
        systems: hash of each ranking's system, by its name in the features, in their order.
        depth: number of documents that count in each ranking.
        k: number of hits per query that it was fitted for.
        threshold: the fitted threshold of the probability.
        figures: expected performance on other queries: from metric name to the value and the bounds of its 95
            % interval.
    """

    model: RelevanceModel
    systems: Mapping[str, str]
    depth: int
    k: int
    threshold: SavedThreshold
    figures: Mapping[str, tuple[float, float, float]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if self.k < 1 or self.depth < 1 or not self.systems:
            raise ValueError("it is of no hits, or of no systems")

    def to_dict(self) -> dict[str, Any]:
        """The probability as JSON-compatible values."""
        ranked = [{"name": name, "sha256": sha256} for name, sha256 in self.systems.items()]  # in order
        about = {"kind": _KIND, "format": FORMAT, "unjudged": "not relevant"}
        return {**about, **asdict(self), "systems": ranked, "threshold": self.threshold.to_dict()}

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> SavedRelevance:
        """Read a probability from the result of :meth:`to_dict`.

        Raises:
            ModelError: a field is missing or invalid.
        """
        try:
            systems = {one["name"]: one["sha256"] for one in values["systems"]}
            return restored(cls, {**values, "systems": systems}, finite=True)
        except (KeyError, TypeError, ValueError) as error:
            raise ModelError(f"a stored probability of relevance can't be read: {said(error)}") from error

    def write(self, path: Path | str) -> None:
        """Write the probability to its own file atomically.

        Raises:
            OutputError: the file can't be written.
        """
        write_json(path, self.to_dict())

    @classmethod
    def read(cls, path: Path | str) -> SavedRelevance:
        """Read the file of :meth:`write`.

        Raises:
            DataError: the file can't be read, or has another format.
        """
        place = Path(path)
        values = read_decision(place, kind=_KIND, what="probability of relevance")
        try:
            return cls.from_dict(values)
        except ModelError as error:
            raise DataError(f"is damaged: {error.message}", path=place, fix=MAKE_AGAIN) from error

    def require(self, systems: Mapping[str, str]) -> None:
        """Check that it was fitted for these systems, by their hashes in order.

        Raises:
            ModelError: it was fitted for other systems.
        """
        if list(systems.items()) != list(self.systems.items()):
            raise ModelError(
                f"the probability of relevance was fitted on hits of {', '.join(self.systems)}, and a system "
                f"of {', '.join(systems)} is another one or has changed",
                fix="search by the same systems, or fit it again",
            )
