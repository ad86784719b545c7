"""What all losses share: what they are called with, reduction, and checks of their options and inputs."""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum
from typing import Literal

import torch
from torch import Tensor

from textkin.errors import ConfigError, UsageError

Reduction = Literal["mean", "sum"]


class LossInput(StrEnum):
    """What the forward method of a loss takes, in this order.

    Shapes: B pairs, T triplets, N candidates of Q queries, C classes, D width of vectors.
    """

    PAIR_MATRIX = (
        "pair-matrix"  # similarities of every a with every b [B, B], allowed negatives [B, B] or None
    )
    PAIR_DISTANCES = "pair-distances"  # distances [B], labels 1 same and 0 not [B]
    PAIR_SCORES = "pair-scores"  # scores [B], labels [B]
    CLASS_SCORES = "class-scores"  # scores [B, C], class indexes [B]
    TRIPLET_VECTORS = "triplet-vectors"  # anchors, positives, negatives, each [T, D]
    TRIPLET_SCORES = "triplet-scores"  # scores of positives [T], scores of negatives [T] or [T, K]
    LISTS = "lists"  # scores [N], labels [N], offsets [Q + 1]


def reduced(values: Tensor, reduction: Reduction) -> Tensor:
    """The mean or sum of what each row contributes; 0 where there is no row.

    Half-precision values are summed in float32.
    """
    total = at_least_single(values).sum()
    return total / max(1, values.numel()) if reduction == "mean" else total


def at_least_single(values: Tensor) -> Tensor:
    """Half-precision values as float32; others as they are."""
    return values.to(torch.promote_types(values.dtype, torch.float32))


def one_of(name: str, value: str, choices: Sequence[str]) -> None:
    """Check an option that is a word.

    Raises:
        ConfigError: it is not among ``choices``.
    """
    if value not in choices:
        raise ConfigError(f"{name} is {value!r}, expected one of: {', '.join(choices)}")


def known_reduction(value: str) -> None:
    """Check the option that all losses have.

    Raises:
        ConfigError: it is neither "mean" nor "sum".
    """
    one_of("reduction", value, ("mean", "sum"))


def above_zero(name: str, value: float) -> None:
    """Check an option that is a positive number.

    Raises:
        ConfigError: it is not, or is infinite.
    """
    if not 0 < value < float("inf"):
        raise ConfigError(f"{name} is {value}, expected a finite number above 0")


def same_shape(**tensors: Tensor) -> None:
    """Check that tensors have the same shape: broadcasting would silently give another loss.

    Raises:
        UsageError: they have not.
    """
    shapes = {name: list(tensor.shape) for name, tensor in tensors.items()}
    if any(shape != next(iter(shapes.values())) for shape in shapes.values()):
        found = ", ".join(f"{name} {shape}" for name, shape in shapes.items())
        raise UsageError(f"different shapes: {found}; expected the same")


def negatives_mask(similarities: Tensor, allowed: Tensor | None) -> Tensor:
    """Which entries of a matrix of in-batch similarities are negatives: the allowed ones off the diagonal.

    Args:
        similarities: shape [B, B].
        allowed: None for all; bool. Shape [B, B].

    Raises:
        UsageError: the matrix is not square, or the mask has another shape.
    """
    rows = len(similarities)
    if similarities.shape != (rows, rows):
        raise UsageError(f"similarities have shape {list(similarities.shape)}, expected [B, B]")
    off_diagonal = ~torch.eye(rows, dtype=torch.bool, device=similarities.device)
    if allowed is None:
        return off_diagonal
    same_shape(similarities=similarities, allowed=allowed)
    return off_diagonal & allowed
