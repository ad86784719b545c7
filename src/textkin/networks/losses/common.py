"""Common parts of all losses: input types, reduction, and checks."""

from enum import StrEnum
from typing import Literal

import torch
from torch import Tensor

from textkin.base.errors import UsageError

Reduction = Literal["mean", "sum"]


class LossInput(StrEnum):
    """The inputs of a loss, in this order.

    Shapes: B pairs or texts, T triplets, K negatives of each, N candidates of Q queries, C classes, D width
    of vectors; R rows of a batch against its M texts; T tokens of a passage, A places of an answer.
    """

    ROWS = "rows"  # similarities [R, M], allowed negatives [R, M] or None, the first row's positive
    PAIR_DISTANCES = "pair-distances"  # distances [B], labels 1 same and 0 not [B]
    PAIR_SCORES = "pair-scores"  # scores [B], labels [B]
    PAIR_SIMILARITIES = "pair-similarities"  # scores [B], target values [B]
    PAIR_VECTORS = "pair-vectors"  # first texts [B, D], second texts [B, D], labels [B]
    CLASS_SCORES = "class-scores"  # scores [B, C], class indexes [B]
    TRIPLET_VECTORS = "triplet-vectors"  # anchors, positives, negatives, each [T, D]
    TRIPLET_SCORES = "triplet-scores"  # scores of positives [T], scores of negatives [T] or [T, K]
    TRIPLET_MARGINS = "triplet-margins"  # as before, and a teacher's margins between them, [T] or [T, K]
    LISTS = "lists"  # scores [N], labels [N], offsets [Q + 1]
    TEACHER_VECTORS = "teacher-vectors"  # vectors [B, D], a teacher's vectors of the same texts [B, D]
    GROUPED_VECTORS = "grouped-vectors"  # vectors [B, D], the group of each text [B]
    SPANS = "spans"  # logits of first and of last tokens [B, T], of neither [B, 2] or None, spans [B, A, 2]


def reduced(values: Tensor, reduction: Reduction) -> Tensor:
    """The mean or sum over rows; 0 without rows.

    Half-precision values are summed in float32.
    """
    total = at_least_single(values).sum()
    return total / max(1, values.numel()) if reduction == "mean" else total


def at_least_single(values: Tensor) -> Tensor:
    """Half-precision values as float32; others as they are."""
    return values.to(torch.promote_types(values.dtype, torch.float32))


def same_shape(**tensors: Tensor) -> None:
    """Check that tensors have the same shape: broadcasting would silently give another loss.

    Raises:
        UsageError: they differ.
    """
    if len({tensor.shape for tensor in tensors.values()}) > 1:
        raise wrong_shapes("the same", **tensors)


def wrong_shapes(expected: str, **tensors: Tensor) -> UsageError:
    """An error about the shapes of tensors, by their names."""
    shapes = {name: list(tensor.shape) for name, tensor in tensors.items()}
    found = ", ".join(f"{name} {shape}" for name, shape in shapes.items())
    told = f"the shapes are {found}; expected {expected}"
    return UsageError(told, params=tuple(shapes), value=shapes, expected=expected)


def negatives_mask(similarities: Tensor, allowed: Tensor | None, *, first: int = 0) -> Tensor:
    """A mask of negatives in rows of in-batch similarities: allowed entries except positives.

    Args:
        similarities: shape [R, C].
        allowed: None for all; bool. Shape [R, C].
        first: the column of the first row's positive; it increases by one per row.

    Raises:
        UsageError: a row has no column for its positive, or the mask has another shape.
    """
    if similarities.ndim != 2 or similarities.shape[1] < first + len(similarities):
        raise wrong_shapes(f"[R, C] with C >= {first} + R", similarities=similarities)
    others = ~positives_mask(similarities, first=first)
    if allowed is None:
        return others
    same_shape(similarities=similarities, allowed=allowed)
    return others & allowed


def positives_mask(similarities: Tensor, *, first: int = 0) -> Tensor:
    """A mask of the rows' positives in rows of in-batch similarities, bool. Shape [R, C]."""
    columns = torch.arange(similarities.shape[1], device=similarities.device)
    return columns == columns[first : first + len(similarities), None]
