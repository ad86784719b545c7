"""An exponential moving average of the weights, which is scored on dev and saved in their place."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import final

import torch
from torch import Tensor, nn


@final
class WeightAverage:
    """The average of what is trained in a module; what is not, and buffers, are the module's own.

    It begins with the weights as they are. After each step it is decay * average + (1 - decay) * weights, as
    in TensorFlow's ExponentialMovingAverage, with which Seo et al. 2017 (BiDAF) took a decay of .999.

    Args:
        module: whose weights.
        decay: the share of the average that stays at each step, from 0 to below 1.
    """

    def __init__(self, module: nn.Module, *, decay: float) -> None:
        self._decay = decay
        self._weights: list[Tensor] = [weight for weight in module.parameters() if weight.requires_grad]
        self._averages = [weight.detach().clone() for weight in self._weights]

    @torch.no_grad()
    def update(self) -> None:
        """Take in the weights after a step of the optimiser."""
        torch._foreach_lerp_(self._averages, self._weights, 1 - self._decay)

    @contextmanager
    def in_place(self) -> Iterator[None]:
        """Within it the module has the average; afterwards its own weights again, bit for bit."""
        self._swap()
        try:
            yield
        finally:
            self._swap()

    @torch.no_grad()
    def _swap(self) -> None:
        for weight, average in zip(self._weights, self._averages, strict=True):
            kept = weight.clone()
            weight.copy_(average)
            average.copy_(kept)
