"""Gradients of embedding tables that last from step to step."""

from __future__ import annotations

from typing import final

import torch
from torch import Tensor, nn
from torch.optim import Optimizer

from textkin.nn.embedding import TokenEmbedding
from textkin.training.device import Device


@final
class TableGradients:
    """One dense gradient for each trained embedding table; a step fills and clears its own rows of it alone.

    Otherwise every look-up makes a gradient of the whole table, nearly all zeros, and every step adds these
    up: more work than the rest of a step. The sums are the same but for the order of their terms. On a GPU
    and with several processes everything stays as torch has it.

    Args:
        module: whose embeddings are meant.
        device: where it is trained.
    """

    def __init__(self, module: nn.Module, device: Device) -> None:
        self._rows: dict[nn.Parameter, list[Tensor]] = {}
        alone = device.processes == 1 and device.device.type == "cpu"
        self._embeddings = [
            part
            for part in module.modules()
            if alone and isinstance(part, TokenEmbedding) and part.table.requires_grad
        ]
        self._hooks = [self._watch(embedding) for embedding in self._embeddings]

    def _watch(self, embedding: TokenEmbedding) -> torch.utils.hooks.RemovableHandle:
        rows = self._rows[embedding.table] = []
        embedding.sparse_gradient = True
        embedding.table.grad = torch.zeros_like(embedding.table)
        handle: torch.utils.hooks.RemovableHandle = embedding.table.register_hook(  # type: ignore[no-untyped-call]
            lambda gradient: rows.append(gradient._indices()[0])
        )
        return handle

    def clear(self, optimiser: Optimizer) -> None:
        """Before a step: no parameter of the optimiser has a gradient."""
        for group in optimiser.param_groups:
            for parameter in group["params"]:
                if parameter not in self._rows:
                    parameter.grad = None
        for table, rows in self._rows.items():
            for some in rows:
                assert table.grad is not None  # noqa: S101 - made in the beginning, never taken away
                table.grad.index_fill_(0, some, 0.0)
            rows.clear()

    def release(self) -> None:
        """Leave the module as it was found."""
        for embedding, hook in zip(self._embeddings, self._hooks, strict=True):
            hook.remove()
            embedding.sparse_gradient = False
            embedding.table.grad = None
