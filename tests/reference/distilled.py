"""A distillation spelt out: token after token, and least squares with a dense solver."""

from __future__ import annotations

import math

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


def divergence(vectors: np.ndarray, teacher: np.ndarray, temperature: float) -> float:
    """How far the shares of attention are from the teacher's, text after text."""
    total = 0.0
    for text in range(len(vectors)):
        others = [other for other in range(len(vectors)) if other != text]
        ours, theirs = (_shares(rows[text], rows[others], temperature) for rows in (vectors, teacher))
        total += sum(p * math.log(p / q) for p, q in zip(theirs, ours, strict=True))
    return total / len(vectors)


def _shares(text: np.ndarray, others: np.ndarray, temperature: float) -> list[float]:
    powers = []
    for other in others:
        cosine = float(text @ other) / math.sqrt(float(text @ text) * float(other @ other))
        powers.append(math.exp(cosine / temperature))
    return [power / sum(powers) for power in powers]


def one_step(table: np.ndarray, ids, teacher: np.ndarray, *, temperature: float, rate: float) -> np.ndarray:
    """The table after torch's Adam has made one step for texts whose vectors are sums over tokens."""
    scale = np.median(np.linalg.norm(table, axis=1))
    rows = torch.tensor(table / scale, dtype=torch.float64, requires_grad=True)
    texts = torch.stack([rows[torch.as_tensor(row).long()].sum(dim=0) for row in ids])
    logarithms = []
    for vectors in (texts, torch.tensor(teacher, dtype=torch.float64)):
        units = torch.nn.functional.normalize(vectors, dim=1)
        cosines = (units @ units.T).masked_fill(torch.eye(len(units), dtype=torch.bool), -1e9)
        logarithms.append((cosines / temperature).log_softmax(dim=1))
    loss = torch.nn.functional.kl_div(*logarithms, log_target=True, reduction="batchmean")
    optimiser = torch.optim.Adam([rows], lr=rate)
    loss.backward()
    optimiser.step()
    return rows.detach().numpy() * scale
