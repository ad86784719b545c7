"""Slow and obvious doubles of soft alignment and later steps: one text pair, one number at a time."""

import math

from tests.reference.attention_flow import softmax, weighted
from tests.reference.nn import dot


def attended(scores, values, zero_scores=None):
    """For each row of ``scores`` the mean of ``values``; with ``zero_scores``, of a zero vector as well."""
    rows = []
    for place, row in enumerate(scores):
        shares = softmax(row if zero_scores is None else [*row, zero_scores[place]])
        rows.append(weighted(shares[: len(values)], values))
    return rows


def affine(layer, x):
    """A linear layer, given as a pair of lists, of one vector."""
    return [dot(row, x) + shift for row, shift in zip(*layer, strict=True)]


def compared(how, a, h, layer=None):
    """The comparison of two vectors; ``layer`` has a weight and a bias."""
    product = [x * y for x, y in zip(a, h, strict=True)]
    square = [(x - y) ** 2 for x, y in zip(a, h, strict=True)]
    if how == "mult":
        return product
    if how == "sub":
        return square
    if how == "euccos":
        lengths = math.hypot(*a) * math.hypot(*h)
        return [math.sqrt(sum(square)), sum(product) / lengths if lengths else 0.0]
    if how == "ntn":
        found = [
            sum(a[i] * slice_[i][j] * h[j] for i in range(len(a)) for j in range(len(h))) + shift
            for slice_, shift in zip(*layer, strict=True)
        ]
    else:
        found = affine(layer, square + product if how == "submult-nn" else a + h)
    return [max(0.0, x) for x in found]


def intra_attended(tokens, seen, distances):
    """Tokens with their counterparts; ``seen`` are the compared values, ``distances`` maps i - j."""
    farthest = max(distances)
    scores = [
        [dot(one, other) + distances[max(-farthest, min(farthest, i - j))] for j, other in enumerate(seen)]
        for i, one in enumerate(seen)
    ]
    return [token + found for token, found in zip(tokens, attended(scores, tokens), strict=True)]


def attentive_lstm(inputs, memory, weights):
    """States of the match-LSTM.

    ``weights``: "memory" (5H x D), "inputs" (5H x D) and "bias" (5H), "state" (5H x H), "scores" (H). The
    first H rows are the attention's, the others those of the input-keeping gates in the order forget, write,
    show, new.
    """
    hidden = len(weights["scores"])
    state, cell = [0.0] * hidden, [0.0] * hidden
    states = []
    for given in inputs:
        energies = []
        for kept in [*memory, [0.0] * len(given)]:
            inner = [
                math.tanh(
                    dot(weights["memory"][h], kept)
                    + dot(weights["inputs"][h], given)
                    + weights["bias"][h]
                    + dot(weights["state"][h], state)
                )
                for h in range(hidden)
            ]
            energies.append(dot(weights["scores"], inner))
        found = weighted(softmax(energies), [*memory, [0.0] * len(given)])
        gates = [
            dot(weights["memory"][row], found)
            + dot(weights["inputs"][row], given)
            + weights["bias"][row]
            + dot(weights["state"][row], state)
            for row in range(hidden, 5 * hidden)
        ]
        forget, write, show = (
            [1 / (1 + math.exp(-x)) for x in gates[k * hidden :][:hidden]] for k in range(3)
        )
        new = [math.tanh(x) for x in gates[3 * hidden :]]
        cell = [f * c + w * n for f, c, w, n in zip(forget, cell, write, new, strict=True)]
        state = [s * math.tanh(c) for s, c in zip(show, cell, strict=True)]
        states.append(state)
    return states
