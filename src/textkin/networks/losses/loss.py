"""A loss with its options."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from torch import Tensor

from textkin.networks.losses.common import LossInput
from textkin.networks.losses.distances import DistanceName


@dataclass(frozen=True, slots=True)
class Loss:
    """A pure function of this package with values for its keyword arguments.

    Attributes:
        function: the loss.
        takes: its inputs.
        options: its keyword arguments; missing ones have their defaults.
        distance: the distance between the two texts' vectors, for a loss that takes distances.
    """

    function: Callable[..., Tensor]
    takes: LossInput
    options: Mapping[str, Any]
    distance: DistanceName = "cosine"

    def __call__(self, *inputs: Any) -> Tensor:
        """The loss of a batch, a scalar."""
        return self.function(*inputs, **self.options)

    @property
    def averages(self) -> bool:
        """True if it is the mean over its rows, not their sum."""
        default: str = (getattr(self.function, "__kwdefaults__", None) or {}).get("reduction", "mean")
        return bool(self.options.get("reduction", default) == "mean")
