"""Vectors of a large batch in the memory of a small one."""

from dataclasses import fields
from typing import Any

import torch
from torch import Tensor, nn
from torch.utils.checkpoint import checkpoint

from textkin.networks.batches.padded import TextBatch
from textkin.training.rows_across_processes import SharedRows


def cached_vectors(model: nn.Module, texts: TextBatch, *, size: int, trim: bool = True) -> Tensor:
    """The vectors of all texts, with at most ``size`` texts in a tower's memory at a time.

    Texts go through the tower in mini-batches, and once more for their gradient, with the same random
    numbers. Source: the gradient cache of Gao et al. 2021.

    Args:
        model: a tower.
        texts: N texts; those of similar length share a mini-batch.
        size: the size of a mini-batch.
        trim: remove unneeded padding from a mini-batch.

    Returns:
        Shape [N, dim].
    """
    if isinstance(model, SharedRows):
        # Each process has mini-batches of its own rows.
        network = model.network
        return model.split(lambda own: cached_vectors(network, own, size=size, trim=trim), texts)

    def run(*parts: Any) -> Tensor:
        return model(TextBatch(*parts))

    order = torch.argsort(texts.lengths, stable=True)
    vectors = [
        # As tensors and not as one batch: the checkpoint recognises the random device only from tensors.
        checkpoint(run, *_parts(texts.select(rows), trim=trim), use_reentrant=False)
        for rows in torch.split(order, size)
    ]
    return torch.cat(vectors).index_select(0, order.argsort())


def _parts(texts: TextBatch, *, trim: bool) -> list[Tensor | None]:
    width = max(1, int(texts.lengths.max())) if trim else texts.ids.shape[1]
    parts = [getattr(texts, field.name) for field in fields(texts)]
    return [None if part is None else part[:, :width] for part in parts]
