"""Cross-encoders: two texts in one sequence through a transformer with a classification head.

Source: Nogueira and Cho, "Passage Re-ranking with BERT" (2019).
"""

import inspect
from collections.abc import Mapping
from typing import Any

from torch import Tensor, nn

from textkin.networks.architectures.backbone import config_of, headless_network, new_backbone
from textkin.networks.architectures.matcher import Matcher
from textkin.networks.architectures.transformer import by_length
from textkin.networks.batches.padded import TextBatch
from textkin.networks.nn.joined_pair import JoinedPair
from textkin.text.truncation import Truncate

_OF_THE_HEAD = ("id2label", "label2id", "num_labels", "problem_type", "architectures")
_OF_OTHERS = ("sentence_transformers", "sbert_ce_default_activation_function", "textkin")


class CrossEncoder(Matcher):
    """A sequence-classification network over pairs; its outputs are the network's raw logits.

    Args:
        backbone: the network with its head, or the configuration of a new one, as in a Hugging Face
            ``config.json``.
        joint: the tokenizer's way of joining two texts; see :class:`textkin.text.pair_template.Joint`.
        max_length: the maximum tokens of a pair, including special ones; None for no limit.
        truncate: the part of long texts to keep, "head" or "tail".
        token_types: pass the text of each token to the network.
        activation: the class that sentence-transformers applies to the outputs, for saving; None for its
            default, a sigmoid for one output. It changes no order, and isn't applied here.
        outputs: 1 for a score, otherwise the number of classes.
    """

    def __init__(
        self,
        *,
        backbone: nn.Module | Mapping[str, Any],
        joint: Mapping[str, Any],
        max_length: int | None = None,
        truncate: str = "head",
        token_types: bool = True,
        activation: str | None = None,
        outputs: int = 1,
    ) -> None:
        super().__init__(outputs)
        if not isinstance(backbone, nn.Module):
            backbone = new_backbone(
                headless(backbone), kind=classification_class, num_labels=outputs, use_cache=False
            )
        self.backbone = backbone
        self.join = JoinedPair(
            start=joint["start"],
            middle=joint["middle"],
            end=joint["end"],
            types=joint["types"],
            pad_id=getattr(config_of(backbone), "pad_token_id", None) or 0,
            max_length=max_length,
            tail=Truncate(truncate) is Truncate.TAIL,
        )
        self.token_types = token_types
        self.activation = activation

    def forward(self, a: TextBatch, b: TextBatch) -> Tensor:
        """The logits of the pairs (a_i, b_i), tokens of both without special ones. Shape [B, outputs]."""
        ids, mask, types = self.join(a, b)

        def logits(rows: Tensor, longest: int) -> Tensor:
            told = {"token_type_ids": types[rows, :longest]} if self.token_types else {}
            return self.backbone(
                input_ids=ids[rows, :longest], attention_mask=mask[rows, :longest].long(), **told
            ).logits

        return by_length(logits, mask)

    @property
    def encoder(self) -> nn.Module:
        """The network without its head."""
        return headless_network(self.backbone)


def headless(config: Mapping[str, Any]) -> dict[str, Any]:
    """A Hugging Face configuration without settings of a head and of its outputs."""
    return {key: value for key, value in config.items() if key not in (*_OF_THE_HEAD, *_OF_OTHERS)}


def classification_class(config: Any) -> Any:
    """The class of transformers that builds networks with a sequence head."""
    from textkin.networks.architectures.of_transformers import transformers

    return transformers.AutoModelForSequenceClassification


def takes_token_types(backbone: nn.Module) -> bool:
    """True if a network distinguishes the tokens of two texts by type."""
    known = int(getattr(config_of(backbone), "type_vocab_size", 0) or 0)
    return known > 1 and "token_type_ids" in inspect.signature(backbone.forward).parameters


def default_activation(outputs: int) -> str:
    """The default activation of sentence-transformers for outputs."""
    one = "torch.nn.modules.activation.Sigmoid"
    return one if outputs == 1 else "torch.nn.modules.linear.Identity"
