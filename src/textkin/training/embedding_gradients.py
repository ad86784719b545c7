"""Gradients of embedding tables that persist from step to step."""

from typing import TypeGuard

import torch
from torch import Tensor, nn
from torch.optim import Optimizer

from textkin.networks.nn.embedding import TokenEmbedding
from textkin.training.device import Device

# Smaller tables, such as those of positions, are cheaper with torch's own gradients.
_LARGE = 2048


class TableGradients:
    """A dense gradient per trained embedding table, of which a step fills and clears only its rows.

    Otherwise every look-up creates a gradient of the whole table, nearly all zeros, and every step sums
    these: more work than the rest of a step. The sums are equal except for the order of their terms. On a GPU
    and with several processes torch's own gradients are used.

    Args:
        module: the module with the embeddings.
        device: the device of training.
    """

    def __init__(self, module: nn.Module, device: Device) -> None:
        self._rows: dict[Tensor, list[Tensor]] = {}
        alone = device.processes == 1 and device.device.type == "cpu"
        self._embeddings = [part for part in module.modules() if alone and _is_meant(part)]
        self._hooks = [self._watch(table) for table in dict.fromkeys(map(_table, self._embeddings))]
        for embedding in self._embeddings:
            embedding.sparse = True

    def _watch(self, table: Tensor) -> torch.utils.hooks.RemovableHandle:
        rows = self._rows[table] = []
        table.grad = torch.zeros_like(table)

        def touched(gradient: Tensor) -> None:
            # It is dense if a network also reads its table in another way.
            rows.append(gradient._indices()[0] if gradient.is_sparse else torch.arange(len(table)))

        handle: torch.utils.hooks.RemovableHandle = table.register_hook(touched)  # type: ignore[no-untyped-call]
        return handle

    def clear(self, optimiser: Optimizer) -> None:
        """Clear all gradients of the optimiser's parameters before a step."""
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
        """Restore the module's original state."""
        for hook in self._hooks:
            hook.remove()
        for embedding in self._embeddings:
            embedding.sparse = False
            _table(embedding).grad = None


def _is_meant(part: nn.Module) -> TypeGuard[TokenEmbedding | nn.Embedding]:
    """True if a module looks up in its own trained table of sufficient size."""
    if isinstance(part, TokenEmbedding):
        return part.table.requires_grad
    if not isinstance(part, nn.Embedding) or part.sparse or part.scale_grad_by_freq:
        return False
    return part.weight.requires_grad and part.num_embeddings >= _LARGE


def _table(embedding: TokenEmbedding | nn.Embedding) -> Tensor:
    return embedding.table if isinstance(embedding, TokenEmbedding) else embedding.weight
