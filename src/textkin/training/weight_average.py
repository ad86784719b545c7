"""An exponential moving average of the weights, which is scored on dev and saved instead of them."""

from collections.abc import Iterator
from contextlib import contextmanager

import torch
from torch import Tensor, nn


class WeightAverage:
    """The average of a module's trainable weights; other weights and buffers are the module's own.

    It starts with the current weights. After each step it is decay * average + (1 - decay) * weights, as in
    TensorFlow's ExponentialMovingAverage, with which Seo et al. 2017 (BiDAF) used a decay of .999.

    Args:
        module: the module.
        decay: the fraction of the average kept at each step, at least 0 and below 1.
    """

    def __init__(self, module: nn.Module, *, decay: float) -> None:
        self._decay = decay
        self._weights: list[Tensor] = [weight for weight in module.parameters() if weight.requires_grad]
        self._averages = [weight.detach().clone() for weight in self._weights]

    @torch.no_grad()
    def update(self) -> None:
        """Update the average after a step of the optimiser."""
        torch._foreach_lerp_(self._averages, self._weights, 1 - self._decay)

    @contextmanager
    def in_place(self) -> Iterator[None]:
        """Use the average in the module; restores its own weights bitwise afterwards. A context manager."""
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
