from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from textkin.measures.decisions.expected_performance import fitted_figures
from textkin.measures.decisions.fit_threshold import fit_threshold
from textkin.measures.decisions.goal import Aim, Goal, GoalRule
from textkin.measures.intervals.bootstrap import bootstrap
from textkin.measures.metrics.binary_pairs import confusion, f1_by_weight

_Floats = NDArray[np.float64]
GOALS = [Goal(Aim.F1), Goal(Aim.ACCURACY), Goal(Aim.PRECISION, 0.6, GoalRule.ESTIMATE), Goal(Aim.RECALL, 0.8)]


def drawn(rng: np.random.Generator, groups: int) -> tuple[_Floats, _Floats, NDArray[np.int64]]:
    clusters = np.repeat(np.arange(groups), 4)
    labels = (rng.random(len(clusters)) < rng.beta(1.5, 2.5, groups)[clusters]).astype(np.float64)
    return labels, labels + 0.7 * rng.normal(size=groups)[clusters] + rng.normal(size=len(labels)), clusters


@pytest.mark.slow
def test_intervals_of_a_fitted_threshold_hold_elsewhere() -> None:
    rng = np.random.default_rng(0)
    labels, scores, _ = drawn(rng, 20_000)
    nested, fixed = [], []
    for _ in range(150):
        here = drawn(rng, 15)
        threshold = fit_threshold(here[0], here[1], Goal(Aim.F1))
        true = confusion(labels, scores, threshold.value)
        found = fitted_figures(*here, threshold, resamples=150)
        nested += [found["F1"].low <= true.f1 <= found["F1"].high]
        nested += [found["accuracy"].low <= true.accuracy <= found["accuracy"].high]
        plain = bootstrap(f1_by_weight(threshold.value)(*here[:2]), here[2], resamples=150)
        fixed.append(plain.low <= true.f1 <= plain.high)
    assert np.mean(nested) >= 0.92
    assert np.mean(fixed) < np.mean(nested)


def test_every_goal_has_its_figures_inside() -> None:
    here = drawn(np.random.default_rng(1), 200)
    for goal in GOALS:
        threshold = fit_threshold(here[0], here[1], goal, clusters=here[2])
        found = fitted_figures(*here, threshold, resamples=60)
        at = confusion(here[0], here[1].astype(np.float32).astype(np.float64), threshold.value)
        assert (found["F1"].value, found["accuracy"].value) == (at.f1, at.accuracy)
        assert all(0 <= one.low < one.value <= one.high <= 1 and one.n == 200 for one in found.values())


def test_the_resamples_fit_as_the_goal_says() -> None:
    # Perfectly separated pairs: every threshold is equally good, and only the small number of groups adds
    # doubt.
    labels, scores = np.repeat([1.0, 0.0], 20), np.concatenate((np.ones(20), np.zeros(20)))
    for goal in GOALS[:2]:
        threshold = fit_threshold(labels, scores, goal)
        found = fitted_figures(labels, scores, np.arange(40), threshold, resamples=50)
        assert found["F1"].value == found["F1"].high == 1
        assert 0.85 < found["F1"].low < 1
