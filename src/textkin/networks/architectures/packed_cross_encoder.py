"""A cross-encoder prepared for inference on a CPU: its transformer without padding."""

from collections.abc import Callable
from types import MappingProxyType
from typing import Any, Self

import torch
from torch import Tensor
from torch.nn import functional

from textkin.networks.architectures.backbone import config_of
from textkin.networks.architectures.cross_encoder import CrossEncoder
from textkin.networks.architectures.packed_batch import packed_states
from textkin.networks.architectures.packed_transformer import PackedTransformer
from textkin.networks.batches.padded import TextBatch


def _roberta(network: Any, first: Tensor) -> Tensor:
    return network.classifier(first[:, None])


def _bert(network: Any, first: Tensor) -> Tensor:
    return network.classifier(network.bert.pooler(first[:, None]))


def _distilbert(network: Any, first: Tensor) -> Tensor:
    return network.classifier(functional.relu(network.pre_classifier(first)))


# From the state of the first token to the logits, in evaluation mode.
_HEADS: MappingProxyType[str, Callable[[Any, Tensor], Tensor]] = MappingProxyType(
    {
        "bert": _bert,
        "distilbert": _distilbert,
        "roberta": _roberta,
        "xlm-roberta": _roberta,
        "camembert": _roberta,
    }
)


class PackedCrossEncoder:
    """The logits of pairs, equal to the original network's up to rounding."""

    def __init__(self, module: CrossEncoder, packed: PackedTransformer) -> None:
        self._module, self._packed = module, packed
        self._head = _HEADS[config_of(module.backbone).model_type]

    @classmethod
    def of(cls, module: CrossEncoder) -> Self | None:
        """Prepare a network; None if it is of another kind, or not on the CPU."""
        if config_of(module.backbone).model_type not in _HEADS:
            return None
        packed = PackedTransformer.of(module.encoder, dtype=torch.float32)
        return None if packed is None else cls(module, packed)

    def __call__(self, a: TextBatch, b: TextBatch) -> Tensor:
        """The logits of the pairs (a_i, b_i). Shape [B, outputs]."""
        ids, mask, types = self._module.join(a, b)
        states, order = packed_states(self._packed, ids, mask, types if self._module.token_types else None)
        lengths = mask.sum(dim=1)[order]
        firsts = states[lengths.cumsum(dim=0) - lengths]
        return self._head(self._module.backbone, firsts)[order.argsort()]
