"""How probable it is that a hit is relevant, and that any of a query's hits is.

Two logistic models, fitted on judged queries. The first says it of each hit, from what every ranking says of
it. The second says of a query whether any of its hits is relevant, from the probabilities of these; one minus
that is the probability that nothing here answers the query.

A hit that nobody judged counts as not relevant. Where judgements are incomplete, as in any pooled test set,
the probabilities are those of being judged relevant, and too low for being relevant.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

from textkin.base.errors import DataError, ModelError, said
from textkin.base.files import write_json
from textkin.measures.decisions.combination_fit import FOLDS, folds_of
from textkin.measures.decisions.conditional_logit import fit_logit
from textkin.measures.decisions.saved_thresholds import FORMAT, MAKE_AGAIN, SavedThreshold, read_decision

_Floats = NDArray[np.float64]
_Ints = NDArray[np.int64]

_RIDGE = 1.0
_SURE = 1e-6  # the nearest to 0 and 1 that a probability is taken for in log-odds
_NEGLIGIBLE = 1e-9
_KIND = "relevance"


@final
@dataclass(frozen=True, slots=True, eq=False)
class Hits:
    """The hits of queries, with what is known of each before anybody judges it.

    Attributes:
        features: finite. Shape [hits, features].
        names: of the features.
        questions: the number of each hit's query; all hits of one stand together. Shape [hits].

    Raises:
        DataError: shapes differ, or a number is not finite.
    """

    features: _Floats
    names: tuple[str, ...]
    questions: _Ints

    def __post_init__(self) -> None:
        if self.features.shape != (len(self.questions), len(self.names)):
            raise DataError(
                f"features of shape {self.features.shape} beside {len(self.questions)} hits and "
                f"{len(self.names)} names"
            )
        if not np.isfinite(self.features).all():
            raise DataError("a ranking gives scores that are no finite numbers", fix="leave it out")

    def only(self, kept: NDArray[np.bool_]) -> Hits:
        """Some of the hits, shape [hits]."""
        return Hits(self.features[kept], self.names, self.questions[kept])


@final
@dataclass(frozen=True, slots=True)
class Logistic:
    """Probability = 1 / (1 + exp(-(intercept + sum of weight * (feature - location) / scale))).

    Attributes:
        locations: of the features where it was fitted.
        scales: likewise, above 0.
        weights: of the standardised features.
        intercept: what is added.
    """

    locations: tuple[float, ...]
    scales: tuple[float, ...]
    weights: tuple[float, ...]
    intercept: float

    @classmethod
    def fit(cls, features: _Floats, labels: _Floats) -> Logistic:
        """Fit with a penalty of half the sum of squared weights.

        Args:
            features: shape [rows, features].
            labels: 1 or 0. Shape [rows].

        Raises:
            DataError: the labels are all the same.
        """
        locations, scales = features.mean(axis=0), features.std(axis=0)
        scales = np.where(scales > _NEGLIGIBLE * np.maximum(np.abs(features).max(axis=0), 1), scales, 1.0)
        weights, intercept = fit_logit((features - locations) / scales, labels, ridge=_RIDGE)
        return cls(tuple(locations.tolist()), tuple(scales.tolist()), tuple(weights.tolist()), intercept)

    def probability(self, features: _Floats) -> _Floats:
        """Of rows, shape [rows], by their features, shape [rows, features]."""
        from scipy.special import expit

        total = np.full(len(features), self.intercept)
        parts = zip(self.locations, self.scales, self.weights, strict=True)
        for column, (location, scale, weight) in enumerate(parts):  # so that equal rows are equal
            total += weight * ((features[:, column] - location) / scale)
        return np.asarray(expit(total))

    def to_dict(self) -> dict[str, Any]:
        """For JSON."""
        return {
            "locations": list(self.locations),
            "scales": list(self.scales),
            "weights": list(self.weights),
            "intercept": self.intercept,
        }

    @classmethod
    def from_dict(cls, values: Mapping[str, Any], *, features: int) -> Logistic:
        """Back from :meth:`to_dict`.

        Raises:
            ModelError: it is no model of so many features.
        """
        try:
            parts = [tuple(map(float, values[key])) for key in ("locations", "scales", "weights")]
            found = cls(parts[0], parts[1], parts[2], float(values["intercept"]))
        except (KeyError, TypeError, ValueError, OverflowError) as error:
            raise ModelError(f"a stored probability can't be read: {said(error)}") from error
        numbers = np.array([*parts[0], *parts[1], *parts[2], found.intercept])
        if {len(one) for one in parts} != {features} or not np.isfinite(numbers).all():
            raise ModelError(f"a stored probability is none of {features} features, or not of numbers")
        if min(found.scales) <= 0:
            raise ModelError("a stored probability has a scale that is not above 0")
        return found


@final
@dataclass(frozen=True, slots=True)
class RelevanceModel:
    """The probability of relevance of each hit, and of any of a query's.

    Attributes:
        names: of the features of a hit.
        hit: their model.
        answer: the model of a query, see :func:`query_features`.
    """

    names: tuple[str, ...]
    hit: Logistic
    answer: Logistic

    def of_hits(self, hits: Hits) -> _Floats:
        """The probability that each hit is relevant, shape [hits].

        Raises:
            ModelError: the hits have other features.
        """
        if hits.names != self.names:
            raise ModelError(
                f"the probability was fitted on {', '.join(self.names)}, and these hits have "
                f"{', '.join(hits.names)}",
                fix="search by the systems that it was fitted with, or fit it again",
            )
        return self.hit.probability(hits.features)

    def of_queries(self, of_hits: _Floats, questions: _Ints) -> _Floats:
        """The probability that any hit of a query is relevant, by the probabilities of these.

        Args:
            of_hits: from :meth:`of_hits`. Shape [hits].
            questions: shape [hits].

        Returns:
            In the order of the numbers of the queries that have hits. Shape [queries].
        """
        return self.answer.probability(query_features(of_hits, questions))

    def to_dict(self) -> dict[str, Any]:
        """For JSON."""
        return {"features": list(self.names), "hit": self.hit.to_dict(), "answer": self.answer.to_dict()}

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> RelevanceModel:
        """Back from :meth:`to_dict`.

        Raises:
            ModelError: a field is missing, or not what it must be.
        """
        try:
            names = tuple(map(str, values["features"]))
            hit, answer = values["hit"], values["answer"]
        except (KeyError, TypeError) as error:
            raise ModelError(f"a stored probability can't be read: {said(error)}") from error
        return cls(
            names, Logistic.from_dict(hit, features=len(names)), Logistic.from_dict(answer, features=2)
        )


def query_features(of_hits: _Floats, questions: _Ints) -> _Floats:
    """What is known of whether a query is answered: log-odds, of the best hit and of any if all stood alone.

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


