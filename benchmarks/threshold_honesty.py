"""Validity of promised precisions and stated intervals, on held-out pairs and labelled samples.

Run: ``python benchmarks/threshold_honesty.py PAIRS MODEL... [--splits 200] [--parts promises]
[--first-seed 0]``

``promises``: in every split, a fraction of the pairs is drawn by whole components, a threshold is fitted on
them for a precision, by the lower confidence bound and by the estimate, and its precision on all other pairs
is compared with the goal. A split without a fitted threshold breaks no promise; the number of fitted ones is
given.

``intervals``: the intervals of ``textkin calibrate``: in every split some components of the labelled pairs
are drawn, a threshold is fitted on them for a precision, and its interval there is compared with the
precision of the same threshold on all other pairs. For comparison there are the interval of ``calibrate
--test``, fitted on half of the drawn components and evaluated on the other half, and a percentile bootstrap
over components instead of both. "corrected" widens an interval by that of the held-out value.

``samples``: the intervals of ``textkin dedupe --labelled``: the pairs above a score represent all similar
pairs of some texts, samples of them are drawn as in ``--sample``, their labels are the answers, and the
intervals are compared with the precision of all. Splits and samples have seeds starting at ``--first-seed``.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from setting import show_setting
from textkin.base.errors import PromiseError
from textkin.data.readers import load_pairs
from textkin.kinds.pair_figures import test_set
from textkin.kinds.systems import resolve
from textkin.measures.decisions.fit_threshold import Threshold, fit_threshold
from textkin.measures.decisions.goal import Aim, Goal, GoalRule
from textkin.measures.intervals.bootstrap import Interval, components, figure_draws
from textkin.measures.intervals.proportions import clustered_share
from textkin.measures.intervals.stratified import stratified_share
from textkin.measures.metrics.binary_pairs import precision_by_weight
from textkin.verbs.dedupe.sample import shares, strata

RESAMPLES = 300
PARTS = ("promises", "intervals", "samples")
LEAST_SIMILAR = 0.8  # the 20 % of the pairs with the highest scores represent a deduplication


@dataclass(frozen=True)
class Pairs:
    """Labels, components and one model's scores. Shapes [pairs]."""

    labels: NDArray[np.float64]
    clusters: NDArray[np.int64]
    scores: NDArray[np.float64]

    def where(self, kept: NDArray[np.bool_]) -> Pairs:
        """A subset."""
        return Pairs(self.labels[kept], self.clusters[kept], self.scores[kept])

    def drawn(self, rng: np.random.Generator, size: int) -> NDArray[np.bool_]:
        """A mask of the pairs of randomly drawn components, at most ``size`` pairs."""
        names, member, counts = np.unique(self.clusters, return_inverse=True, return_counts=True)
        order = rng.permutation(len(names))
        taken = np.zeros(len(names), dtype=bool)
        taken[order[np.cumsum(counts[order]) <= size]] = True
        return taken[member]

    def fit(self, goal: Goal) -> Threshold | None:
        """The threshold fitted by ``textkin calibrate``; None if none reaches the goal."""
        try:
            return fit_threshold(self.labels, self.scores, goal, clusters=self.clusters)
        except PromiseError:
            return None

    def precision(self, threshold: Threshold) -> Interval | None:
        """The stated precision; None if nothing is called the same."""
        decided = threshold.decide(self.scores)
        return clustered_share(self.labels[decided] > 0, self.clusters[decided])

    def bootstrapped(self, threshold: Threshold) -> Interval | None:
        """The same by a percentile bootstrap over the components of positives."""
        taken = self.where(threshold.decide(self.scores))
        if not len(taken.labels):
            return None
        figure = precision_by_weight(threshold.value)(taken.labels, taken.scores)
        n, member = components(taken.clusters)
        draws = figure_draws(figure, member, n, resamples=RESAMPLES, seed=0)
        low, high = np.nanquantile(draws, [0.025, 0.975]).tolist()
        return Interval(float(taken.labels.mean()), low, high, n)


