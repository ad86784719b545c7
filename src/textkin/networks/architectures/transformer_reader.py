"""Readers on a pretrained transformer: question and window in one sequence, two logits per token.

Source: Devlin et al. 2019, "BERT: Pre-training of Deep Bidirectional Transformers for Language
Understanding", sections 4.2 and 4.3.

Shapes: as in ``span_network.py``; L tokens of a sequence, including special ones.
"""

from collections.abc import Callable, Mapping
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn.functional import pad

from textkin.base.errors import UsageError
from textkin.networks.architectures.backbone import config_of, headless_network, new_backbone
from textkin.networks.architectures.cross_encoder import headless
from textkin.networks.architectures.span_network import SpanLogits, SpanNetwork, at_tokens
from textkin.networks.architectures.transformer import by_length
from textkin.networks.batches.padded import TextBatch
from textkin.networks.nn.joined_pair import JoinedPair

LogitsOfTokens = Callable[[Tensor, Tensor, Tensor], Tensor]
"""Maps ids, mask and types, each [B, L], to first- and last-token logits, [B, L, 2]."""


class TransformerReader(SpanNetwork):
    """A question-answering network over question and window; its outputs are raw logits.

    The logits of "no answer" are those of the sequence's first token, which isn't part of the passage: [CLS]
    of BERT, <s> of RoBERTa (Devlin et al. 2019, section 4.3).

    Args:
        backbone: the network with its head, or the configuration of a new one, as in a Hugging Face
            ``config.json``.
        joint: the tokenizer's way of joining two texts; see :class:`textkin.text.pair_template.Joint`.
        token_types: pass the text of each token to the network.
        most: the maximum tokens of an answer; None for no limit.
        answers_none: True if it can predict that a window contains no answer.

    Raises:
        UsageError: transformers has no such network of this kind, it is an encoder-decoder, or it has no
            first token to represent "no answer".
    """

    def __init__(
        self,
        *,
        joint: Mapping[str, Any],
        backbone: nn.Module | Mapping[str, Any],
        token_types: bool = True,
        most: int | None = 30,
        answers_none: bool = False,
    ) -> None:
        super().__init__(most=most, answers_none=answers_none)
        if most is not None and most < 1:
            raise UsageError(
                f"most={most} is no number of tokens", fix="give 1 or more", params=("most",), value=most
            )
        if not isinstance(backbone, nn.Module):
            backbone = new_backbone(headless(backbone), kind=answering_class, num_labels=2, use_cache=False)
        if getattr(config_of(backbone), "is_encoder_decoder", False):
            raise UsageError("its network writes as well as it reads", fix="choose an encoder, such as BERT")
        if answers_none and not joint["start"]:
            raise UsageError(
                "its tokenizer puts nothing before the question that could stand for no answer",
                fix="leave out answers_none, or choose a network with a first token, such as BERT",
            )
        self.backbone = backbone
        self.token_types = token_types
        # Nothing is truncated here: questions and windows are already short enough.
        self.join = JoinedPair(
            pad_id=getattr(config_of(backbone), "pad_token_id", None) or 0,
            start=joint["start"],
            middle=joint["middle"],
            end=joint["end"],
            types=joint["types"],
        )

    def forward(self, question: TextBatch, context: TextBatch) -> SpanLogits:
        """The logits of first and last tokens."""
        return self.of_tokens(question, context, self._logits)

    def of_tokens(self, question: TextBatch, context: TextBatch, network: LogitsOfTokens) -> SpanLogits:
        """The logits of the windows' tokens, from a function for whole sequences."""
        ids, mask, types = self.join(question, context)
        logits = network(ids, mask, types)
        before = question.lengths + self.join.start.shape[1] + self.join.middle.shape[1]
        places = before[:, None] + torch.arange(context.ids.shape[1], device=ids.device)
        # Positions after a short window are masked, so any will do.
        places = places.clamp(max=logits.shape[1] - 1)[:, :, None].expand(-1, -1, 2)
        start, end = logits.gather(1, places).unbind(dim=2)
        none = logits[:, 0] if self.answers_none else None
        return SpanLogits(at_tokens(start, context.mask), at_tokens(end, context.mask), none)

    def _logits(self, ids: Tensor, mask: Tensor, types: Tensor) -> Tensor:
        def logits(rows: Tensor, longest: int) -> Tensor:
            told = {"token_type_ids": types[rows, :longest]} if self.token_types else {}
            found = self.backbone(
                input_ids=ids[rows, :longest], attention_mask=mask[rows, :longest].long(), **told
            )
            both = torch.stack([found.start_logits, found.end_logits], dim=2)
            return pad(both, (0, 0, 0, ids.shape[1] - longest))

        return by_length(logits, mask)

    @property
    def encoder(self) -> nn.Module:
        """The network without its head."""
        return headless_network(self.backbone)


def answering_class(config: Any) -> Any:
    """The class of transformers that builds networks with a span head."""
    from textkin.networks.architectures.of_transformers import transformers

    return transformers.AutoModelForQuestionAnswering
