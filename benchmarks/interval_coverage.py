"""Coverage of 95 % intervals with few groups of pairs.

Run: ``python benchmarks/interval_coverage.py [--samples 1000] [--groups 10 20 60] [--kinds even skewed]
[--first-seed 0]``

Samples of pairs are drawn from a known population: groups of equal or of unequal size, with correlated labels
and scores. Every interval of a sample is compared with the value for 160,000 groups. "difference" is that of
two equally good systems, so the truth is 0. "fitted" are the metrics at the best threshold for F1 on the
sample itself, as ``textkin calibrate`` states them without ``--test``, compared with the same threshold in
the population. The coverage of percentile intervals from the same number of resamples is given, too. Samples
have seeds starting at ``--first-seed``, the population has the next one.
"""

from __future__ import annotations

import argparse
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from setting import show_setting
from textkin.data.protocols import PairMeasure
from textkin.measures.decisions.expected_performance import fitted_figures
from textkin.measures.decisions.fit_threshold import fit_threshold
from textkin.measures.decisions.goal import Goal
from textkin.measures.intervals.bootstrap import Interval, bootstrap, components, figure_draws
from textkin.measures.intervals.paired_tests import compare_scores
from textkin.measures.metrics.binary_pairs import (
    accuracy_by_weight,
    confusion,
    f1_by_weight,
    roc_auc_by_weight,
)
from textkin.measures.metrics.correlation import spearman_by_weight
from textkin.measures.metrics.resampled_average_precision import average_precision_by_weight

_Floats = NDArray[np.float64]
RESAMPLES = 300
POPULATION = 160_000
CUT = 0.6
MEASURES: dict[str, PairMeasure] = {
    "AP": average_precision_by_weight,
    "ROC AUC": roc_auc_by_weight,
    "F1": f1_by_weight(CUT),
    "accuracy": accuracy_by_weight(CUT),
}


@dataclass(frozen=True)
class Pairs:
    """Labels, grades, two systems' scores and groups. Shapes [pairs]."""

    labels: _Floats
    grades: _Floats
    one: _Floats
    other: _Floats
    groups: NDArray[np.int64]


def drawn(rng: np.random.Generator, groups: int, kind: str) -> Pairs:
    """A sample of a number of groups: of 6 pairs each, or of 1 to 50 or so."""
    sizes = np.full(groups, 6) if kind == "even" else 1 + rng.geometric(0.12, groups)
    member = np.repeat(np.arange(groups), sizes)
    labels = (rng.random(len(member)) < rng.beta(1.5, 2.5, groups)[member]).astype(np.float64)
    shared, first, second = 0.6 * rng.normal(size=(3, groups))[:, member]
    noise = rng.normal(size=(3, len(member)))
    one = 1.2 * labels + 0.71 * (shared + first) + noise[0]
    other = 1.2 * labels + 0.71 * (shared + second) + noise[1]
    return Pairs(labels, labels + 0.3 * (shared + noise[2]), one, other, member)


def held(groups: int, kind: str, seeds: range) -> Iterator[tuple[str, float, float, float]]:
    """For each metric, the coverage of intervals and percentiles, and the intervals' mean width."""
    everyone = drawn(np.random.default_rng(seeds.stop), POPULATION, kind)
    alike = np.ones((len(everyone.labels), 1))
    truth = {name: float(of(everyone.labels, everyone.one)(alike)[0]) for name, of in MEASURES.items()}
    truth["Spearman"] = float(spearman_by_weight(everyone.grades, everyone.one)(alike)[0])
    rows: dict[str, list[tuple[bool, bool, float]]] = defaultdict(list)

    def take(name: str, found: Interval | tuple[float, float], plain: _Floats, true: float) -> None:
        low, high = (found.low, found.high) if isinstance(found, Interval) else found
        rows[name].append((low <= true <= high, plain[0] <= true <= plain[1], high - low))

    for seed in seeds:
        pairs = drawn(np.random.default_rng(seed), groups, kind)
        if len(set(pairs.labels.tolist())) < 2:
            continue
        n, member = components(pairs.groups)
        of_labels = {name: (of, pairs.labels) for name, of in MEASURES.items()}
        for name, (of, labels) in (of_labels | {"Spearman": (spearman_by_weight, pairs.grades)}).items():
            figure = of(labels, pairs.one)
            ends = (-1.0, 1.0) if name == "Spearman" else (0.0, 1.0)
            draws = figure_draws(figure, member, n, resamples=RESAMPLES, seed=0)
            found = bootstrap(figure, pairs.groups, resamples=RESAMPLES, ends=ends)
            take(name, found, np.nanquantile(draws, [0.025, 0.975]), truth[name])
        gain = compare_scores(
            pairs.labels,
            pairs.one,
            pairs.other,
            pairs.groups,
            measure=average_precision_by_weight,
            rounds=9,
            resamples=RESAMPLES,
        )
        sides = [average_precision_by_weight(pairs.labels, side) for side in (pairs.one, pairs.other)]
        draws = np.subtract(*(figure_draws(of, member, n, resamples=RESAMPLES, seed=0) for of in sides))
        take("difference", (gain.low, gain.high), np.nanquantile(draws, [0.025, 0.975]), 0.0)
        threshold = fit_threshold(pairs.labels, pairs.one, Goal.parse("f1"))
        fitted = fitted_figures(pairs.labels, pairs.one, pairs.groups, threshold, resamples=RESAMPLES)
        cells = confusion(everyone.labels, everyone.one, threshold.value)
        for name, at, true in (
            ("F1", f1_by_weight, cells.f1),
            ("accuracy", accuracy_by_weight, cells.accuracy),
        ):
            figure = at(threshold.value)(pairs.labels, pairs.one)
            draws = figure_draws(figure, member, n, resamples=RESAMPLES, seed=0)
            take(f"fitted {name}", fitted[name], np.nanquantile(draws, [0.025, 0.975]), true)
    for name, found_rows in rows.items():
        inside, plainly, width = np.mean(found_rows, axis=0)
        yield name, float(inside), float(plainly), float(width)


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--samples", type=int, default=1000)
    parser.add_argument("--groups", type=int, nargs="+", default=[10, 20, 60])
    parser.add_argument("--kinds", nargs="+", default=["even", "skewed"], choices=["even", "skewed"])
    parser.add_argument("--first-seed", type=int, default=0)
    given = parser.parse_args(arguments)
    seeds = range(given.first_seed, given.first_seed + given.samples)
    show_setting("numpy")
    for kind in given.kinds:
        for groups in given.groups:
            for name, inside, plainly, width in held(groups, kind, seeds):
                said = f"held {inside:.3f}, percentiles {plainly:.3f}, mean width {width:.3f}"
                print(f"{kind:6s} {groups:3d} groups, {name:15s}: {said}", flush=True)


if __name__ == "__main__":
    main()
