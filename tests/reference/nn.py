"""Slow and obvious doubles of the layers, one number at a time."""

import math


def dot(row, vector):
    return sum(a * b for a, b in zip(row, vector, strict=True))


def hard_sigmoid(x):
    return min(1.0, max(0.0, 0.2 * x + 0.5))


def keras_gru(tokens, weights, *, activation):
    """States of one text; ``weights`` are lists: inputs (3H x D), bias, gates (2H x H), candidate."""
    act = math.tanh if activation == "tanh" else lambda x: 1 / (1 + math.exp(-x))
    hidden = len(weights["candidate"])
    state = [0.0] * hidden
    states = []
    for token in tokens:
        given = [dot(row, token) + bias for row, bias in zip(weights["inputs"], weights["bias"], strict=True)]
        update = [hard_sigmoid(given[h] + dot(weights["gates"][h], state)) for h in range(hidden)]
        reset = [
            hard_sigmoid(given[hidden + h] + dot(weights["gates"][hidden + h], state)) for h in range(hidden)
        ]
        kept = [r * s for r, s in zip(reset, state, strict=True)]
        candidate = [act(given[2 * hidden + h] + dot(weights["candidate"][h], kept)) for h in range(hidden)]
        state = [u * s + (1 - u) * c for u, s, c in zip(update, state, candidate, strict=True)]
        states.append(state)
    return states


def keras_lstm(tokens, weights, *, activation="tanh"):
    """States of one text; ``weights`` are lists: inputs (4H x D), bias, states (4H x H); gates i, f, c, o."""
    act = math.tanh if activation == "tanh" else lambda x: 1 / (1 + math.exp(-x))
    hidden = len(weights["states"][0])
    state, memory, states = [0.0] * hidden, [0.0] * hidden, []
    for token in tokens:
        summed = [
            dot(weights["inputs"][row], token) + weights["bias"][row] + dot(weights["states"][row], state)
            for row in range(4 * hidden)
        ]
        state, memory = list(state), list(memory)
        for h in range(hidden):
            enters, stays, new, leaves = (summed[part * hidden + h] for part in range(4))
            memory[h] = hard_sigmoid(stays) * memory[h] + hard_sigmoid(enters) * act(new)
            state[h] = hard_sigmoid(leaves) * act(memory[h])
        states.append(state)
    return states


def pooled(states, length, how):
    """One vector of the first ``length`` states of a text."""
    if length == 0:
        return [0.0] * len(states[0])
    tokens = states[:length]
    if how == "last":
        return tokens[-1]
    if how == "first":
        return tokens[0]
    of = {
        "max": max,
        "sum": sum,
        "mean": lambda column: sum(column) / length,
        "root-mean": lambda column: sum(column) / length**0.5,
        "weighted-mean": lambda column: (
            sum(place * value for place, value in enumerate(column, start=1)) / sum(range(1, length + 1))
        ),
    }[how]
    return [of(column) for column in zip(*tokens, strict=True)]


def convolved(tokens, weight, bias):
    """Filters over one text: weight [filters][D][width]; the window is centred, to the left if even."""
    width = len(weight[0][0])
    before = (width - 1) // 2
    rows = []
    for place in range(len(tokens)):
        row = []
        for filter_weight, filter_bias in zip(weight, bias, strict=True):
            total = filter_bias
            for offset in range(width):
                at = place - before + offset
                if 0 <= at < len(tokens):
                    total += sum(filter_weight[d][offset] * tokens[at][d] for d in range(len(tokens[at])))
            row.append(max(0.0, total))
        rows.append(row)
    return rows
