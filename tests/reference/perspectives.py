"""Slow and obvious doubles of multi-perspective matching: one pair of texts, one number at a time."""

import math

from tests.reference.nn import dot


def cosine(x, y):
    lengths = math.sqrt(dot(x, x)) * math.sqrt(dot(y, y))
    return dot(x, y) / lengths if lengths else 0.0


def match(x, y, weights):
    """One number per perspective: the cosine of the weighted vectors."""
    weighed = [[[w * v for w, v in zip(row, vector, strict=True)] for vector in (x, y)] for row in weights]
    return [cosine(*both) for both in weighed]


def full(states, other, final, weights):
    return [match(state, final, weights) for state in states]


def maxpool(states, other, final, weights):
    rows = []
    for state in states:
        each = [match(state, one, weights) for one in other]
        rows.append([max(column) for column in zip(*each, strict=True)] if each else [0.0] * len(weights))
    return rows


def attentive(states, other, final, weights):
    rows = []
    for state in states:
        total = [0.0] * len(state)
        for one in other:
            share = cosine(state, one)
            total = [t + share * value for t, value in zip(total, one, strict=True)]
        rows.append(match(state, total, weights))
    return rows


def max_attentive(states, other, final, weights):
    rows = []
    for state in states:
        best = max(other, key=lambda one: cosine(state, one), default=[0.0] * len(state))
        rows.append(match(state, best, weights))
    return rows


MATCHINGS = {"full": full, "maxpool": maxpool, "attentive": attentive, "max-attentive": max_attentive}


def matched(states, other, final, weights):
    """All matchings of one text with another; ``weights`` by matching, in the order of the result."""
    parts = [MATCHINGS[name](states, other, final, rows) for name, rows in weights.items()]
    return [[value for part in row for value in part] for row in zip(*parts, strict=True)]
