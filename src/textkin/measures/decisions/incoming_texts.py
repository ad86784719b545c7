"""Texts that came to a collection, with what was nearest to each, and whether it says the same.

A labelled sample of these tells what a verdict on the next text is worth. Three rates of a threshold do: of
texts with a duplicate in the collection, how many are linked to one, and how many to something else; of
texts without, how many are linked. From them follows the precision at any base rate.
"""

from __future__ import annotations

import base64
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

from textkin.base.errors import DataError
from textkin.measures.decisions.base_rate import shifted
from textkin.measures.decisions.calibration import Calibration, Method, fit_calibration

_Floats = NDArray[np.float64]
_Flags = NDArray[np.bool_]

_ISOTONIC_FROM = 1000


@final
@dataclass(frozen=True, eq=False)
class Arrivals:
    """A labelled sample. All arrays have the shape [texts].

    Attributes:
        scores: the similarity of the nearest entry that no guard forbids; minus infinity if there is none.
        right: whether that entry says the same.
        known: whether any entry does: the text has a duplicate.
        clusters: texts of one cluster are not independent.
        weights: how many texts that came each one stands for; None where each stands for as many.

    Raises:
        DataError: a text's nearest entry says the same and yet it has no duplicate, or one of the two kinds
            of texts is missing.
    """

    scores: NDArray[np.float32]
    right: _Flags
    known: _Flags
    clusters: NDArray[np.int64]
    weights: _Floats | None = None

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
        """How many of the texts have one."""
        return int(self.known.sum())

    @property
    def rate(self) -> float:
        """The share of texts with a duplicate, in this sample; by their weights, if they have any."""
        return float(np.average(self.known, weights=self.weights))

    def share(self, flags: _Flags, *, base_rate: float) -> float:
        """How many texts are flagged where so many have a duplicate; ``flags`` has the shape [texts]."""
        parts = []
        for kind in (self.known, ~self.known):
            own = None if self.weights is None else self.weights[kind]
            parts.append(float(np.average(flags[kind], weights=own)))
        return base_rate * parts[0] + (1 - base_rate) * parts[1]

    @cached_property
    def curve(self) -> ArrivalCurve:
        """Scores to probabilities."""
        found = np.isfinite(self.scores)
        known = _fitted(self.known[found], self.scores[found])
        of_known = found & self.known
        right = self.right[of_known]
        # Where each duplicate's nearest entry is one of its own there is nothing to fit.
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
        """For JSON."""
        flags = self.right.astype(np.uint8) + 2 * self.known.astype(np.uint8)
        return {
            "scores": _packed(self.scores.astype("<f4")),
            "kinds": _packed(flags),
            "clusters": _packed(self.clusters.astype("<i8")),
            "weights": None if self.weights is None else _packed(self.weights.astype("<f8")),
        }

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> Arrivals:
        """Back from :meth:`to_dict`.

        Raises:
            DataError: it is something else.
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


@final
@dataclass(frozen=True, slots=True)
class ArrivalCurve:
    """Scores to the probability that the nearest entry says the same, at any base rate.

    Attributes:
        known: that a text has a duplicate, at the sample's base rate.
        right: that the nearest entry is it, of texts that have one; None if it always was.
        alone: the share of texts with a duplicate where no entry is near, or guards forbid all that are.
        rate: the sample's base rate.
        texts: of the sample, which can't show more than their number.
    """

    known: Calibration
    right: Calibration | None
    alone: float
    rate: float
    texts: int

    def has_duplicate(self, scores: NDArray[np.floating[Any]]) -> _Floats:
        """The probability that a text has a duplicate, at the sample's base rate. Shape [texts]."""
        # Where all of a curve's texts were so, the next one needn't be: Laplace's rule.
        least = 1 / (self.texts + 2)
        finite = np.isfinite(scores)
        found = np.full(len(scores), self.alone)
        found[finite] = self.known.probability(scores[finite])
        likely: _Floats = np.clip(found, least, 1 - least)
        return likely

    def probability(self, scores: NDArray[np.floating[Any]], *, base_rate: float) -> _Floats:
        """The probability that the nearest entry says the same. Shape [texts]."""
        found = shifted(self.has_duplicate(scores), before=self.rate, after=base_rate)
        finite = np.isfinite(scores)
        found[~finite] = 0.0
        if self.right is not None:
            found[finite] *= self.right.probability(scores[finite])
        return found


def _fitted(labels: _Flags, scores: NDArray[np.float32]) -> Calibration:
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
