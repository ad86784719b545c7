"""Distances between the rows of two matrices, with finite gradients for equal rows and zero rows.

Shapes: T rows, D width of vectors.
"""

from typing import Literal

import torch
from torch import Tensor

DistanceName = Literal["cosine", "euclidean", "manhattan"]
_TINY = 1e-12


def distance(a: Tensor, b: Tensor, name: DistanceName) -> Tensor:
    """The distance of each row of ``a`` [T, D] from that of ``b`` [T, D]. Shape [T]."""
    if name == "cosine":
        return cosine_distance(a, b)
    return euclidean_distance(a, b) if name == "euclidean" else manhattan_distance(a, b)


def cosine_distance(a: Tensor, b: Tensor) -> Tensor:
    """1 - cosine of each row of ``a`` [T, D] with that of ``b`` [T, D]; 1 where a row is zero. Shape [T]."""
    cosine: Tensor = (unit(a) * unit(b)).sum(dim=-1)
    return 1 - cosine


def euclidean_distance(a: Tensor, b: Tensor) -> Tensor:
    """The length of the difference of each row of ``a`` [T, D] and that of ``b`` [T, D]. Shape [T]."""
    return torch.linalg.vector_norm(a - b, dim=-1)


def manhattan_distance(a: Tensor, b: Tensor) -> Tensor:
    """The sum of the absolute differences of each row of ``a`` [T, D] and that of ``b`` [T, D]. Shape [T]."""
    return (a - b).abs().sum(dim=-1)


def distances_within(vectors: Tensor, name: DistanceName) -> Tensor:
    """The distance of each row of ``vectors`` [T, D] from each. Shape [T, T]."""
    if name == "cosine":
        rows = unit(vectors)
        return 1 - rows @ rows.T
    if name == "manhattan":
        return torch.cdist(vectors, vectors, p=1.0)
    # Not by products: they lose the distance of rows that are nearly equal.
    return torch.cdist(vectors, vectors, compute_mode="donot_use_mm_for_euclid_dist")


def unit(vectors: Tensor) -> Tensor:
    """Rows of length 1; zero rows stay zero."""
    # functional.normalize would divide the gradient of a zero row by its epsilon.
    lengths: Tensor = torch.linalg.vector_norm(vectors, dim=-1, keepdim=True)
    return vectors / lengths.masked_fill(lengths < _TINY, 1.0)
