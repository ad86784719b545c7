"""Effect of guards on labelled pairs with similar vectors: all sets of guards, with precision.

    python benchmarks/guards.py quora_duplicate_questions.tsv [--model default] [--threshold 0.9]
        [--inference nli]

Among the pairs that reach the threshold, a guard should block those that aren't duplicates. Per set of
guards: the pairs that can still be merged, the precision among them with a 95 % interval in which pairs that
share texts count as fewer, and the fraction of the duplicates that can still be merged. With ``--inference``,
instead what a model of inference adds to the standard guards, if it blocks pairs that contradict each other.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from itertools import combinations

import numpy as np

import textkin as tk
from textkin.data.protocols import Classifier
from textkin.data.splits.components import join
from textkin.measures.intervals.proportions import clustered_share
from textkin.text.baselines.mean_pooling import unit_rows
from textkin.vectors.groups.guards import GUARDS, STANDARD, checks

AT_ONCE = 4096
AT_LEAST = (0.5, 0.3)  # probability of a contradiction that blocks a pair


def main(arguments: Sequence[str]) -> None:
    """Measure and print one row for each set of guards."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("pairs")
    parser.add_argument("--model", default="default")
    parser.add_argument("--threshold", type=float, default=0.9)
    parser.add_argument("--inference", help="a model of the classes of inference, such as nli")
    given = parser.parse_args(arguments)
    data = tk.load_pairs(given.pairs).data
    numbers: dict[str, int] = {}
    a = np.array([numbers.setdefault(pair.a, len(numbers)) for pair in data])
    b = np.array([numbers.setdefault(pair.b, len(numbers)) for pair in data])
    same = np.array([pair.label == 1 for pair in data])
    texts = list(numbers)
    encoder = tk.load_encoder(given.model)
    vectors = unit_rows(
        np.concatenate(
            [encoder.encode(texts[start : start + AT_ONCE]) for start in range(0, len(texts), AT_ONCE)]
        )
    )
    similar = np.einsum("ij,ij->i", vectors[a], vectors[b]) >= given.threshold
    a, b, same = a[similar], b[similar], same[similar]
    cluster = join(len(texts), np.column_stack((a, b)))[a]
    print(f"{len(data):,} pairs, {len(a):,} from {given.threshold:g} on; {same.sum():,} are duplicates")
    allowed = {name: checks(texts, [name])(a, b) for name in GUARDS}
    sets = [names for size in range(len(GUARDS) + 1) for names in combinations(GUARDS, size)]
    if given.inference:
        model = tk.load(given.inference)
        if not isinstance(model, Classifier):
            parser.error(f"{given.inference} has no classes")
        pairs = [(texts[one], texts[other]) for one, other in zip(a.tolist(), b.tolist(), strict=True)]
        turned = [(other, one) for one, other in pairs]
        place = model.labels.index("contradiction")
        said = np.maximum(model.classify(pairs)[:, place], model.classify(turned)[:, place])
        allowed |= {f"contradiction from {least}": said < least for least in AT_LEAST}
        sets = [STANDARD, *((*STANDARD, f"contradiction from {least}") for least in AT_LEAST)]
    for names in sets:
        kept = np.logical_and.reduce([allowed[name] for name in names]) if names else np.ones(len(a), bool)
        told = clustered_share(same[kept], cluster[kept])
        if told is None:
            continue
        print(
            f"{', '.join(names) or 'none':45}  {kept.sum():6,}  "
            f"{told.value:.3f} ({told.low:.3f} to {told.high:.3f})  {same[kept].sum() / same.sum():.3f}"
        )


if __name__ == "__main__":
    main(sys.argv[1:])
