"""What every encoder in training is: a network that places each text of a batch in a vector space."""

from abc import ABC, abstractmethod

from torch import Tensor, nn

from textkin.networks.batches.padded import TextBatch


class Tower(nn.Module, ABC):
    """Texts to unit vectors.

    In evaluation mode the vector of a text depends on that text alone, whatever shares its batch.

    Attributes:
        dim: width of the vectors.
        unknown_weight: how much an unknown token counts beside a known one, where texts come without it. A
            little: enough to tell texts apart, as the network has learnt nothing of it.
    """

    dim: int
    unknown_weight: float = 0.1

    @abstractmethod
    def forward(self, batch: TextBatch) -> Tensor:
        """One unit vector a text, shape [B, dim]; the zero vector for a text without known tokens."""
