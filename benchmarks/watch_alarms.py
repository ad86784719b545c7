"""False alarms of ``textkin collection watch``, and its delay until a change is detected.

Run: ``python benchmarks/watch_alarms.py QUORA OTHER [--model default] [--swapped minilm] [--runs 60]`` QUORA
are labelled pairs, OTHER a table whose second column has texts of another domain. One question from every
other group of duplicates is an entry of the collection; a text with a duplicate is another question of such a
group, a text without one is from another group. Their scores are cosines with the nearest entry. Streams are
drawn from these at a base rate, and a change occurs after some events, or never.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from functools import partial
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

import textkin as tk
from setting import show_setting
from textkin.base.arrays import Bools, Floats, Floats32
from textkin.data.readers.table import open_table
from textkin.data.splits.components import text_graph
from textkin.measures.intervals.change_detection import PrecisionDrop, ScoreChange, first_alarm

CALIBRATION = 2_000  # scores
RATE = 0.1
PART = 0.025  # of the error, for scores and for labels each
BEFORE = (0, 1_000, 10_000)
MOST = 20_000  # events after a change
Draw = Callable[[np.random.Generator, int], Floats32]


def questions(path: Path, entries: int) -> tuple[list[str], list[str], list[str]]:
    """Entries, texts with a duplicate among them, and texts without one."""
    pairs = tk.load_pairs(path).data
    graph = text_graph(pairs, quiet=True)
    groups = graph.components(pairs=np.array([bool(one.label) for one in pairs]), ids=False)
    members: dict[int, dict[str, None]] = {}
    for pair, a, b in zip(pairs, graph.a, graph.b, strict=True):
        members.setdefault(int(groups[a]), {})[pair.a] = None
        members.setdefault(int(groups[b]), {})[pair.b] = None
    order = np.random.default_rng(0).permutation(sorted(members))
    stored, known, others = list[str](), list[str](), list[str]()
    for place, group in enumerate(order.tolist()):
        first, *rest = members[group]
        if place % 2 and len(stored) < entries:
            stored.append(first)
            known += rest
        elif not place % 2:
            others.append(first)
    return stored, known, others


def nearest(model: str, stored: list[str], texts: list[str]) -> Floats:
    """The cosine of each text with the nearest entry."""
    entries, rows = (tk.encode(some, model=model).astype(np.float32) for some in (stored, texts))
    entries /= np.linalg.norm(entries, axis=1, keepdims=True).clip(1e-9)
    rows /= np.linalg.norm(rows, axis=1, keepdims=True).clip(1e-9)
    parts = [(rows[at : at + 1_000] @ entries.T).max(axis=1) for at in range(0, len(rows), 1_000)]
    return np.concatenate(parts).astype(np.float64)


def mixed(known: Floats, others: Floats, rate: float) -> Draw:
    """A generator of text scores at a base rate."""

    def draw(random: np.random.Generator, count: int) -> Floats32:
        same = random.random(count) < rate
        scores = np.where(same, random.choice(known, count), random.choice(others, count))
        return scores.astype(np.float32)

    return draw


def told(name: str, before: int, delays: list[int | None], early: int) -> None:
    found = np.array([MOST if one is None else one + 1 for one in delays], dtype=float)
    seen = np.mean([one is not None for one in delays])
    middle, late = np.median(found), np.quantile(found, 0.9)
    print(f"{name:42} {before:8,} {seen:6.2f} {middle:8,.0f} {late:8,.0f} {early:6}", flush=True)


def delays(name: str, as_before: Draw, after: Draw, runs: int) -> None:
    """Print the delay, in events, of detecting a change that occurs after some events."""
    for before in BEFORE:
        found, early = list[int | None](), 0
        for run in range(runs):
            random = np.random.default_rng([1, before, run])
            test = ScoreChange(as_before(random, CALIBRATION), seed=run)
            if first_alarm(test.take(as_before(random, before)), PART) is not None:
                early += 1
                continue
            found.append(_first(test, partial(after, random)))
        told(name, before, found, early)


def label_delays(precision: float, runs: int) -> None:
    def after(random: np.random.Generator, count: int) -> Bools:
        return random.random(count) < precision

    for before in BEFORE:
        found, early = list[int | None](), 0
        for run in range(runs):
            random, test = np.random.default_rng([2, before, run]), PrecisionDrop(0.95)
            if first_alarm(test.take(random.random(before) < 0.97), PART) is not None:
                early += 1
                continue
            found.append(_first(test, partial(after, random)))
        told(f"labels: precision .97 to {precision:g}, goal .95", before, found, early)


def _first(test: ScoreChange | PrecisionDrop, draw: Callable[[int], NDArray[np.generic]]) -> int | None:
    """The event of the alarm; most occur in the first few hundred."""
    done = 0
    for count in (500, 1_500, 6_000, MOST - 8_000):
        place = first_alarm(test.take(draw(count)), PART)
        if place is not None:
            return done + place
        done += count
    return None


def false_alarms(as_before: Draw, runs: int, events: int) -> None:
    wrong = np.zeros(2, dtype=int)
    for run in range(runs):
        random = np.random.default_rng([3, run])
        test = ScoreChange(as_before(random, CALIBRATION), seed=run)
        wrong[0] += first_alarm(test.take(as_before(random, events)), PART) is not None
        wrong[1] += first_alarm(PrecisionDrop(0.95).take(random.random(events) < 0.95), PART) is not None
    for name, count in zip(("scores", "labels at the goal"), wrong, strict=True):
        print(f"false alarms in {events:,} events, {name}: {count} of {runs:,} runs", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("quora", type=Path)
    parser.add_argument("other", type=Path)
    parser.add_argument("--model", default="default")
    parser.add_argument("--swapped", default="minilm")
    parser.add_argument("--runs", type=int, default=60, help="of each change")
    parser.add_argument("--alarms", type=int, default=100, help="runs in which nothing changes")
    parser.add_argument("--only", default="", help="changes whose names hold this, such as model or labels")
    parser.add_argument("--events", type=int, default=100_000)
    parser.add_argument("--entries", type=int, default=4_000)
    parser.add_argument("--texts", type=int, default=3_000, help="of each kind, at most")
    options = parser.parse_args()
    show_setting("numpy")
    stored, known, others = questions(options.quora, options.entries)
    known, others = known[: options.texts], others[: options.texts]
    foreign = [row.fields[1] for row in open_table(options.other).rows()][: options.texts]
    print(f"{len(stored):,} entries; {len(known):,} texts with a duplicate, {len(others):,} without")
    scores = [nearest(options.model, stored, some) for some in (known, others, foreign)]
    for name, some in (("known", scores[0]), ("others", scores[1]), ("foreign", scores[2])):
        print(f"{name}: cosines {np.quantile(some, [0.1, 0.5, 0.9]).round(3)}")
    as_before = mixed(scores[0], scores[1], RATE)
    if options.runs:
        changes(
            as_before,
            scores,
            lambda: (
                nearest(options.swapped, stored, known),
                nearest(options.swapped, stored, others),
            ),
            options,
        )
    if options.alarms:
        false_alarms(as_before, options.alarms, options.events)


def changes(
    as_before: Draw,
    scores: list[Floats],
    swapped: Callable[[], tuple[Floats, Floats]],
    options: argparse.Namespace,
) -> None:
    known, others, foreign = scores
    wanted: dict[str, Callable[[], Draw]] = {
        f"model: {options.model} to {options.swapped}": lambda: mixed(*swapped(), RATE),
        "domain: texts without a duplicate": lambda: mixed(known, foreign, RATE),
    }
    for rate in (0.3, 0.2, 0.15, 0.05):
        wanted[f"base rate: {RATE:g} to {rate:g}"] = partial(mixed, known, others, rate)
    print(f"{'change':42} {'after':>8} {'seen':>6} {'median':>8} {'90 %':>8} {'early':>6}")
    for name, after in wanted.items():
        if options.only in name:
            delays(name, as_before, after(), options.runs)
    for precision in (0.9, 0.8, 0.5):
        if options.only in "labels":
            label_delays(precision, options.runs)


if __name__ == "__main__":
    main()
