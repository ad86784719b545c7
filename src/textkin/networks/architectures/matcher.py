"""What every model that looks at two texts together is.

Shapes in all of them: B pairs; N tokens of a, M tokens of b, L of either; D width of token vectors.
"""

from abc import ABC, abstractmethod

from torch import Tensor, nn

from textkin.networks.batches.padded import TextBatch


class Matcher(nn.Module, ABC):
    """Pairs of texts to numbers: one score, or one for each class.

    In evaluation mode what a pair gets depends on its two texts alone, whatever shares its batch and however
    far it is padded.

    Every matcher is made from options of its own, which its class documents, from ``outputs``, and, unless it
    starts from a pretrained network, from ``words`` (:class:`textkin.networks.nn.word_vectors.Words`), which
    says what tokens it will read.

    Attributes:
        outputs: 1 for a score, higher is more similar; else the number of classes.
    """

    def __init__(self, outputs: int) -> None:
        super().__init__()
        self.outputs = outputs

    @abstractmethod
    def forward(self, a: TextBatch, b: TextBatch) -> Tensor:
        """Scores or class logits of the pairs (a_i, b_i). Shape [B, outputs]."""
