"""A distillation in detail: token by token, and least squares with a dense solver."""

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
    """Ridge regression from normalised token counts to unit targets, solved directly."""
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


def disagreement(vectors: np.ndarray, teacher: np.ndarray, temperature: float) -> float:
    """The distance of attention weights and cosines from the teacher's, text by text."""
    total = 0.0
    for text in range(len(vectors)):
        others = [other for other in range(len(vectors)) if other != text]
        ours, theirs = ([_cosine(rows[text], rows[other]) for other in others] for rows in (vectors, teacher))
        shares = zip(_shares(theirs, temperature), _shares(ours, temperature), strict=True)
        total += sum(p * math.log(p / q) for p, q in shares)
        gaps = [a - b for a, b in zip(ours, theirs, strict=True)]
        total += sum(gap**2 for gap in gaps) / len(gaps) / (2 * temperature**2)
    return total / len(vectors)


def _cosine(one: np.ndarray, other: np.ndarray) -> float:
    return float(one @ other) / math.sqrt(float(one @ one) * float(other @ other))


def _shares(cosines: list[float], temperature: float) -> list[float]:
    powers = [math.exp(cosine / temperature) for cosine in cosines]
    return [power / sum(powers) for power in powers]


def one_step(table: np.ndarray, ids, teacher: np.ndarray, *, temperature: float, rate: float) -> np.ndarray:
    """The table after one step of torch's Adam for texts whose vectors are sums over tokens."""
    scale = np.median(np.linalg.norm(table, axis=1))
    rows = torch.tensor(table / scale, dtype=torch.float64, requires_grad=True)
    texts = torch.stack([rows[torch.as_tensor(row).long()].sum(dim=0) for row in ids])
    itself = torch.eye(len(texts), dtype=torch.bool)
    cosines = []
    for vectors in (texts, torch.tensor(teacher, dtype=torch.float64)):
        units = torch.nn.functional.normalize(vectors, dim=1)
        cosines.append(units @ units.T)
    shares = [(rows.masked_fill(itself, -1e9) / temperature).log_softmax(dim=1) for rows in cosines]
    loss = torch.nn.functional.kl_div(*shares, log_target=True, reduction="batchmean")
    loss = loss + torch.nn.functional.mse_loss(*(rows[~itself] for rows in cosines)) / (2 * temperature**2)
    optimiser = torch.optim.Adam([rows], lr=rate)
    loss.backward()
    optimiser.step()
    return rows.detach().numpy() * scale
