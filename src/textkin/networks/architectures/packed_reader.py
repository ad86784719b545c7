"""A reader prepared for inference on a CPU: its transformer without padding."""

from typing import Any, Self

import torch
from torch import Tensor

from textkin.networks.architectures.backbone import config_of
from textkin.networks.architectures.packed_batch import packed_states
from textkin.networks.architectures.packed_transformer import PackedTransformer
from textkin.networks.architectures.span_network import SpanLogits
from textkin.networks.architectures.transformer_reader import TransformerReader
from textkin.networks.batches.padded import TextBatch

_KNOWN = frozenset({"bert", "distilbert", "roberta", "xlm-roberta", "camembert"})
# The name of the linear layer over the states in all of them.
_HEAD = "qa_outputs"


class PackedReader:
    """The logits of windows, equal to the original network's up to rounding."""

    def __init__(self, module: TransformerReader, packed: PackedTransformer) -> None:
        self._module, self._packed = module, packed
        self._head: Any = module.backbone.get_submodule(_HEAD)

    @classmethod
    def of(cls, module: TransformerReader, *, dtype: torch.dtype) -> Self | None:
        """Prepare a network; None if it is of another kind, or not on the CPU.

        Args:
            module: the network.
            dtype: the precision of matrix products: float32 or bfloat16.
        """
        if config_of(module.backbone).model_type not in _KNOWN:
            return None
        packed = PackedTransformer.of(module.encoder, dtype=dtype)
        return None if packed is None else cls(module, packed)

    def __call__(self, question: TextBatch, context: TextBatch) -> SpanLogits:
        """The logits of first and last tokens."""
        return self._module.of_tokens(question, context, self._logits)

    def _logits(self, ids: Tensor, mask: Tensor, types: Tensor) -> Tensor:
        states, order = packed_states(self._packed, ids, mask, types if self._module.token_types else None)
        logits = torch.zeros(*mask.shape, 2)
        logits[mask[order]] = self._head(states.float())
        return logits[order.argsort()]
