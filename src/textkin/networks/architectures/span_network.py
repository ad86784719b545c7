"""What every model that points at the words of an answer is.

Shapes in all of them: B questions, each with a window of a passage; J tokens of the question, T of the
window.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import NamedTuple

import torch
from torch import Tensor, nn

from textkin.networks.batches.padded import TextBatch


class SpanLogits(NamedTuple):
    """How much speaks for each token as the first and as the last one of the answer.

    Attributes:
        start: of the first token; minus infinity at padding. Shape [B, T].
        end: of the last token, likewise. Shape [B, T].
        none: of there being no first and no last token, since the window holds no answer; None where the
            network takes for granted that it holds one. Shape [B, 2].
    """

    start: Tensor
    end: Tensor
    none: Tensor | None = None


class SpanNetwork(nn.Module, ABC):
    """Questions and windows to logits of spans; a span's logit is the sum of those of its ends.

    In evaluation mode what a question gets depends on it and its window alone, whatever shares its batch.

    Attributes:
        most: the most tokens of an answer; None for any number.
        answers_none: whether it can say that a window holds no answer.
    """

    def __init__(self, *, most: int | None, answers_none: bool) -> None:
        super().__init__()
        self.most, self.answers_none = most, answers_none

    @abstractmethod
    def forward(self, question: TextBatch, context: TextBatch) -> SpanLogits:
        """The logits of the windows context_i for the questions question_i."""


class NoneLogits(nn.Module):
    """Logits of "no answer" that are learnt, and the same for all questions: [B, T] to [B, 2].

    Source: Levy et al. 2017, "Zero-Shot Relation Extraction via Reading Comprehension", section 5: a bias
    beside the logits of all tokens, in the softmax of first and of last tokens.
    """

    def __init__(self) -> None:
        super().__init__()
        self.bias = nn.Parameter(torch.zeros(2))

    def forward(self, start: Tensor) -> Tensor:
        """The two logits for every question."""
        return self.bias.expand(len(start), 2)


def at_tokens(logits: Tensor, mask: Tensor) -> Tensor:
    """Logits [B, T] with minus infinity at padding."""
    return logits.masked_fill(~mask, float("-inf"))
