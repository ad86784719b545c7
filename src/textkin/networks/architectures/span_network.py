"""The base class of models that extract answers from windows of passages.

Shapes in all of them: B questions, each with a window of a passage; J tokens of the question, T of the
window.
"""

from abc import ABC, abstractmethod
from typing import NamedTuple

import torch
from torch import Tensor, nn

from textkin.networks.architectures.constructor_arguments import KeepsArguments
from textkin.networks.batches.padded import TextBatch


class SpanLogits(NamedTuple):
    """Logits of each token as the first and as the last one of the answer.

    Attributes:
        start: logits of the first token; minus infinity at padding. Shape [B, T].
        end: logits of the last token; minus infinity at padding. Shape [B, T].
        none: logits of no first and no last token, for a window without an answer; None if the network
            assumes that it contains one. Shape [B, 2].
    """

    start: Tensor
    end: Tensor
    none: Tensor | None = None


class BatchLogits(NamedTuple):
    """Logits of the tokens of all W windows of a batch, as for spans.

    Attributes:
        start: logits of the first token; minus infinity at padding. Shape [B, W * T].
        end: logits of the last token. Shape [B, W * T].
        none: logits of no first and no last token, or None. Shape [B, 2].
        begins: where each question's own window begins among the tokens. Shape [B].
    """

    start: Tensor
    end: Tensor
    none: Tensor | None
    begins: Tensor


class SpanNetwork(KeepsArguments, ABC):
    """Base class of span networks; a span's logit is the sum of those of its ends.

    In evaluation mode the output for a question depends only on it and its window, not on the rest of its
    batch.

    Attributes:
        most: the maximum tokens of an answer; None for no limit.
        answers_none: True if it can predict that a window contains no answer.
    """

    def __init__(self, *, most: int | None, answers_none: bool) -> None:
        super().__init__()
        self.most, self.answers_none = most, answers_none

    @abstractmethod
    def forward(self, question: TextBatch, context: TextBatch) -> SpanLogits:
        """The logits of the windows context_i for the questions question_i."""


class NoneLogits(nn.Module):
    """Learnt logits of "no answer", the same for all questions: [B, T] to [B, 2].

    Source: Levy et al. 2017, "Zero-Shot Relation Extraction via Reading Comprehension", section 5: a bias
    next to the logits of all tokens, in the softmax of first and of last tokens.
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
