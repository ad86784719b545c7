"""The base class of encoders in training."""

from abc import ABC, abstractmethod

from torch import Tensor

from textkin.networks.architectures.constructor_arguments import KeepsArguments
from textkin.networks.batches.padded import TextBatch


class Tower(KeepsArguments, ABC):
    """Base class of towers: texts to unit vectors.

    In evaluation mode the vector of a text depends only on that text, not on the rest of its batch.

    Attributes:
        dim: width of the vectors.
        unknown_weight: the weight of an unknown token relative to a known one, for texts without known ones.
            It is small: enough to distinguish texts, as the network has learnt nothing about it.

    Example:
        >>> import textkin as tk
        >>> import torch
        >>> class Lengths(tk.Tower):
        ...     dim = 1
        ...     def forward(self, batch):
        ...         return torch.ones(len(batch.ids), 1)
        >>> Lengths().dim
        1
    """

    dim: int
    unknown_weight: float = 0.1

    @abstractmethod
    def forward(self, batch: TextBatch) -> Tensor:
        """One unit vector per text, shape [B, dim]; the zero vector for a text without known tokens."""