def answered(relevant: _Floats, questions: _Ints) -> _Floats:
    """1 for each query of which a hit is relevant, else 0. Shapes [hits] to [queries]."""
    member = np.unique(questions, return_inverse=True)[1]
    return (np.bincount(member, weights=relevant) > 0).astype(np.float64)


def fit_relevance(hits: Hits, relevant: _Floats, *, folds: int = FOLDS, seed: int = 0) -> RelevanceModel:
    """Fit both models on judged queries.

    What the model of queries learns from are probabilities of hits by a model that was fitted on other
    queries, as those of new queries will be.

    Args:
        hits: of judged queries.
        relevant: 1 for hits judged relevant, else 0. Shape [hits].
        folds: of queries.
        seed: of these.

    Raises:
        DataError: no hit is relevant, or all are; or all queries, or none, have one that is.
    """
    has_answer = answered(relevant, hits.questions)
    if has_answer.all():
        raise DataError(
            f"each of {len(has_answer):,} queries has a relevant hit, so that nothing tells what has none",
            fix="judge queries that nothing answers, too, or fit on fewer hits: -k",
        )
    found = np.empty(len(relevant))
    fold = folds_of(hits.questions, folds=folds, seed=seed)
    for number in np.unique(fold).tolist():
        out = fold == number
        found[out] = Logistic.fit(hits.features[~out], relevant[~out]).probability(hits.features[out])
    answer = Logistic.fit(query_features(found, hits.questions), has_answer)
    return RelevanceModel(hits.names, Logistic.fit(hits.features, relevant), answer)


@final
@dataclass(frozen=True, slots=True, eq=False)
class CrossFitted:
    """What models say of queries that they were not fitted on.

    Attributes:
        of_hits: the probability of each hit. Shape [hits].
        of_queries: that any hit of a query is relevant. Shape [queries].
    """

    of_hits: _Floats
    of_queries: _Floats


