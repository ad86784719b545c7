"""Incoming texts of a collection, each with its nearest entry and a label.

A labelled sample of these estimates the precision of the next verdict. It depends on three rates at a
threshold: among texts with a duplicate in the collection, how many are linked to it and how many to another
entry; among texts without one, how many are linked. They give the precision at any base rate.
"""

from __future__ import annotations

import base64
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from textkin.base.arrays import Bools, Floats, Floats32, Ints
from textkin.base.errors import DataError
from textkin.measures.decisions.base_rate import shifted
from textkin.measures.decisions.calibration import Calibration, Method, fit_calibration

_ISOTONIC_FROM = 1000


@dataclass(frozen=True, eq=False)
class Arrivals:
    """A labelled sample of incoming texts. All arrays have the shape [texts].

    Attributes:
        scores: similarity of the nearest entry that no rule blocks; minus infinity if there is none.
        right: True if that entry is a duplicate.
        known: True if the text has a duplicate among the entries.
        clusters: cluster of each text; texts of one cluster are not independent.
        weights: number of incoming texts that each one represents; None if all represent the same number.

    Raises:
        DataError: a text's nearest entry is a duplicate but the text is marked as having none, or all texts
            are of one kind.
    """

    scores: Floats32
    right: Bools
    known: Bools
    clusters: Ints
    weights: Floats | None = None

    def __post_init__(self) -> None:
        if (self.right & ~self.known).any():
            raise DataError("a text whose nearest entry says the same has no duplicate")
        for count, kind in ((self.duplicates, "with"), (len(self.known) - self.duplicates, "without")):
            if not count:
                raise DataError(
                    f"none of {len(self.known):,} labelled texts is one {kind} a duplicate",
                    fix="give labels of both kinds",
                )

    @property
    def duplicates(self) -> int:
        """The number of texts that have a duplicate."""
        return int(self.known.sum())

    @property
    def rate(self) -> float:
        """The proportion of texts with a duplicate in this sample, weighted if it has weights."""
        return float(np.average(self.known, weights=self.weights))

    def share(self, flags: Bools, *, base_rate: float) -> float:
        """The expected proportion of flagged texts at a base rate; ``flags`` has the shape [texts]."""
        parts = []
        for kind in (self.known, ~self.known):
            own = None if self.weights is None else self.weights[kind]
            parts.append(float(np.average(flags[kind], weights=own)))
        return base_rate * parts[0] + (1 - base_rate) * parts[1]

    @cached_property
    def curve(self) -> ArrivalCurve:
        """The curve from scores to probabilities."""
        found = np.isfinite(self.scores)
        known = _fitted(self.known[found], self.scores[found])
        of_known = found & self.known
        right = self.right[of_known]
        # Nothing to fit if the nearest entry of every duplicate is right.
        sure = bool(right.all())
        alone = self.known[~found]
        return ArrivalCurve(
            known=known,
            right=None if sure else _fitted(right, self.scores[of_known]),
            alone=(int(alone.sum()) + self.rate) / (len(alone) + 1),
            rate=self.rate,
            texts=len(found),
        )

    def to_dict(self) -> dict[str, Any]:
        """The sample as JSON-compatible values."""
        flags = self.right.astype(np.uint8) + 2 * self.known.astype(np.uint8)
        return {
            "scores": _packed(self.scores.astype("<f4")),
            "kinds": _packed(flags),
            "clusters": _packed(self.clusters.astype("<i8")),
            "weights": None if self.weights is None else _packed(self.weights.astype("<f8")),
        }

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> Arrivals:
        """Read a sample from the result of :meth:`to_dict`.

        Raises:
            DataError: the values describe no sample.
        """
        try:
            scores, kinds, clusters = (
                _unpacked(values[name], kind)
                for name, kind in (("scores", "<f4"), ("kinds", "u1"), ("clusters", "<i8"))
            )
            weights = None if values["weights"] is None else _unpacked(values["weights"], "<f8")
        except (KeyError, TypeError, ValueError) as error:
            raise DataError(f"a labelled sample can't be read: {error}") from error
        if not len(scores) == len(kinds) == len(clusters) or np.isnan(scores).any() or (kinds > 3).any():
            raise DataError("a labelled sample can't be read: its parts don't fit together")
        if weights is not None and (len(weights) != len(scores) or not (weights > 0).all()):
            raise DataError("a labelled sample can't be read: its weights don't fit")
        return cls(
            scores=scores.astype(np.float32),
            right=(kinds & 1).astype(bool),
            known=(kinds & 2).astype(bool),
            clusters=clusters.astype(np.int64),
            weights=None if weights is None else weights.astype(np.float64),
        )


@dataclass(frozen=True, slots=True)
class ArrivalCurve:
    """Curve from scores to the probability that the nearest entry is a duplicate, at any base rate.

    Attributes:
        known: probability that a text has a duplicate, at the sample's base rate.
        right: probability that the nearest entry is the duplicate, given that one exists; None if it always
            was.
        alone: proportion of texts with a duplicate among those without a nearest entry, or with all of them
            blocked.
        rate: the sample's base rate.
        texts: number of texts in the sample, which limits how extreme a probability can be.
    """

    known: Calibration
    right: Calibration | None
    alone: float
    rate: float
    texts: int

    def has_duplicate(self, scores: NDArray[np.floating[Any]]) -> Floats:
        """The probability that a text has a duplicate, at the sample's base rate. Shape [texts]."""
        # If all texts of a curve agreed, the next one may still differ: Laplace's rule of succession.
        least = 1 / (self.texts + 2)
        finite = np.isfinite(scores)
        found = np.full(len(scores), self.alone)
        found[finite] = self.known.probability(scores[finite])
        return np.clip(found, least, 1 - least)

    def probability(self, scores: NDArray[np.floating[Any]], *, base_rate: float) -> Floats:
        """The probability that the nearest entry is a duplicate. Shape [texts]."""
        found = shifted(self.has_duplicate(scores), before=self.rate, after=base_rate)
        finite = np.isfinite(scores)
        found[~finite] = 0.0
        if self.right is not None:
            found[finite] *= self.right.probability(scores[finite])
        return found


def _fitted(labels: Bools, scores: Floats32) -> Calibration:
    if labels.all() or not labels.any():
        raise DataError(
            f"nearest entries of {len(labels):,} labelled texts are all of one kind; probabilities need both",
            fix="give more labels",
        )
    method = Method.ISOTONIC if len(labels) >= _ISOTONIC_FROM else Method.PLATT
    return fit_calibration(labels.astype(np.float64), scores, method=method)


def _unpacked(text: str, kind: str) -> NDArray[Any]:
    return np.frombuffer(base64.b64decode(text, validate=True), dtype=kind)


def _packed(values: NDArray[Any]) -> str:
    return base64.b64encode(values.tobytes()).decode("ascii")
