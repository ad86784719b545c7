"""Inputs of the tests of losses."""

import numpy as np
import torch

GRADES = [0.5, 0.0, 1.0, 0.5, 0.25, 1.0, 0.0]


def tensor(values, **options):
    return torch.tensor(values, dtype=torch.float64, **options)


def vectors(seed, count=3, rows=7, width=4):
    """Sides of triplets or pairs, with a row that all sides share and a row of zeros."""
    random = np.random.default_rng(seed)
    made = random.normal(size=(count, rows, width))
    made[:, seed % rows] = made[0, seed % rows]  # anchor, positive and negative are equal
    made[seed % count, 0] = 0
    return made


def pair_data(seed, low, high):
    """Values of pairs, rounded to ties in every second draw, and labels 0 or 1."""
    random = np.random.default_rng(seed)
    size = int(random.integers(1, 12))
    values = random.uniform(low, high, size)
    return values.round(1) if seed % 2 else values, random.integers(0, 2, size)
