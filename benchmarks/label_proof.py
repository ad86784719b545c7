"""Validity of ``textkin label``'s proofs, and the number of labels that a proof takes.

Run: ``python benchmarks/label_proof.py PAIRS [--model default] [--replays 1000] [--goal 0.95] [--most 2000]``
PAIRS are labelled pairs. They are scored by the model; from the fifth with the highest scores, pairs are
removed at random until their precision is that of a row, above the goal or just below it. Then sessions are
replayed with the labels as answers, and checked after each of them. Pairs are drawn without replacement, as
by the command. ``--whole 200`` keeps that many pairs of the fifth.

With ``--strata`` nothing is replayed: it prints the minimum expected number of labels of any proof, for
simple draws and for draws from strata of scores with any allocation. With ``--sample`` pairs are drawn from
four strata, as ``dedupe --sample`` does, and the test is that of ``dedupe --labelled --proof``. With
``--recall`` sessions continue below the fifth, as in ``label --recall``, and the bound on the recall is
compared with the truth after every tenth label. With ``--people`` a fifth of the pairs is labelled by two
people, the second of whom errs on one in twenty.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

import textkin as tk
from setting import show_setting
from textkin.measures.intervals.betting import BlindDraws, needed, proven_after, proven_count, wealth
from textkin.measures.intervals.finite_counts import least_so, most_so
from textkin.measures.labels.draws import DrawnLabels, told
from textkin.verbs.use.scored import Scored

ROWS = (1.0, 0.99, 0.98, 0.97, 0.9499, 0.94)  # precisions of the remaining pairs
LOOK = 10  # labels between two checks of a bound


def scored(path: Path, model: str) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    """The scores and labels of pairs, the highest score first."""
    pairs = tk.load_pairs(path).data.pairs
    found = tk.score([(one.a, one.b) for one in pairs], model=model)
    assert isinstance(found, Scored)  # noqa: S101 - of several pairs
    scores = found.scores
    order = np.argsort(-scores, kind="stable")
    return scores[order].astype(np.float64), np.array([bool(one.label) for one in pairs])[order]


def thinned(same: NDArray[np.bool_], precision: float, random: np.random.Generator) -> NDArray[np.bool_]:
    """The labels with some pairs of one kind removed, so that a precision is just met, or missed."""
    yes, no = np.flatnonzero(same), np.flatnonzero(~same)
    if precision >= 1:
        return same[yes]
    wanted_no = int(np.ceil(len(yes) * (1 - precision) / precision))
    if wanted_no <= len(no):
        no = random.choice(no, wanted_no, replace=False)
    else:
        yes = random.choice(yes, int(len(no) * precision / (1 - precision)), replace=False)
    return same[np.sort(np.concatenate([yes, no]))]


def replayed(left: NDArray[np.bool_], options: argparse.Namespace, random: np.random.Generator) -> int | None:
    """The number of labels at which a session proves the goal; None if it doesn't."""
    drawn, least = random.permutation(left)[: options.most], needed(options.goal, len(left))
    for count in (200, 600, options.most):  # the first labels are the most informative, and take less time
        found = proven_after(wealth(BlindDraws.of(drawn[:count], whole=len(left)), least=least))
        if found is not None:
            return found
    return None


def reduced(
    left: NDArray[np.bool_], whole: int | None, goal: float, random: np.random.Generator
) -> NDArray[np.bool_]:
    """A number of the labels, with about the same precision, and below the goal if all are."""
    if whole is None:
        return left
    no = round(whole * (1 - left.mean()))
    if left.mean() < goal:
        no = max(no, whole - needed(goal, whole) + 1)
    return random.permutation(np.arange(whole) >= no)


def divergence(share: NDArray[np.float64], other: NDArray[np.float64]) -> NDArray[np.float64]:
    """The divergence of Bernoulli labels with one probability from those with another, in nats."""
    from scipy.special import rel_entr

    return rel_entr(share, other) + rel_entr(1 - share, 1 - other)


def fewest_on_average(
    rates: NDArray[np.float64], weights: NDArray[np.float64], goal: float, error: float
) -> float:
    """The minimum expected number of labels for any valid test that eventually proves the goal.

    The information of a label of each stratum is at most the divergence of its precision from one that would
    miss the goal. The optimal allocation equalises this, so it is searched for.
    """

    def lowest(told: float) -> NDArray[np.float64]:
        low, high = np.zeros(len(rates)), rates.copy()
        for _ in range(60):
            middle = (low + high) / 2
            far = divergence(rates, middle) > told
            low, high = np.where(far, middle, low), np.where(far, high, middle)
        return high

    low, high = 0.0, 1.0
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if weights @ lowest(middle) > goal else (low, middle)
    return float(np.log(1 / error) / high)


