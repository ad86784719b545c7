"""Common parts of the tests of models over letter n-grams."""

import math

from tests.networks.architectures.spelt import SIZE, UNITS
from tests.reference.losses import cosine

SMALL = {"size": SIZE, "pad_id": 0, "unit_size": UNITS}


def tanh(values, bias=None):
    return [math.tanh(value + (bias[at] if bias else 0)) for at, value in enumerate(values)]


def scored(model, of_a, of_b):
    """The linear function of a cosine."""
    layer = model.score.linear
    return layer.weight[:, 0] * cosine(of_a, of_b) + layer.bias
