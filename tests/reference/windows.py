"""Windows, regions, counts and grids of texts as plain loops over Python numbers."""

import math
from collections import Counter


def dot(one, other):
    return sum(a * b for a, b in zip(one, other, strict=True))


def region_bounds(length, regions):
    """(first, end) of each region; at least one token."""
    bounds = []
    for region in range(regions):
        first = math.floor(region * length / regions)
        bounds.append((first, max(math.floor((region + 1) * length / regions), first + 1)))
    return bounds


def region_maxima(tokens, regions):
    """The largest value of each feature in each region of a text's vectors, which is not empty."""
    return [
        [max(column) for column in zip(*tokens[first:end], strict=True)]
        for first, end in region_bounds(len(tokens), regions)
    ]


def window_maxima(tokens, size):
    """The largest value of each feature in every ``size`` tokens."""
    windows = [tokens[at : at + size] for at in range(0, len(tokens), size)]
    return [[max(column) for column in zip(*window, strict=True)] for window in windows]


def grid_window_maxima(rows, size):
    """The largest value of every ``size`` x ``size`` cells of one feature: [N][M] to fewer."""
    return [
        [
            max(value for row in rows[i : i + size] for value in row[j : j + size])
            for j in range(0, len(rows[0]), size)
        ]
        for i in range(0, len(rows), size)
    ]


def largest(values, k):
    """The k largest values, then zeros."""
    best = sorted(values, reverse=True)[:k]
    return best + [0.0] * (k - len(best))


def joined_window(tokens, place, width):
    """The vectors around a place, one after another; zeros beyond the ends. An even window leans right."""
    before = (width - 1) // 2
    joined = []
    for at in range(place - before, place - before + width):
        joined += tokens[at] if 0 <= at < len(tokens) else [0.0] * len(tokens[0])
    return joined


def window_grid(a, b, weight_a, weight_b, bias, width):
    """ARC-II's first layer: relu(w [window of a; window of b] + c). Weights [F][W D]; gives [F][N][M]."""
    return [
        [
            [
                max(0.0, dot(of_a + of_b, joined_window(a, i, width) + joined_window(b, j, width)) + constant)
                for j in range(len(b))
            ]
            for i in range(len(a))
        ]
        for of_a, of_b, constant in zip(weight_a, weight_b, bias, strict=True)
    ]


def counts(units, size):
    """The count of each n-gram id, never of id 0. Shape [size]."""
    found = Counter(unit for unit in units if unit)
    return [float(found[unit]) for unit in range(size)]


def times(matrix, vector):
    return [dot(row, vector) for row in matrix]


def tensor_score(u, v, matrix, constant=0.0, weights=None):
    """u' M v + w [u; v] + c."""
    score = dot(u, times(matrix, v)) + constant
    return score if weights is None else score + dot(weights, u + v)


def grid_region_maxima(rows, regions):
    """The largest value of each of R x C parts of one feature: [N][M] to [R][C]."""
    return [
        [
            max(value for row in rows[top:bottom] for value in row[left:right])
            for left, right in region_bounds(len(rows[0]), regions[1])
        ]
        for top, bottom in region_bounds(len(rows), regions[0])
    ]