def bounded(same: NDArray[np.bool_], options: argparse.Namespace) -> None:
    """Print the minimum expected number of labels of a proof, for simple draws and for strata."""
    counts = (1, 4, 8)
    print(f"{'precision':>10}", *(f"{one:>10,} strata" for one in counts), " precision of each fourth")
    for precision in (1.0, 0.99, 0.98, 0.97):
        found: dict[int, list[float]] = {one: [] for one in counts}
        random, fourths = np.random.default_rng(0), np.zeros(4)
        # The means of many thinned sets are the rates: a single set's few errors would look like a pattern.
        lefts = [thinned(same, precision, random) for _ in range(options.replays)]
        for one in counts:
            parts = np.array([[part.mean() for part in np.array_split(left, one)] for left in lefts])
            rates = np.minimum(parts.mean(axis=0), 1 - 1e-12)
            found[one].append(fewest_on_average(rates, np.full(one, 1 / one), options.goal, 0.05))
            fourths = rates if one == 4 else fourths
        print(
            f"{precision:10.4f}",
            *(f"{np.mean(one):17,.0f}" for one in found.values()),
            " ",
            *(f"{one:.4f}" for one in fourths),
        )


def sampled(same: NDArray[np.bool_], options: argparse.Namespace) -> None:
    """Print the number of labels of a proof for draws without replacement, simple or by strata."""
    print(f"{'precision':>10} {'draws':28} {'proven':>8} {'median':>8} {'mean':>8}")
    shares = {"all alike": [1.0], "four strata, in proportion": [0.25] * 4}
    for precision in (1.0, 0.99, 0.98, 0.97, 0.9499):
        random = np.random.default_rng(0)
        took: dict[str, list[int | None]] = {name: [] for name in shares}
        for _ in range(options.replays):
            left = thinned(same, precision, random)
            for name, share in shares.items():
                took[name].append(sampled_once(left, np.array(share), options, random))
        for name, counts in took.items():
            proven = np.mean([one is not None for one in counts])
            needed = np.array([options.most if one is None else one for one in counts])
            print(
                f"{precision:10.4f} {name:28} {proven:8.3f} {np.median(needed):8,.0f} {needed.mean():8,.0f}"
            )


def sampled_once(
    left: NDArray[np.bool_],
    shares: NDArray[np.float64],
    options: argparse.Namespace,
    random: np.random.Generator,
) -> int | None:
    """The number of labels that prove the goal, checked after every tenth; None if it isn't proven."""
    parts = [random.permutation(part) for part in np.array_split(left, len(shares))]
    sizes = np.array([len(part) for part in parts])
    for count in range(LOOK, options.most + 1, LOOK):
        drawn = np.minimum(np.round(count * shares).astype(int), sizes)
        yes = [int(part[:n].sum()) for part, n in zip(parts, drawn, strict=True)]
        if least_so(yes, drawn, sizes) >= options.goal * len(left):
            return int(drawn.sum())
    return None


def recalls(same: NDArray[np.bool_], above: int, options: argparse.Namespace) -> None:
    """Print how often the bound on the recall is ever too high, and its values."""
    print(
        f"{'same below':>10} {'recall':>8} {'too high':>8} {'missed':>8} {'100':>8} {'300':>8} {'1,000':>8}"
    )
    for kept in (1.0, 0.3, 0.1, 0.0):
        random = np.random.default_rng(0)
        found, wrong, too_few, true = [], 0, 0, 0.0
        for _ in range(options.replays):
            head = thinned(same[:above], 0.98, random)
            tail = same[above:] & (random.random(len(same) - above) < kept)
            bounds, is_wrong, misses = recall_once(head, tail, random)
            true = float(head.sum() / (head.sum() + tail.sum()))
            found.append(bounds)
            wrong, too_few = wrong + is_wrong, too_few + misses
        rates = [wrong / options.replays, too_few / options.replays, *np.mean(found, axis=0)]
        print(f"{tail.sum():10,} {true:8.3f}", *(f"{one:8.3f}" for one in rates))


