"""Counts in a finite population by their definitions: every possible count is tried, draw by draw."""

from __future__ import annotations

import math
from itertools import product

A, B = 0.25, 1.0


def probability(draws, counts, sizes):
    """The probability of draws (stratum, label), each from the rest of its stratum, given the positives in
    each.
    """
    left, so_left = list(sizes), list(counts)
    found = 1.0
    for part, so in draws:
        found *= (so_left[part] if so else left[part] - so_left[part]) / left[part]
        left[part] -= 1
        so_left[part] -= so
    return found


def mean_probability(draws, parts):
    """Over the prior: each group of strata has its own frequency, with several groupings."""
    groupings = [[range(cut), range(cut, parts)] for cut in range(parts)]
    groupings.append([[part] for part in range(parts)])
    return sum(math.prod(together(draws, group) for group in one) for one in groupings) / len(groupings)


def together(draws, group):
    """The probability of the draws from a group of strata with one frequency: each given those before it."""
    found, yes, no = 1.0, A, B
    for part, so in draws:
        if part in group:
            found *= (yes if so else no) / (yes + no)
            yes, no = yes + so, no + (not so)
    return found


def not_ruled_out(draws, sizes, error):
    """All counts for which the draws aren't too improbable."""
    mean = mean_probability(draws, len(sizes))
    return [
        counts
        for counts in product(*(range(size + 1) for size in sizes))
        if (true := probability(draws, counts, sizes)) > 0 and mean / true < 1 / error
    ]
