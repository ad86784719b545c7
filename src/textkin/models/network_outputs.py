"""Outputs of networks: checked, as probabilities, as scores."""

from collections.abc import Sequence

import numpy as np

from textkin.base.arrays import Floats32
from textkin.base.errors import ModelError, invalid


def finite(rows: Floats32, name: str) -> Floats32:
    """A network's output, checked to be finite.

    Raises:
        ModelError: a number isn't finite, since the network's weights are too large.
    """
    if not np.isfinite(rows).all():
        raise ModelError(
            f"{name} gives numbers that are not finite",
            fix="train it again, or choose another model",
            params=(name,),
        )
    return rows


def softmax(outputs: Floats32) -> Floats32:
    """Convert class logits to probabilities. Shape [pairs, classes]."""
    powers = np.exp(outputs - outputs.max(axis=1, keepdims=True, initial=-np.inf))
    return powers / powers.sum(axis=1, keepdims=True)


def require_similarity(labels: Sequence[str], name: str) -> None:
    """Check that one of two classes means similar.

    Raises:
        UsageError: there are other classes.
    """
    if len(labels) != 2:
        raise invalid(
            "model",
            name,
            expected="a model that gives a similarity",
            fix=f"or pairs labelled with its {len(labels)} classes: {', '.join(labels)}",
        )


def log_odds(outputs: Floats32) -> Floats32:
    """The log-odds of the second of two classes, from outputs of shape [pairs, 2]. Shape [pairs]."""
    return outputs[:, 1] - outputs[:, 0]
