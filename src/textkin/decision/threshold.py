"""Fit the score from which on a pair counts as the same, for a goal that the user states.

A threshold is fitted on one set of pairs (dev) and applied unchanged to others. It lies halfway between two
different scores, so pairs of equal score are never split; scores are compared as float32, the precision in
which scorers give them. A score of minus infinity says that a pair was not found at all: no threshold takes
it.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from enum import StrEnum
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

from textkin.errors import DataError, ModelError, UsageError, did_you_mean
from textkin.metrics.pairwise import Confusion
from textkin.metrics.weighting import check_pairs, same_pairs

_Floats = NDArray[np.float64]


class Aim(StrEnum):
    """What a threshold is fitted for."""

    PRECISION = "precision"  # find as many as possible at this precision
    RECALL = "recall"  # be as precise as possible at this recall
    F1 = "f1"
    ACCURACY = "accuracy"


@final
@dataclass(frozen=True, slots=True, repr=False)
class Goal:
    """An aim, with the level to reach for precision and recall; its text form is what :meth:`parse` reads."""

    aim: Aim
    level: float | None = None

    def __post_init__(self) -> None:
        if (self.level is None) is (self.aim in (Aim.PRECISION, Aim.RECALL)):
            raise UsageError(f"goal {self.aim} with level {self.level}", fix=_FORMS)
        if self.level is not None and not 0 < self.level <= 1:
            raise UsageError(
                f"a {self.aim} of {self.level} can't be aimed at", fix="give 0 to 1, such as 0.95"
            )

    def __str__(self) -> str:
        return self.aim.value if self.level is None else f"{self.aim.value}={self.level}"

    __repr__ = __str__

    @classmethod
    def parse(cls, text: str) -> Goal:
        """Read ``precision=0.95``, ``recall=0.9``, ``f1`` or ``accuracy``.

        Raises:
            UsageError: it is none of these.
        """
        name, equals, level = (part.strip() for part in text.partition("="))
        if name not in list(Aim):
            raise UsageError(
                f"no goal is called {name!r}", fix=did_you_mean(name, [aim.value for aim in Aim])
            )
        try:
            return cls(Aim(name), float(level) if equals else None)
        except ValueError:
            raise UsageError(f"{level!r} in goal {text!r} is not a number", fix=_FORMS) from None


_FORMS = "write precision=0.95, recall=0.9, f1 or accuracy"


@final
@dataclass(frozen=True, slots=True)
class Threshold:
    """A fitted threshold and how it did on the pairs that it was fitted on.

    Attributes:
        value: pairs that score this or more are the same; a float32 number.
        goal: what it was fitted for, as :meth:`Goal.parse` reads it.
        reached: False if no threshold reaches the goal; then this is the nearest that can be had.
        precision: on these pairs.
        recall: on these pairs.
        f1: on these pairs.
        accuracy: on these pairs.
        pairs: how many there were.
        positives: how many of them are the same.
    """

    value: float
    goal: str
    reached: bool
    precision: float
    recall: float
    f1: float
    accuracy: float
    pairs: int
    positives: int

    def decide(self, scores: NDArray[np.floating[Any]]) -> NDArray[np.bool_]:
        """Which pairs are the same, shape [pairs]."""
        return np.greater_equal(scores.astype(np.float32), np.float32(self.value))

    def to_dict(self) -> dict[str, Any]:
        """For JSON."""
        return asdict(self)

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> Threshold:
        """Back from :meth:`to_dict`.

        Raises:
            ModelError: a field is missing or unknown.
        """
        wanted = {field.name for field in fields(cls)}
        if set(values) != wanted:
            odd = ", ".join(sorted(wanted ^ set(values)))
            raise ModelError(f"a threshold has missing or unknown fields: {odd}")
        numbers = {key: value for key, value in values.items() if key not in ("goal", "reached")}
        for key, value in numbers.items():
            if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
                raise ModelError(f"a threshold's {key} is {str(value)[:40]!r}, expected a number")
        if not isinstance(values["goal"], str) or not isinstance(values["reached"], bool):
            raise ModelError("a threshold's goal must be a string, and reached true or false")
        return cls(**values)


def fit_threshold(labels: _Floats, scores: NDArray[np.floating[Any]], goal: Goal) -> Threshold:
    """The best threshold for ``goal`` on these pairs, both of shape [pairs].

    A score of minus infinity is that of a pair that was not found at all.

    Where several do equally well, precision goals take the most precise, recall goals the one that finds
    most, and the others the highest threshold.

    Raises:
        DataError: the pairs are not of both kinds, or a label or score is not what it must be.
    """
    with np.errstate(over="ignore"):
        single = scores.astype(np.float32)
    check_pairs(labels, single.astype(np.float64))
    if np.isposinf(single).any():
        raise DataError("a score is infinite; no threshold can be put beside it")
    same = same_pairs(labels)
    positives = int(same.sum())
    if positives in (0, len(same)):
        kind = "the same" if positives else "different"
        raise DataError(
            f"all {len(same)} pairs are {kind}; a threshold needs both kinds",
            fix="give a file with both labels",
        )
    cuts = _Cuts.of(same, single)
    best, reached = _choose(cuts, goal)
    found, taken = int(cuts.found[best]), int(cuts.taken[best])
    at = Confusion(
        true_positives=found,
        false_positives=taken - found,
        false_negatives=positives - found,
        true_negatives=len(same) - positives - taken + found,
    )
    return Threshold(
        value=float(cuts.values[best]),
        goal=str(goal),
        reached=reached,
        precision=at.precision,
        recall=at.recall,
        f1=at.f1,
        accuracy=at.accuracy,
        pairs=len(same),
        positives=positives,
    )


@final
@dataclass(frozen=True, slots=True, eq=False)
class _Cuts:
    """Every threshold that decides differently, highest first: none of the pairs, ..., all that were found.

    Attributes:
        values: the thresholds. Shape [distinct finite scores + 1], as all below.
        found: how many of the same pairs each takes.
        taken: how many pairs each takes.
        positives: how many pairs are the same.
    """

    values: NDArray[np.float32]
    found: NDArray[np.int64]
    taken: NDArray[np.int64]
    positives: int

    @classmethod
    def of(cls, same: NDArray[np.bool_], scores: NDArray[np.float32]) -> _Cuts:
        rising, step = np.unique(-scores, return_inverse=True)
        levels = -rising
        taken = np.cumsum(np.bincount(step))
        found = np.cumsum(np.bincount(step, weights=same)).astype(np.int64)
        middles = ((levels[:-1].astype(np.float64) + levels[1:]) / 2).astype(np.float32)
        # Between neighbouring float32 numbers there is nothing: the upper one itself divides them.
        middles = np.where(middles > levels[1:], middles, levels[:-1])
        nothing = np.nextafter(levels[:1], np.float32(np.inf))
        values = np.concatenate((nothing, middles, levels[-1:]))
        kept = values > -np.inf
        found, taken = (np.concatenate(([0], counts))[kept] for counts in (found, taken))
        return cls(values[kept], found, taken, int(same.sum()))


def _choose(cuts: _Cuts, goal: Goal) -> tuple[int, bool]:
    """The position of the best cut, and whether it reaches the goal."""
    precision = cuts.found / np.maximum(cuts.taken, 1)
    recall = cuts.found / cuts.positives
    level = goal.level or 0.0
    if goal.aim is Aim.PRECISION:
        fits = (precision >= level) & (cuts.taken > 0)
        if not fits.any():
            return _first_best(precision, recall), False
        return _first_best(np.where(fits, recall, -1.0), precision), True
    if goal.aim is Aim.RECALL:
        fits = recall >= level
        if not fits.any():  # too few of the same pairs were found at all
            return _first_best(recall, precision), False
        return _first_best(np.where(fits, precision, -1.0), recall), True
    if goal.aim is Aim.F1:
        return _first_best(2 * cuts.found / (cuts.taken + cuts.positives)), True
    return _first_best(2 * cuts.found - cuts.taken), True  # right decisions, but for a constant


def _first_best(*keys: NDArray[Any]) -> int:
    """The first position with the largest first key, among equals the largest second key."""
    chosen = np.arange(len(keys[0]))
    for key in keys:
        chosen = chosen[key[chosen] == key[chosen].max()]
    return int(chosen[0])
