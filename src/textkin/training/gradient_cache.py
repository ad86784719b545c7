"""Vectors of a large batch in the memory of a small one."""

from __future__ import annotations

from dataclasses import fields
from typing import Any

import torch
from torch import Tensor, nn
from torch.utils.checkpoint import checkpoint

from textkin.networks.batches.padded import TextBatch
from textkin.training.rows_across_processes import SharedRows


def cached_vectors(model: nn.Module, texts: TextBatch, *, size: int, trim: bool = True) -> Tensor:
    """The vectors of all texts, for which a tower never holds more than ``size`` texts in memory.

    Texts go through the tower a mini-batch at a time, and once more when their gradient is wanted, with the
    random numbers of the first time. Source: the gradient cache of Gao et al. 2021.

    Args:
        model: a tower.
        texts: N of them; those of about the same length share a mini-batch.
        size: of a mini-batch.
        trim: cut off the padding that a mini-batch has no need of.

    Returns:
        Shape [N, dim].
    """
    if isinstance(model, SharedRows):
        # Each process has mini-batches of its own rows.
        network = model.network
        return model.split(lambda own: cached_vectors(network, own, size=size, trim=trim), texts)

    def run(*parts: Any) -> Tensor:
        vectors: Tensor = model(TextBatch(*parts))
        return vectors

    order = torch.argsort(texts.lengths, stable=True)
    vectors = [
        # As tensors and not as one batch: of these alone the checkpoint knows which device draws.
        checkpoint(run, *_parts(texts.select(rows), trim=trim), use_reentrant=False)
        for rows in torch.split(order, size)
    ]
    return torch.cat(vectors).index_select(0, order.argsort())


def _parts(texts: TextBatch, *, trim: bool) -> list[Tensor | None]:
    width = max(1, int(texts.lengths.max())) if trim else texts.ids.shape[1]
    parts = [getattr(texts, field.name) for field in fields(texts)]
    return [None if part is None else part[:, :width] for part in parts]
