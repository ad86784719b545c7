"""The base class of models that read two texts together.

Shapes in all of them: B pairs; N tokens of a, M tokens of b, L of either; D width of token vectors.
"""

from abc import ABC, abstractmethod

from torch import Tensor

from textkin.networks.architectures.constructor_arguments import KeepsArguments
from textkin.networks.batches.padded import TextBatch


class Matcher(KeepsArguments, ABC):
    """Base class of matchers: pairs of texts to one score, or one number per class.

    In evaluation mode the output for a pair depends only on its two texts, not on the rest of its batch or on
    padding.

    Every matcher is built from its own options, documented in its class, from ``outputs``, and, unless it
    starts from a pretrained network, from ``words`` (``networks/nn/word_vectors.py``), which
    describes its tokens.

    Attributes:
        outputs: 1 for a score, higher is more similar; otherwise the number of classes.

    Example:
        >>> import textkin as tk
        >>> import torch
        >>> class Lengths(tk.Matcher):
        ...     def forward(self, a, b):
        ...         return -(a.mask.sum(dim=1) - b.mask.sum(dim=1)).abs().float()[:, None]
        >>> Lengths(outputs=1).outputs
        1
    """

    def __init__(self, outputs: int) -> None:
        super().__init__()
        self.outputs = outputs

    @abstractmethod
    def forward(self, a: TextBatch, b: TextBatch) -> Tensor:
        """Scores or class logits of the pairs (a_i, b_i). Shape [B, outputs]."""
