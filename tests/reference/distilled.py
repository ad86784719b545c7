"""A distillation spelt out: token after token, and least squares with a dense solver."""

from __future__ import annotations

import numpy as np
import torch


def token_alone(backbone, before: list[int], ids: list[int], after: list[int]) -> np.ndarray:
    """The mean of a transformer's states over a token and the special tokens around it."""
    row = torch.tensor([[*before, *ids, *after]])
    with torch.no_grad():
        states = backbone(input_ids=row, attention_mask=torch.ones_like(row)).last_hidden_state
    return states[0].mean(dim=0).numpy()


def components(vectors: np.ndarray, dim: int) -> np.ndarray:
    """The coordinates of vectors along their principal components, by a singular value decomposition."""
    centred = vectors - vectors.mean(axis=0)
    _, _, axes = np.linalg.svd(centred, full_matrices=False)
    along = centred @ axes[:dim].T
    for column in along.T:
        if column[np.abs(column).argmax()] < 0:
            column *= -1
    return along


def fit(table: np.ndarray, ids, targets: np.ndarray, *, strength: float, rounds: int) -> np.ndarray:
    """Ridge regression from normalised token counts to unit targets, solved outright."""
    counts = np.zeros((len(ids), len(table)))
    for row, tokens in enumerate(ids):
        for token in tokens:
            counts[row, token] += 1
    wanted = targets / np.linalg.norm(targets, axis=1, keepdims=True)
    found = table.astype(np.float64)
    for _ in range(rounds):
        factors = [1 / length if length else 0.0 for length in np.linalg.norm(counts @ found, axis=1)]
        rows = np.diag(factors) @ counts
        ridge = strength * np.mean(np.square(factors))
        left = rows.T @ rows + ridge * np.eye(len(table))
        found = np.linalg.solve(left, rows.T @ wanted + ridge * table)
    return found