def cross_fitted_relevance(
    hits: Hits, relevant: _Floats, *, groups: _Ints | None = None, folds: int = FOLDS, seed: int = 0
) -> CrossFitted:
    """Each fold of queries by the model that the others give.

    Args:
        hits: of judged queries.
        relevant: shape [hits].
        groups: queries that hang together, by hit; None where each stands alone. Shape [hits].
        folds: of queries.
        seed: of these.

    Raises:
        DataError: there are too few queries, or one fold's complement has not hits and queries of both kinds.
    """
    fold = folds_of(hits.questions if groups is None else groups, folds=folds, seed=seed)
    queries, first = np.unique(hits.questions, return_index=True)
    of_hits, of_queries = np.empty(len(relevant)), np.empty(len(queries))
    for number in np.unique(fold).tolist():
        out = fold == number
        model = fit_relevance(hits.only(~out), relevant[~out], folds=folds, seed=seed)
        of_hits[out] = model.of_hits(hits.only(out))
        of_queries[fold[first] == number] = model.of_queries(of_hits[out], hits.questions[out])
    return CrossFitted(of_hits, of_queries)


@final
@dataclass(frozen=True, slots=True)
class SavedRelevance:
    """A probability of relevance, and from which one on a hit is shown.

    Attributes:
        model: the probability.
        systems: the hash of each ranking's system, by the name that features have of it, in their order.
        depth: so many documents of each ranking count.
        k: so many hits of a query it was fitted on, and holds for.
        threshold: of the probability, for a goal, with what it was fitted on; its scores are probabilities.
        figures: what to expect on other queries: a figure's name to its value and the ends of its 95 %
            interval.
    """

    model: RelevanceModel
    systems: Mapping[str, str]
    depth: int
    k: int
    threshold: SavedThreshold
    figures: Mapping[str, tuple[float, float, float]] = field(default_factory=dict)

    def to_dict(self) -> dict[str, Any]:
        """For JSON."""
        return {
            "kind": _KIND,
            "format": FORMAT,
            "model": self.model.to_dict(),
            "systems": [{"name": name, "sha256": sha256} for name, sha256 in self.systems.items()],
            "depth": self.depth,
            "k": self.k,
            "threshold": self.threshold.to_dict(),
            "unjudged": "not relevant",
            "figures": {name: list(ends) for name, ends in self.figures.items()},
        }

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> SavedRelevance:
        """Back from :meth:`to_dict`.

        Raises:
            ModelError: a field is missing, or not what it must be.
        """
        try:
            found = cls(
                RelevanceModel.from_dict(values["model"]),
                {str(one["name"]): str(one["sha256"]) for one in values["systems"]},
                int(values["depth"]),
                int(values["k"]),
                SavedThreshold.from_dict(values["threshold"]),
                {
                    str(name): (float(value), float(low), float(high))
                    for name, (value, low, high) in values["figures"].items()
                },
            )
        except (KeyError, TypeError, ValueError, OverflowError, AttributeError, IndexError) as error:
            raise ModelError(f"a stored probability of relevance can't be read: {said(error)}") from error
        if found.k < 1 or found.depth < 1 or not found.systems:
            raise ModelError("a stored probability of relevance is of no hits, or of no systems")
        return found

    def write(self, path: Path | str) -> None:
        """Write a file of its own, whole or not at all.

        Raises:
            OutputError: it can't be written.
        """
        write_json(path, self.to_dict())

    @classmethod
    def read(cls, path: Path | str) -> SavedRelevance:
        """Back from :meth:`write`.

        Raises:
            DataError: it can't be read, or is no such file.
        """
        place = Path(path)
        values = read_decision(place, kind=_KIND, what="probability of relevance")
        try:
            return cls.from_dict(values)
        except ModelError as error:
            raise DataError(f"is damaged: {error.message}", path=place, fix=MAKE_AGAIN) from error

    def require(self, systems: Mapping[str, str]) -> None:
        """Make sure that it is for these systems, by their hashes in order.

        Raises:
            ModelError: it was fitted on hits of others.
        """
        if list(systems.items()) != list(self.systems.items()):
            raise ModelError(
                f"the probability of relevance was fitted on hits of {', '.join(self.systems)}, and a system "
                f"of {', '.join(systems)} is another one or has changed",
                fix="search by the same systems, or fit it again",
            )
