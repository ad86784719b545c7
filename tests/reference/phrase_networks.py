"""Slow and obvious doubles of phrase-indexed question answering: one text alone, one phrase at a time."""

import torch

from tests.reference.attention_flow import highway, softmax, weighted
from tests.reference.nn import dot
from tests.reference.recurrent import read


def self_attention(head, states):
    """The output of a ``SelfAttentionHead`` for each token of a text, as lists."""
    keys = read(head.keys, states)[0].tolist()
    queries = keys if head.queries is None else read(head.queries, states)[0].tolist()
    values = states.tolist()
    return [weighted(softmax([dot(query, key) for key in keys]), values) for query in queries]


def passage_vectors(encoder, vectors):
    """The vectors of a passage's tokens at one end, as lists."""
    states = read(encoder.states, vectors)[0]
    found = [self_attention(head, states) for head in encoder.heads]
    return [state + [x for one in found for x in one[place]] for place, state in enumerate(states.tolist())]


def question_vector(encoder, vectors):
    """The vector of a question for one end, as a list."""
    states = read(encoder.states, vectors)[0]
    found = [self_attention(head, states) for head in encoder.heads]
    rows = [[x for one in found for x in one[place]] for place in range(len(states))]
    return rows[0] if encoder.reads_first else [max(column) for column in zip(*rows, strict=True)]


def token_vectors(model, tokens, spellings):
    """Words and characters of a text after the highways. Shape [L, D]."""
    rows = []
    for token, spelling in zip(tokens, spellings, strict=True):
        table = model.words.embedding.table
        row = (table[token] * model.words.scale * model.words.embedding.kept[token]).tolist()
        letters = [model.characters.letters.table[unit].tolist() for unit in spelling]
        scale = model.characters.scale
        row += [scale * max(column) for column in zip(*letters, strict=True)]
        layers = [(layer.weight.tolist(), layer.bias.tolist()) for layer in model.highway.layers]
        rows.append(highway(row, layers))
    return torch.tensor(rows)


def phrases_of(start, end, most, *, closeness="ip"):
    """Each phrase of a passage with a function from a question's two vectors to its score."""

    def score(vector, asked):
        if closeness == "ip":
            return dot(vector, asked)
        return -sum((x - y) ** 2 for x, y in zip(vector, asked, strict=True)) / 2

    def scorer(i, j):
        return lambda first, last: score(start[i], first) + score(end[j], last)

    return {(i, j): scorer(i, j) for i in range(len(start)) for j in range(i, min(len(end), i + most))}
