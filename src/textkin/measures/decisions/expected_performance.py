"""The expected performance of a fitted threshold on other pairs, estimated without a test set.

F1 at the threshold that maximises it is too optimistic, and so is an interval that treats the threshold as
fixed. Here every resample fits its own threshold. The difference between its F1 on the resample and on the
original pairs estimates the optimism of the threshold fitted to the original pairs.

Source: Efron and Gong, "A leisurely look at the bootstrap, the jackknife, and cross-validation", The American
Statistician 37 (1983), for the optimism of fitted models.
"""

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from textkin.base.arrays import Floats, Ints
from textkin.measures.decisions.candidate_thresholds import Cuts
from textkin.measures.decisions.fit_threshold import Threshold
from textkin.measures.decisions.goal import Aim, Goal
from textkin.measures.intervals.bootstrap import Interval, components, resample_counts
from textkin.measures.intervals.standard_errors import effective_units, limits, spread
from textkin.measures.metrics.weighted import quotient, same_pairs, sums_by


def fitted_figures(
    labels: Floats,
    scores: Floats,
    clusters: Ints,
    threshold: Threshold,
    *,
    resamples: int = 1000,
    seed: int = 0,
) -> Mapping[str, Interval]:
    """Expected F1 and accuracy on other pairs of the same kind, with intervals.

    Args:
        labels: 1 for positive pairs. Shape [pairs].
        scores: finite, shape [pairs].
        clusters: the component of each pair. Shape [pairs].
        threshold: the threshold fitted on these pairs.
        resamples: number of resamples, each with its own threshold.
        seed: seed of the resamples.
    """
    same, single = same_pairs(labels), scores.astype(np.float32)
    cuts = Cuts.of(same, single)
    _, step = np.unique(-single, return_inverse=True)
    units, member = components(clusters)
    found_by = sums_by(step, len(cuts.values) - 1, kept=same)
    taken_by = sums_by(step, len(cuts.values) - 1)
    optimism: dict[str, list[Floats]] = {"F1": [], "accuracy": []}
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
        error = float(np.hypot(spread(drawn, units), bias))  # the correction is an estimate, too
        low, high = limits(min(max(values[name] - bias, 0.0), 1.0), error, units=worth)
        found_limits[name] = Interval(values[name], min(low, values[name]), max(high, values[name]), units)
    return found_limits


def _from_none(sums: Floats) -> Floats:
    """Cumulative counts at each cut, starting with none. [levels, rounds] -> [cuts, rounds]."""
    return np.concatenate((np.zeros((1, sums.shape[1])), np.cumsum(sums, axis=0)))


def _figures(found: NDArray[np.generic], taken: NDArray[np.generic], *, pairs: Floats) -> dict[str, Floats]:
    """F1 and accuracy at each threshold; shapes [cuts, rounds], ``pairs`` [rounds]."""
    right, called = found.astype(np.float64), taken.astype(np.float64)
    return {
        "F1": quotient(2 * right, called + right[-1]),
        "accuracy": quotient(2 * right - called + pairs - right[-1], np.broadcast_to(pairs, right.shape)),
    }


def _best(found: Floats, taken: Floats, there: Mapping[str, Floats], threshold: Threshold) -> Ints:
    """The best cut of each resample; for a goal with a level, the one that reproduces that level."""
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
