"""Groups by average linkage, the quality of communities, and agreement of groups, slowly and obviously."""

from itertools import combinations
from math import comb, log

import numpy as np


def cosines_of(vectors):
    units = vectors.astype(np.float64)
    lengths = np.sqrt((units**2).sum(axis=1))
    units /= np.where(lengths > 0, lengths, 1)[:, None]
    return units @ units.T


def average_linkage(vectors, threshold, times):
    """All pairs of groups are compared before each merge; the highest mean, then the first texts."""
    cosines = cosines_of(vectors)
    groups = [[text] for text in range(len(vectors))]
    while True:
        best = None
        for one, two in combinations(sorted(groups), 2):
            weight = sum(times[a] for a in one) * sum(times[b] for b in two)
            mean = sum(times[a] * times[b] * cosines[a, b] for a in one for b in two) / weight
            if np.float32(mean) >= np.float32(threshold) and (best is None or mean > best[0] + 1e-9):
                best = mean, one, two
        if best is None:
            return partition(groups)
        _, one, two = best
        groups = [group for group in groups if group not in (one, two)] + [sorted(one + two)]


def partition(groups):
    return {frozenset(group) for group in groups}


def partition_of(labels):
    members = {}
    for text, label in enumerate(np.asarray(labels).tolist()):
        members.setdefault(label, []).append(text)
    return partition(members.values())


def potts_quality(weights, masses, labels, resolution):
    """The weight within communities, minus its expectation by their sizes (constant Potts model)."""
    total = 0.0
    for a, b in combinations(range(len(labels)), 2):
        if labels[a] == labels[b]:
            total += weights[a, b] - resolution * masses[a] * masses[b]
    return total


def adjusted_rand(found, gold):
    """The index by comparing every pair of texts."""
    pairs = list(combinations(range(len(found)), 2))
    both = sum(found[a] == found[b] and gold[a] == gold[b] for a, b in pairs)
    ours = sum(found[a] == found[b] for a, b in pairs)
    theirs = sum(gold[a] == gold[b] for a, b in pairs)
    expected = ours * theirs / comb(len(found), 2) if pairs else 0.0
    highest = (ours + theirs) / 2
    return 1.0 if highest == expected else (both - expected) / (highest - expected)


def entropy(*labels):
    """The entropy of the joint distribution of labels."""
    rows = list(zip(*labels, strict=True))
    shares = [rows.count(row) / len(rows) for row in set(rows)]
    return -sum(share * log(share) for share in shares)
