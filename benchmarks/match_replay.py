"""Precision of ``match`` on streams, at base rates different from the labels'.

Texts of known groups are split in half by group. One half is a collection with labels, to which the rule is
fitted. From the other half, some groups are stored by their first text, and texts arrive in a seeded order, a
stated fraction of which have a duplicate in the collection. Links are right if both texts are in one group.
The guarantee is checked on a stream into an empty collection: all links similar, no two kept texts similar.

Run: python benchmarks/match_replay.py PAIRS... [--model M] [--precision P,P] [--orders 5] [--json]

PAIRS are files of labelled pairs, or of pairs that are all duplicates. Texts connected by pairs form one
group.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, field
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np

import textkin as tk
from textkin.base.text_equality import keys_of
from textkin.collection.collection import OpenCollection
from textkin.collection.match.match_labels import FACT
from textkin.collection.match.match_rules import MatchOptions
from textkin.data.readers import load_pairs
from textkin.data.splits.components import join
from textkin.measures.decisions.match_rule import MatchVerdict
from textkin.text.baselines.mean_pooling import unit_rows
from textkin.vectors.groups.guards import STANDARD, checks
from textkin.vectors.join.all_pairs import pairs_above

RATES = (0.5, 0.01, 0.001)
STORED, COMING = 30_000, 10_000
WINDOW = 30
FIXED = 0.9
ROUNDING = 1e-6


@dataclass
class Replay:
    """One order at one base rate."""

    rate: float
    seed: int
    rule: str
    threshold: float | None
    texts: int
    duplicates: int
    links: int
    right: int
    asked: int
    windows: list[float] = field(default_factory=list)


def main(arguments: Sequence[str] | None = None) -> int:
    asked = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    asked.add_argument("pairs", type=Path, nargs="+")
    asked.add_argument("--model", default="default")
    asked.add_argument("--precision", default="0.9,0.8")
    asked.add_argument("--orders", type=int, default=5)
    asked.add_argument("--stored", type=int, default=STORED)
    asked.add_argument("--coming", type=int, default=COMING)
    asked.add_argument("--json", action="store_true")
    given = asked.parse_args(arguments)
    goals = [float(one) for one in given.precision.split(",")]
    texts, groups = read(given.pairs)
    labelled = np.random.default_rng(0).random(groups.max() + 1) < 0.5
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        labels = fitted(place / "labelled", texts, groups, labelled[groups], given.model)
        print(labels, file=sys.stderr)
        fact = labels.to_dict()
        ours = np.flatnonzero(~labelled[groups])
        found = list(replays(place, texts, groups, ours, fact, given, goals))
        orders = order_account(place, texts, ours, fact, given, goals[-1])
    report = {"labels": labels.rows()[0], "summary": summary(found), "orders": orders}
    if given.json:
        report["replays"] = [asdict(one) for one in found]
    print(json.dumps(report, indent=1))
    return 0


def read(paths: Sequence[Path]) -> tuple[list[str], np.ndarray]:
    """Texts, each spelling once, and the numbers of their groups."""
    pairs = [pair for path in paths for pair in load_pairs(path).data]
    node_of_key: dict[str, int] = {}
    keys = keys_of(text for pair in pairs for text in (pair.a, pair.b))
    nodes = {text: node_of_key.setdefault(key, len(node_of_key)) for text, key in keys.items()}
    edges = [(nodes[pair.a], nodes[pair.b]) for pair in pairs if pair.label in (None, 1)]
    component = join(len(node_of_key), np.array(edges, dtype=np.int64))
    return list(nodes), component[list(nodes.values())]


def fitted(folder: Path, texts: list[str], groups: np.ndarray, chosen: np.ndarray, model: str) -> Any:
    """The labels of the labelled half."""
    places = np.flatnonzero(chosen).tolist()
    with tk.open_collection(folder, model=model, create=True) as opened:
        opened.add(
            [texts[one] for one in places],
            ids=[str(one) for one in places],
            metadata=[{"group": int(groups[one])} for one in places],
        )
        return opened.fit_matching(groups="group")


def replays(
    place: Path,
    texts: list[str],
    groups: np.ndarray,
    ours: np.ndarray,
    fact: dict[str, Any],
    given: argparse.Namespace,
    goals: Sequence[float],
) -> Iterator[Replay]:
    """All orders at all base rates, by the fitted rule for each goal and by the fixed threshold."""
    for seed in range(given.orders):
        for rate in RATES:
            stored, coming = stream(groups, ours, rate, given.stored, given.coming, seed)
            known = set(groups[stored].tolist())
            start = place / f"start-{seed}-{rate}"
            made = [MatchOptions(precision=goal, base_rate=rate) for goal in goals]
            for number, options in enumerate([*made, MatchOptions(threshold=FIXED)]):
                with tk.open_collection(f"{start}-{number}", model=given.model, create=True) as opened:
                    opened.store.note_fact(FACT, fact)
                    opened.add([texts[one] for one in stored], ids=[str(one) for one in stored])
                    result = matched(opened, texts, coming, options)
                    goal = f"precision {options.precision:g}" if options.threshold is None else "cosine 0.9"
                    yield judged(result, groups, coming, known, rate=rate, seed=seed, rule=goal)
            print(f"order {seed}, rate {rate:g}: done", file=sys.stderr)


def stream(
    groups: np.ndarray, ours: np.ndarray, rate: float, stored: int, coming: int, seed: int
) -> tuple[list[int], list[int]]:
    """The stored texts and the stream: texts of stored groups and of others, in random order."""
    draws = np.random.default_rng(seed)
    order = draws.permutation(ours)
    _, first = np.unique(groups[order], return_index=True)
    is_first = np.zeros(len(order), dtype=bool)
    is_first[first] = True
    firsts, others = order[is_first], order[~is_first]
    with_more = np.isin(groups[firsts], groups[others])
    new = min(round(coming * (1 - rate)), len(firsts) // 2)
    again = max(round(new * rate / (1 - rate)), 1)
    # Groups with a further text are stored first, so that enough duplicates can arrive; the new ones are
    # arbitrary.
    alone = np.concatenate((firsts[~with_more], firsts[with_more]))
    coming_new = draws.permutation(firsts)[:new]
    kept = [one for one in alone[::-1].tolist() if one not in set(coming_new.tolist())][:stored]
    stored_groups = set(groups[kept].tolist())
    once: dict[int, int] = {}
    for one in others.tolist():
        if int(groups[one]) in stored_groups:
            once.setdefault(int(groups[one]), one)
    repeats = draws.permutation(np.array(list(once.values())))[:again]
    return kept, draws.permutation(np.concatenate((coming_new, repeats))).tolist()


def matched(opened: OpenCollection, texts: list[str], coming: Sequence[int], options: MatchOptions) -> Any:
    return opened.matched([tk.Entry(str(one), texts[one]) for one in coming], options, add=True)


def judged(
    result: Any,
    groups: np.ndarray,
    coming: Sequence[int],
    known: set[int],
    *,
    rate: float,
    seed: int,
    rule: str,
) -> Replay:
    """The number of right links, in total and in windows of consecutive links."""
    linked = [one for one in result.matches if one.verdict is MatchVerdict.DUPLICATE]
    right = [bool(groups[int(one.entry_id)] == groups[int(one.nearest_id)]) for one in linked]
    bounds = list(range(0, len(right) - WINDOW + 1, WINDOW))
    windows = [right[at : at + WINDOW] if at != bounds[-1] else right[at:] for at in bounds]
    return Replay(
        rate=rate,
        seed=seed,
        rule=rule,
        threshold=result.rule.duplicate_from,
        texts=len(coming),
        duplicates=sum(int(groups[one]) in known for one in coming),
        links=len(linked),
        right=sum(right),
        asked=sum(one.verdict is MatchVerdict.ASK for one in result.matches),
        windows=[float(np.mean(one)) for one in windows],
    )


def summary(found: Sequence[Replay]) -> list[dict[str, Any]]:
    """A row per base rate and rule."""
    rows = []
    for rate, rule in dict.fromkeys((one.rate, one.rule) for one in found):
        some = [one for one in found if (one.rate, one.rule) == (rate, rule)]
        windows = np.array([share for one in some for share in one.windows])
        links, right = sum(one.links for one in some), sum(one.right for one in some)
        stated = float(rule.split()[1])
        rows.append(
            {
                "base rate": rate,
                "rule": rule,
                "thresholds": sorted({one.threshold for one in some}, key=str),
                "links": links,
                "precision": right / links if links else None,
                "recall": right / sum(one.duplicates for one in some),
                "asked": sum(one.asked for one in some) / sum(one.texts for one in some),
                "windows": len(windows),
                "windows at or above": float((windows >= stated).mean()) if len(windows) else None,
                "orders at or above": [one.right / one.links >= stated for one in some if one.links],
            }
        )
    return rows


def order_account(
    place: Path,
    texts: list[str],
    ours: np.ndarray,
    fact: dict[str, Any],
    given: argparse.Namespace,
    goal: float,
) -> dict[str, Any]:
    """The guarantee on streams into an empty collection, and the survivors' dependence on the order."""
    some = np.random.default_rng(0).permutation(ours)[: given.coming].tolist()
    kept_sets, broken = [], 0
    options = MatchOptions(precision=goal, base_rate=0.5)
    for seed in range(given.orders):
        order = np.random.default_rng(seed).permutation(some).tolist()
        with tk.open_collection(place / f"empty-{seed}", model=given.model, create=True) as opened:
            opened.store.note_fact(FACT, fact)
            result = matched(opened, texts, order, options)
            vectors = unit_rows(np.asarray(opened.model.encode([texts[one] for one in order])))
        threshold = result.rule.duplicate_from
        if threshold is None:
            return {"threshold": None}
        place_of = {str(one): number for number, one in enumerate(order)}
        duplicate = np.array([one.verdict is MatchVerdict.DUPLICATE for one in result.matches])
        guard = checks([texts[one] for one in order], STANDARD)
        a = np.flatnonzero(duplicate)
        b = np.array([place_of[result.matches[one].nearest_id] for one in a.tolist()])
        cosines = np.einsum("nd,nd->n", vectors[a], vectors[b])
        broken += int((~(guard(a, b) & (cosines >= threshold - ROUNDING) & ~duplicate[b])).sum())
        kept = np.flatnonzero(~duplicate)
        alike = pairs_above(vectors[kept], threshold + ROUNDING, quiet=True)
        broken += int(guard(kept[alike.rows], kept[alike.columns]).sum())
        kept_sets.append({order[one] for one in kept.tolist()})
    shared = [len(a & b) / len(a | b) for a, b in combinations(kept_sets, 2)]
    return {
        "threshold": threshold,
        "texts": len(some),
        "kept": [len(one) for one in kept_sets],
        "broken promises": broken,
        "mean Jaccard of survivors": float(np.mean(shared)) if shared else None,
    }


if __name__ == "__main__":
    sys.exit(main())
