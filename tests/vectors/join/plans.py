"""Plans of every kind, for vectors with leading and trailing parts."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from textkin.vectors.join.bound_plan import Plan
from textkin.vectors.join.prepared_rows import by_cosine
from textkin.vectors.join.score_bounds import rotation_for

DIM = 40

NUMBERS = [pytest.param(number, marks=pytest.mark.torch) if number % 2 else number for number in range(8)]
"""The numbers of all plans; odd ones multiply in bfloat16, with torch."""


def kindred(count: int, *, seed: int = 0, dim: int = DIM) -> NDArray[np.float32]:
    """Vectors in small groups, of many lengths, with two zero vectors and some equal ones."""
    rng = np.random.default_rng(seed)
    weights = np.linspace(2, 0.1, dim)
    centres = rng.standard_normal((max(count // 4, 1), dim)) * weights
    vectors = centres[rng.integers(0, len(centres), count)] + 0.4 * weights * rng.standard_normal(
        (count, dim)
    )
    vectors[1::9] = vectors[0]
    vectors[2:4] = 0
    return (vectors * rng.lognormal(size=(count, 1))).astype(np.float32)


def plans(vectors: NDArray[np.float32]) -> list[Plan]:
    rotation = rotation_for([by_cosine(vectors)])
    whole = [Plan(vectors.shape[1], bf16, None) for bf16 in (False, True)]
    return whole + [Plan(width, bf16, rotation) for width in (2, 8, 24) for bf16 in (False, True)]
