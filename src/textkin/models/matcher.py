"""What every model that looks at two texts together is."""

from __future__ import annotations

from abc import ABC, abstractmethod

from torch import Tensor, nn

from textkin.batches.padded import TextBatch


class Matcher(nn.Module, ABC):
    """Pairs of texts to numbers: one score, or one for each class.

    In evaluation mode what a pair gets depends on its two texts alone, whatever shares its batch and however
    far it is padded.

    Attributes:
        outputs: 1 for a score, higher is more similar; else the number of classes.
    """

    outputs: int

    @abstractmethod
    def forward(self, a: TextBatch, b: TextBatch) -> Tensor:
        """Scores or class logits of the pairs (a_i, b_i). Shape [B, outputs]."""
