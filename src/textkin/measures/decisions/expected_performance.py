"""What a fitted threshold will do on other pairs, where there are none to try it on.

F1 at the threshold that is best for F1 is too good, and so is an interval that takes the threshold for given.
Here every resample fits a threshold of its own: how much better that does on its resample than on the pairs
themselves is how much better this one does on its pairs than on others.

Source: Efron and Gong, "A leisurely look at the bootstrap, the jackknife, and cross-validation", The American
Statistician 37 (1983), for the optimism of what was fitted.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from textkin.measures.decisions.candidate_thresholds import Cuts
from textkin.measures.decisions.fit_threshold import Threshold
from textkin.measures.decisions.goal import Aim, Goal
from textkin.measures.intervals.bootstrap import Interval, components, resample_counts
from textkin.measures.intervals.standard_errors import effective_units, limits, spread
from textkin.measures.metrics.weighted import quotient, same_pairs, sums_by

_Floats = NDArray[np.float64]


def fitted_figures(
    labels: _Floats,
    scores: _Floats,
    clusters: NDArray[np.int64],
    threshold: Threshold,
    *,
    resamples: int = 1000,
    seed: int = 0,
) -> Mapping[str, Interval]:
    """F1 and accuracy on the pairs of the fit, with intervals of what to expect on others of their kind.

    Args:
        labels: 1 for pairs that are the same. Shape [pairs].
        scores: finite, shape [pairs].
        clusters: the component of each pair. Shape [pairs].
        threshold: fitted on these pairs.
        resamples: how many thresholds are fitted.
        seed: of the resamples.
    """
    same, single = same_pairs(labels), scores.astype(np.float32)
    cuts = Cuts.of(same, single)
    _, step = np.unique(-single, return_inverse=True)
    units, member = components(clusters)
    found_by = sums_by(step, len(cuts.values) - 1, kept=same)
    taken_by = sums_by(step, len(cuts.values) - 1)
    optimism: dict[str, list[_Floats]] = {"F1": [], "accuracy": []}
    whole = _figures(cuts.found[:, None], cuts.taken[:, None], pairs=np.array([float(len(same))]))
    rng = np.random.default_rng(seed)
    for counts in resample_counts(rng, units=units, resamples=resamples, rows=2 * len(same)):
        weights = counts[member]
        found, taken = (_from_none(of(weights)) for of in (found_by, taken_by))
        there = _figures(found, taken, pairs=weights.sum(axis=0))
        best = _best(found, taken, there, threshold)
        for name, rows in optimism.items():
            here = whole[name][best, 0]
            rows.append(there[name][best, np.arange(len(best))] - here)
    worth = effective_units(member)
    values = {"F1": threshold.f1, "accuracy": threshold.accuracy}
    found_limits = {}
    for name, parts in optimism.items():
        drawn = np.concatenate(parts)
        bias = float(np.nanmean(drawn))
        error = float(np.hypot(spread(drawn, units), bias))  # what is taken off is an estimate, too
        low, high = limits(min(max(values[name] - bias, 0.0), 1.0), error, units=worth)
        found_limits[name] = Interval(values[name], min(low, values[name]), max(high, values[name]), units)
    return found_limits


def _from_none(sums: _Floats) -> _Floats:
    """What each threshold takes, from the one that takes nothing on. [levels, rounds] -> [cuts, rounds]."""
    return np.concatenate((np.zeros((1, sums.shape[1])), np.cumsum(sums, axis=0)))


def _figures(found: NDArray[np.generic], taken: NDArray[np.generic], *, pairs: _Floats) -> dict[str, _Floats]:
    """F1 and accuracy of each threshold; shapes [cuts, rounds], ``pairs`` [rounds]."""
    right, called = found.astype(np.float64), taken.astype(np.float64)
    return {
        "F1": quotient(2 * right, called + right[-1]),
        "accuracy": quotient(2 * right - called + pairs - right[-1], np.broadcast_to(pairs, right.shape)),
    }


def _best(
    found: _Floats, taken: _Floats, there: Mapping[str, _Floats], threshold: Threshold
) -> NDArray[np.int64]:
    """The cut that each resample would choose; for a level, as low as leaves the level that was had."""
    goal = Goal.parse(threshold.goal)
    if goal.aim is Aim.F1:
        return np.asarray(np.argmax(np.nan_to_num(there["F1"]), axis=0))
    if goal.aim is Aim.ACCURACY:
        return np.asarray(np.argmax(there["accuracy"], axis=0))
    if goal.aim is Aim.PRECISION:
        reached = found >= threshold.precision * taken
        return np.asarray(len(found) - 1 - np.argmax(reached[::-1], axis=0))
    reached = found >= threshold.recall * found[-1]
    return np.asarray(np.argmax(reached, axis=0))