def recall_once(
    head: NDArray[np.bool_], tail: NDArray[np.bool_], random: np.random.Generator
) -> tuple[list[float], bool, bool]:
    """The bound after 100, 300 and 1,000 labels below; True if it, or the misses, were ever wrong."""
    drawn = DrawnLabels((0.0,), (len(head),), len(head) + len(tail), (), {}, bounds_recall=True)
    labels, whole = random.permutation(head)[:600], len(head)
    draws = BlindDraws.of(labels, whole=whole)
    proven = proven_after(wealth(draws, least=needed(0.95, whole)), error=drawn.part) or len(labels)
    least = proven_count(BlindDraws.of(labels[:proven], whole=whole), error=drawn.part)
    truth, found, was_wrong, missed_wrong = head.sum() / (head.sum() + tail.sum()), [], False, False
    ranges = [(start - len(head), end - len(head)) for start, end in drawn.ranges(len(head))]
    parts = [random.permutation(tail[start:end]) for start, end in ranges]
    sizes, yes, n = (
        np.array([len(part) for part in parts]),
        np.zeros(len(parts)),
        np.zeros(len(parts), dtype=int),
    )
    best = 0.0
    for count in range(0, 1_001, LOOK):
        most = most_so(yes, n, sizes, error=drawn.part)
        missed_wrong |= most.total < tail.sum()
        best = max(best, least / (least + most.total))
        was_wrong |= best > truth
        if count in (100, 300, 1_000):
            found.append(best)
        tells = [
            told((yes[one] + 0.25) / (n[one] + 1.25), (most.parts[one] - yes[one]) / (sizes[one] - n[one]))
            if n[one] < sizes[one]
            else -1.0
            for one in range(len(parts))
        ]
        part = int(np.argmax(tells))
        n[part] = min(n[part] + LOOK, sizes[part])
        yes[part] = parts[part][: n[part]].sum()
    return found, bool(was_wrong), bool(missed_wrong)


def people(same: NDArray[np.bool_], options: argparse.Namespace) -> None:
    """Print the number of labels of a proof if a second person errs, settled or not."""
    print(f"{'precision':>10} {'disagreements':16} {'proven':>8} {'median':>8} {'mean':>8}")
    for precision in (0.99, 0.98, 0.9499):
        for settled in (True, False):
            random, took = np.random.default_rng(0), []
            for _ in range(options.replays):
                left = thinned(same, precision, random)
                disputed = (random.random(len(left)) < 0.2) & (random.random(len(left)) < 0.05)
                counts = left if settled else left & ~disputed  # until it is settled, neither
                took.append(replayed(counts, options, random))
            proven = np.mean([one is not None for one in took])
            needed = np.array([options.most if one is None else one for one in took])
            words = "settled" if settled else "open"
            print(
                f"{precision:10.4f} {words:16} {proven:8.3f} {np.median(needed):8,.0f} {needed.mean():8,.0f}"
            )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("pairs", type=Path)
    parser.add_argument("--model", default="default")
    parser.add_argument("--replays", type=int, default=1_000)
    parser.add_argument("--goal", type=float, default=0.95)
    parser.add_argument("--most", type=int, default=2_000, help="labels of a session")
    parser.add_argument("--whole", type=int, help="pairs of the fifth that are left")
    parser.add_argument("--rows", type=float, nargs="+", default=ROWS, metavar="P", help="precisions")
    parser.add_argument("--strata", action="store_true", help="how few labels a proof can take")
    parser.add_argument("--sample", action="store_true", help="prove by draws without replacement")
    parser.add_argument("--recall", action="store_true", help="bound the recall of the fifth")
    parser.add_argument("--people", action="store_true", help="let two people judge a fifth of the pairs")
    options = parser.parse_args()
    show_setting("numpy")
    scores, same = scored(options.pairs, options.model)
    above = scores >= np.quantile(scores, 0.8)
    print(f"{options.model}: {above.sum():,} of {len(same):,} pairs, the fifth with the highest scores")
    for name, compare in {"strata": bounded, "sample": sampled, "people": people}.items():
        if getattr(options, name):
            compare(same[above], options)
            return
    if options.recall:
        recalls(same, int(above.sum()), options)
        return
    print(f"{'precision':>10} {'pairs':>8} {'proven':>8} {'median':>8} {'mean':>8} {'90 %':>8}")
    for precision in options.rows:
        random = np.random.default_rng(0)
        took = []
        for _ in range(options.replays):
            left = reduced(thinned(same[above], precision, random), options.whole, options.goal, random)
            took.append(replayed(left, options, random))
        proven = [one for one in took if one is not None]
        share = len(proven) / len(took)
        if precision < options.goal:
            print(f"{left.mean():10.4f} {len(left):8,} {share:8.3f}")
            continue
        counts = np.array([options.most if one is None else one for one in took])
        tail = f"{np.median(counts):8,.0f} {counts.mean():8,.0f} {np.quantile(counts, 0.9):8,.0f}"
        print(f"{left.mean():10.4f} {len(left):8,} {share:8.3f} {tail}")


if __name__ == "__main__":
    main()
