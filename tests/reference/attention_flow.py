"""Slow and obvious doubles of BiDAF's layers: one pair of texts, one number at a time."""

import math

from tests.reference.nn import dot


def softmax(scores):
    powers = [math.exp(score - max(scores)) for score in scores]
    return [power / sum(powers) for power in powers]


def weighted(shares, vectors):
    return [dot(shares, column) for column in zip(*vectors, strict=True)]


def times(x, y):
    return [p * q for p, q in zip(x, y, strict=True)]


def attention_flow(context, question, weights):
    """G of a pair, neither text empty; ``weights`` is w, 3D long, and multiplies [h; u; h * u]."""
    scores = [[dot(weights, h + u + times(h, u)) for u in question] for h in context]
    summary = weighted(softmax([max(row) for row in scores]), context)
    rows = []
    for h, row in zip(context, scores, strict=True):
        attended = weighted(softmax(row), question)
        rows.append(h + attended + times(h, attended) + times(h, summary))
    return rows


def highway(x, layers):
    """``layers``: pairs of a weight (2D x D) and a bias (2D), the candidates' rows before the gates'."""
    for weight, bias in layers:
        both = [dot(row, x) + shift for row, shift in zip(weight, bias, strict=True)]
        new, gates = both[: len(x)], both[len(x) :]
        carried = [1 / (1 + math.exp(-gate)) for gate in gates]
        x = [g * old + (1 - g) * max(0.0, n) for g, old, n in zip(carried, x, new, strict=True)]
    return x