class Held:
    """The coverage of intervals."""

    def __init__(self) -> None:
        self.rows: list[tuple[bool, bool, bool, bool, float]] = []

    def take(self, stated: Interval | None, found: Interval) -> None:
        """Compare an interval with a value, which has its own interval; None isn't counted."""
        if stated is None:
            return
        low, high, value = stated.low, stated.high, found.value
        below = stated.value - np.hypot(stated.value - low, found.high - value)
        above = stated.value + np.hypot(high - stated.value, value - found.low)
        inside = low <= value <= high
        self.rows.append((inside, below <= value <= above, value < low, value > high, high - low))

    def __str__(self) -> str:
        if not self.rows:
            return "nothing stated"
        inside, corrected, below, above, width = np.mean(self.rows, axis=0)
        return (
            f"held {inside:.3f}, corrected {corrected:.3f}, below {below:.3f}, above {above:.3f}, "
            f"mean width {width:.3f}"
        )


def promises(pairs: Pairs, level: float, share: float, seeds: range) -> Iterator[str]:
    """The coverage of promised precisions of fitted thresholds on held-out pairs."""
    fitted: dict[GoalRule, list[tuple[bool, float, float]]] = {rule: [] for rule in GoalRule}
    for seed in seeds:
        drawn = pairs.drawn(np.random.default_rng(seed), int(share * len(pairs.labels)))
        labelled, others = pairs.where(drawn), pairs.where(~drawn)
        for rule, found in fitted.items():
            threshold = labelled.fit(Goal(Aim.PRECISION, level, rule))
            if threshold is not None:
                decided, same = threshold.decide(others.scores), others.labels > 0
                precision = float(same[decided].mean()) if decided.any() else 1.0
                found.append((precision >= level, precision, float(decided[same].mean())))
    yield f"precision {level:g}, {share:.0%} of the labels, {len(seeds)} splits"
    for rule, found in fitted.items():
        kept = 1 - sum(not row[0] for row in found) / len(seeds)
        said = f"  {rule.value:9s} fitted in {len(found) / len(seeds):.3f}, kept in {kept:.3f} of all splits"
        if found:
            of_fitted, precision, recall = np.mean(found, axis=0)
            said += f", in {of_fitted:.3f} of these; precision {precision:.3f}, recall {recall:.3f}"
        yield said


