"""Networks whose scores are sums over tokens: towers that sum vectors, and late interaction."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from textkin.data.attention_map import AttentionMap
from textkin.data.token_attributions import TokenShares
from textkin.models.inference.engine import evaluating
from textkin.networks.architectures.siamese import Siamese
from textkin.networks.architectures.static import StaticTower
from textkin.networks.architectures.tower import Tower
from textkin.networks.batches.padded import TextBatch

_SUMS = ("mean", "sum", "root-mean")


def is_sum(module: Tower) -> bool:
    """True if a text's vector is the direction of a sum over its tokens."""
    if isinstance(module, Siamese):
        plain = module.layer is None and module.dense is None and module.mask
        return plain and module.pooling in _SUMS
    return isinstance(module, StaticTower)


def token_rows(module: Any, ids: NDArray[np.int32], *, pad_id: int) -> NDArray[np.float64]:
    """Vectors whose sum has the direction of a text's vector, for a tower that :func:`is_sum`.

    Args:
        module: the tower.
        ids: the token ids of the text, shape [T] or [T, 1 + G].
        pad_id: the padding token.

    Returns:
        Shape [T, dim].
    """
    batch = TextBatch.from_ids([ids], pad_id=pad_id).to(next(module.parameters()).device)
    with evaluating(module), torch.inference_mode():
        rows = module.embedding(batch.ids)
        if isinstance(module, StaticTower) and module.projection is not None:
            rows = module.projection(rows)
    found: NDArray[np.float64] = rows[0, : len(ids)].double().cpu().numpy()
    return found


def late_shares(products: AttentionMap) -> TokenShares:
    """The contribution of each token pair to a late-interaction score, from all cosines.

    Each token of the first text counts with the most similar token of the second; ties go to the first.
    """
    weights = products.weights.astype(np.float64)
    shares = np.zeros_like(weights)
    if weights.size:
        rows, best = np.arange(len(weights)), weights.argmax(axis=1)
        shares[rows, best] = weights[rows, best]
    return TokenShares(products.rows, products.columns, shares)
