"""Whether ``textkin label`` proves what isn't so, and how many labels a proof takes.

Run: ``python benchmarks/label_proof.py PAIRS [--model default] [--replays 1000] [--goal 0.95] [--most 6000]``
PAIRS are labelled pairs. They are scored by the model; of the fifth with the highest scores pairs are taken
out at random until their precision is what a row says, above the goal or just below it. Then sessions are
replayed with the labels as answers, looked at after each of them. Pairs are drawn with replacement, as the
command does. With ``--strata`` they are drawn from four strata of scores besides, and labels weigh by that.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

import textkin as tk
from setting import show_setting
from textkin.stats.betting import proven_after, wealth


def scored(path: Path, model: str) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    """The scores and labels of pairs, the highest score first."""
    pairs = tk.load_pairs(path).data.pairs
    scores = tk.score([(one.a, one.b) for one in pairs], model=model).scores
    order = np.argsort(-scores, kind="stable")
    return scores[order].astype(np.float64), np.array([bool(one.label) for one in pairs])[order]


def thinned(same: NDArray[np.bool_], precision: float, random: np.random.Generator) -> NDArray[np.bool_]:
    """The labels with some pairs of one kind taken out, so that a precision is just met, or missed."""
    yes, no = np.flatnonzero(same), np.flatnonzero(~same)
    if precision >= 1:
        return same[yes]
    wanted_no = int(np.ceil(len(yes) * (1 - precision) / precision))
    if wanted_no <= len(no):
        no = random.choice(no, wanted_no, replace=False)
    else:
        yes = random.choice(yes, int(len(no) * precision / (1 - precision)), replace=False)
    return same[np.sort(np.concatenate([yes, no]))]


def by_strata(
    left: NDArray[np.bool_], shares: NDArray[np.float64], count: int, random: np.random.Generator
) -> tuple[NDArray[np.bool_], NDArray[np.float64]]:
    """Labels of draws from strata, the highest scores first, and the weight of each."""
    parts = np.array_split(left, len(shares))
    weights = np.array([len(part) for part in parts]) / len(left) / shares
    chosen = random.choice(len(shares), size=count, p=shares)
    places = (random.random(count) * np.array([len(part) for part in parts])[chosen]).astype(int)
    starts = np.cumsum([0, *(len(part) for part in parts[:-1])])
    return left[starts[chosen] + places], weights[chosen]


def designs(left: NDArray[np.bool_]) -> dict[str, NDArray[np.float64]]:
    """Which share of the draws each of four strata gets."""
    rates = np.array([part.mean() for part in np.array_split(left, 4)])
    spread = np.sqrt(rates * (1 - rates)) + 1e-9
    known = 0.5 * spread / spread.sum() + 0.125  # half of the draws as Neyman would, who knows the truth
    return {"lowest stratum three times": np.array([1, 1, 1, 3]) / 6, "Neyman's, of the truth": known}


def stratified(same: NDArray[np.bool_], options: argparse.Namespace) -> None:
    """Print how many labels a proof takes by strata, beside plain draws of the same pairs."""
    print(f"{'precision':>10} {'draws':28} {'proven':>8} {'median':>8} {'mean':>8}")
    for precision in (1.0, 0.99, 0.98, 0.97, 0.9499):
        random = np.random.default_rng(0)
        took: dict[str, list[int | None]] = {}
        for _ in range(options.replays):
            left = thinned(same, precision, random)
            plain = left[random.integers(len(left), size=options.most)]
            took.setdefault("plain", []).append(proven_after(wealth(plain, goal=options.goal)))
            for name, shares in designs(left).items():
                labels, weights = by_strata(left, shares, options.most, random)
                found = wealth(labels, goal=options.goal, weights=weights, heaviest=float(weights.max()))
                took.setdefault(name, []).append(proven_after(found))
        for name, counts in took.items():
            proven = np.mean([one is not None for one in counts])
            needed = np.array([options.most if one is None else one for one in counts])
            print(
                f"{precision:10.4f} {name:28} {proven:8.3f} {np.median(needed):8,.0f} {needed.mean():8,.0f}"
            )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("pairs", type=Path)
    parser.add_argument("--model", default="default")
    parser.add_argument("--replays", type=int, default=1_000)
    parser.add_argument("--goal", type=float, default=0.95)
    parser.add_argument("--most", type=int, default=6_000, help="labels of a session")
    parser.add_argument("--strata", action="store_true", help="compare draws from strata with plain ones")
    options = parser.parse_args()
    show_setting("numpy")
    scores, same = scored(options.pairs, options.model)
    above = scores >= np.quantile(scores, 0.8)
    print(f"{options.model}: {above.sum():,} of {len(same):,} pairs, the fifth with the highest scores")
    if options.strata:
        stratified(same[above], options)
        return
    print(f"{'precision':>10} {'pairs':>8} {'proven':>8} {'median':>8} {'mean':>8} {'90 %':>8}")
    for precision in (1.0, 0.99, 0.98, 0.97, 0.9499, 0.94):
        random = np.random.default_rng(0)
        took = []
        for _ in range(options.replays):
            left = thinned(same[above], precision, random)
            drawn = left[random.integers(len(left), size=options.most)]
            took.append(proven_after(wealth(drawn, goal=options.goal)))
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
