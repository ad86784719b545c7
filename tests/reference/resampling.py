"""Bootstrap and randomisation in the plainest words: repeat, swap, count."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence

import numpy as np

Figure = Callable[[Sequence[float], Sequence[float]], float]


def repeated(values: Sequence[float], weights: Sequence[float]) -> np.ndarray:
    """Every value repeated by its weight."""
    return np.repeat(np.asarray(values), np.asarray(weights, dtype=int))


def middle_ranks(values: Sequence[float]) -> list[float]:
    return [
        sum(other < value for other in values) + sum(other == value for other in values) / 2
        for value in values
    ]


def exact_p(differences: Sequence[float]) -> float:
    """Fraction of all sign patterns whose mean is at least as far from zero as the observed one."""
    observed = abs(sum(differences))
    totals = [
        abs(sum(sign * value for sign, value in zip(signs, differences, strict=True)))
        for signs in itertools.product((1, -1), repeat=len(differences))
    ]
    return sum(total >= observed - 1e-9 for total in totals) / len(totals)


def exact_set_p(labels: list, a: list, b: list, clusters: list, figure: Figure) -> float:
    """The same for a metric of a whole set of pairs, over all ways to swap components."""
    a, b = middle_ranks(a), middle_ranks(b)
    observed = abs(figure(labels, a) - figure(labels, b))
    names = sorted(set(clusters))
    changes = []
    for pattern in itertools.product((False, True), repeat=len(names)):
        swapped = dict(zip(names, pattern, strict=True))
        pairs = list(zip(a, b, clusters, strict=True))
        first = [y if swapped[name] else x for x, y, name in pairs]
        second = [x if swapped[name] else y for x, y, name in pairs]
        changes.append(abs(figure(labels, first) - figure(labels, second)))
    return sum(change >= observed - 1e-9 for change in changes) / len(changes)


def holm(p_values: Sequence[float]) -> list[float]:
    adjusted = {}
    worst = 0.0
    for place, index in enumerate(sorted(range(len(p_values)), key=lambda i: p_values[i])):
        worst = max(worst, (len(p_values) - place) * p_values[index])
        adjusted[index] = min(worst, 1.0)
    return [adjusted[index] for index in range(len(p_values))]