def calibrations(pairs: Pairs, goal: Goal, size: int, seeds: range) -> Iterator[str]:
    """Intervals of fitted thresholds against held-out pairs."""
    names = ("calibrate", "calibrate --test", "bootstrap", "bootstrap, --test")
    held = {name: Held() for name in names}
    reached, far, found_there = [], [], []
    for seed in seeds:
        rng = np.random.default_rng(seed)
        drawn = pairs.drawn(rng, size)
        labelled, others = pairs.where(drawn), pairs.where(~drawn)
        half = labelled.drawn(rng, size // 2)
        threshold, of_half = labelled.fit(goal), labelled.where(half).fit(goal)
        there = None if threshold is None else others.precision(threshold)
        of_half_there = None if of_half is None else others.precision(of_half)
        if threshold is not None and there is not None:
            held["calibrate"].take(labelled.precision(threshold), there)
            held["bootstrap"].take(labelled.bootstrapped(threshold), there)
            reached.append(threshold.precision)
            far.append(there.value)
            found_there.append(int(threshold.decide(labelled.scores).sum()))
        if of_half is not None and of_half_there is not None:
            judged = labelled.where(~half)
            held["calibrate --test"].take(judged.precision(of_half), of_half_there)
            held["bootstrap, --test"].take(judged.bootstrapped(of_half), of_half_there)
    if not reached:
        yield f"{goal}, {size:,} pairs labelled: no threshold in any split"
        return
    yield (
        f"{goal}, {size:,} pairs labelled, fitted in {len(reached)} of {len(seeds)} splits: "
        f"{np.mean(found_there):.0f} taken, precision {np.mean(reached):.3f} where fitted, "
        f"{np.mean(far):.3f} held back"
    )
    for name, rows in held.items():
        yield f"  {name:18s} {rows} ({len(rows.rows)} splits)"


def samples(pairs: Pairs, answers: int, seeds: range, wanted: float) -> Iterator[str]:
    """Intervals of labelled samples against the labels of all pairs."""
    scores, same = pairs.scores.astype(np.float32), pairs.labels > 0
    lowest = float(np.quantile(scores, LEAST_SIMILAR))
    cut = float(np.quantile(scores[scores >= lowest], LEAST_SIMILAR))
    kept = scores >= np.float32(lowest)
    scores, same = scores[kept], same[kept]
    ranges = strata(scores, cut, lowest=lowest)
    member, parts = ranges.of(scores), len(ranges.edges)
    yes = np.bincount(member[same & (member >= 0)], minlength=parts)
    judged = shares(ranges, scores, cut, answers)
    everywhere, chosen = Held(), Held()
    for seed in seeds:
        drawn = np.random.default_rng(seed).hypergeometric(yes, ranges.pairs - yes, judged)
        best: tuple[Interval, Interval] | None = None
        for part in reversed(range(parts)):
            stated = stratified_share(drawn[part:], judged[part:], ranges.pairs[part:])
            true = float(yes[part:].sum() / ranges.pairs[part:].sum())
            if stated is not None:
                everywhere.take(stated, Interval(true, true, true, 0))
                if stated.value >= wanted:
                    best = stated, Interval(true, true, true, 0)
        if best is not None:
            chosen.take(*best)
    truth = [float(yes[part:].sum() / ranges.pairs[part:].sum()) for part in range(parts)]
    yield (
        f"{answers} answers on {ranges.pairs.sum():,} pairs in {parts} ranges, precision {min(truth):.3f} to "
        f"{max(truth):.3f}"
    )
    yield f"  every threshold    {everywhere} ({len(everywhere.rows)} intervals)"
    yield f"  --precision {wanted:<6g} {chosen} ({len(chosen.rows)} samples)"


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("pairs", type=Path)
    parser.add_argument("models", nargs="+", metavar="MODEL")
    parser.add_argument("--splits", type=int, default=200)
    parser.add_argument("--sizes", type=int, nargs="+", default=[300, 1000, 5000])
    parser.add_argument("--parts", nargs="+", default=PARTS, choices=PARTS)
    parser.add_argument("--levels", type=float, nargs="+", default=[0.95, 0.9, 0.8])
    parser.add_argument("--shares", type=float, nargs="+", default=[0.1, 0.5])
    parser.add_argument("--rule", default=GoalRule.LOWER_END, choices=list(GoalRule))
    parser.add_argument("--answers", type=int, nargs="+", default=[80, 200, 400])
    parser.add_argument("--first-seed", type=int, default=0)
    given = parser.parse_args(arguments)
    data = load_pairs(given.pairs).data
    test = test_set(data)
    texts = list(dict.fromkeys(text for pair in data.texts for text in pair))
    counts = np.unique(test.clusters, return_counts=True)[1]
    show_setting("numpy")
    print(
        f"{len(data):,} pairs, {test.labels.mean():.1%} the same, in {len(counts):,} components, the largest "
        f"of {counts.max()}; {given.splits} splits"
    )
    for name in given.models:
        scores = resolve(name, fit_texts=texts).score(data.texts).astype(np.float64)
        pairs = Pairs(test.labels, test.clusters, scores)
        for part in given.parts:
            print(f"\n{name}: {part}")
            for line in _said(part, pairs, given):
                print(line, flush=True)


def _seeds(given: argparse.Namespace, times: int = 1) -> range:
    return range(given.first_seed, given.first_seed + times * given.splits)


def _said(part: str, pairs: Pairs, given: argparse.Namespace) -> Iterator[str]:
    """The lines of one part on one model's scores."""
    if part == "samples":
        for answers in given.answers:
            yield from samples(pairs, answers, _seeds(given, 5), 0.8)
        return
    for level in given.levels:
        if part == "promises":
            for share in given.shares:
                yield from promises(pairs, level, share, _seeds(given))
        else:
            for size in given.sizes:
                yield from calibrations(pairs, Goal(Aim.PRECISION, level, given.rule), size, _seeds(given))


if __name__ == "__main__":
    main()
