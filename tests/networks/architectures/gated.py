"""Common parts of the tests of models with a term gate."""

import torch

from tests.networks.architectures.matching import IDF, values, vectors
from tests.reference.matching_matrix import layer, shares


def gated(model, text, terms, *, gate):
    """The sum of each word's value, weighted by a softmax over the words."""
    weight, _ = values((model.attention if hasattr(model, "attention") else model.gate).weight)
    known = [[float(IDF[token])] for token in text] if gate == "idf" else vectors(model, text)
    weights = shares([layer(weight, [0.0], one)[0] for one in known])
    return [
        sum(w * term[out] for w, term in zip(weights, terms, strict=True)) for out in range(len(terms[0]))
    ]


def dense(parts, inputs, activation):
    """Two dense layers."""
    return layer(*values(parts[1]), [activation(value) for value in layer(*values(parts[0]), inputs)])


def linear_parts(module):
    return [part for part in module if isinstance(part, torch.nn.Linear)]
