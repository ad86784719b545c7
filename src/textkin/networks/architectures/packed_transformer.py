"""A transformer prepared for inference on a CPU: no padding, joined projections, fused layers.

The tokens of all texts of a batch are concatenated, so that products process only tokens; only attention
distinguishes texts, in groups of equal length. Shapes: T tokens of a batch, D their width.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Any, Self

import torch
from torch import Tensor, nn
from torch.nn import functional

from textkin.networks.architectures.backbone import config_of
from textkin.networks.nn.packed_attention import packed_attention
from textkin.networks.nn.packed_linear import Activation, PackedLinear, rounded

_ACTIVATIONS: MappingProxyType[str, Activation] = MappingProxyType(
    {"gelu": "gelu", "gelu_new": "gelu-tanh", "gelu_pytorch_tanh": "gelu-tanh", "relu": "relu"}
)


@dataclass(frozen=True, slots=True)
class _Spelling:
    """The names of parts in a family of networks."""

    layers: str
    attention: tuple[str, str, str]
    gather: str
    attention_norm: str
    widen: str
    narrow: str
    norm: str
    activation: str
    counts_from_padding: bool = False


_BERT = _Spelling(
    layers="encoder.layer",
    attention=("attention.self.query", "attention.self.key", "attention.self.value"),
    gather="attention.output.dense",
    attention_norm="attention.output.LayerNorm",
    widen="intermediate.dense",
    narrow="output.dense",
    norm="output.LayerNorm",
    activation="hidden_act",
)
_DISTILBERT = _Spelling(
    layers="transformer.layer",
    attention=("attention.q_lin", "attention.k_lin", "attention.v_lin"),
    gather="attention.out_lin",
    attention_norm="sa_layer_norm",
    widen="ffn.lin1",
    narrow="ffn.lin2",
    norm="output_layer_norm",
    activation="activation",
)
_ROBERTA = replace(_BERT, counts_from_padding=True)
_FAMILIES = MappingProxyType(
    {
        "bert": _BERT,
        "distilbert": _DISTILBERT,
        "roberta": _ROBERTA,
        "xlm-roberta": _ROBERTA,
        "camembert": _ROBERTA,
    }
)


@dataclass(frozen=True, slots=True, eq=False)
class _Layer:
    """One layer."""

    project: PackedLinear
    gather: PackedLinear
    attention_norm: nn.LayerNorm
    widen: PackedLinear
    narrow: PackedLinear
    norm: nn.LayerNorm


class PackedTransformer:
    """The states of tokens, equal to the original network's up to rounding."""

    def __init__(
        self,
        *,
        layers: Sequence[_Layer],
        embeddings: nn.Module,
        heads: int,
        padding: int | None,
        dtype: torch.dtype,
    ) -> None:
        self._blocks = tuple(layers)
        self._embeddings: Any = embeddings
        self._heads = heads
        self._padding = padding
        self._dtype = dtype

    @classmethod
    def of(cls, backbone: nn.Module, *, dtype: torch.dtype) -> Self | None:
        """Prepare a network; None if it is of another kind, or not on the CPU.

        Args:
            backbone: a Hugging Face encoder.
            dtype: the precision of matrix products: float32 or bfloat16.
        """
        config = config_of(backbone)
        spelling = _FAMILIES.get(config.model_type)
        if spelling is None or not _is_plain(backbone, config, spelling):
            return None
        activation = _ACTIVATIONS[getattr(config, spelling.activation)]
        layers: Any = backbone.get_submodule(spelling.layers)
        return cls(
            layers=[_layer(layer, spelling, activation, dtype) for layer in layers],
            embeddings=backbone.get_submodule("embeddings"),
            heads=int(config.num_attention_heads),
            padding=int(config.pad_token_id) if spelling.counts_from_padding else None,
            dtype=dtype,
        )

    def states(
        self, ids: Tensor, groups: Sequence[tuple[int, int]], *, types: Tensor | None = None
    ) -> Tensor:
        """The last state of each token, shape [T, D].

        Args:
            ids: tokens of all texts, concatenated, int64, shape [T].
            groups: runs of texts of equal length, as counts and lengths.
            types: the text of each token, first or second, shape [T]; None for one text.
        """
        x = self._embed(ids, groups, types).to(self._dtype)
        x = functional.pad(x, (0, 0, 0, rounded(len(ids)) - len(ids)))
        for block in self._blocks:
            gathered = packed_attention(block.project(x), groups, heads=self._heads)
            x = _normed(block.gather(gathered, plus=x), block.attention_norm)
            x = _normed(block.narrow(block.widen(x), plus=x), block.norm)
        return x[: len(ids)]

    def _embed(self, ids: Tensor, groups: Sequence[tuple[int, int]], types: Tensor | None) -> Tensor:
        parts = self._embeddings
        x: Tensor = parts.word_embeddings(ids) + parts.position_embeddings(self._positions(ids, groups))
        kinds = getattr(parts, "token_type_embeddings", None)
        if kinds is not None:
            x = x + (kinds.weight[0] if types is None else kinds(types))
        return _normed(x, parts.LayerNorm)

    def _positions(self, ids: Tensor, groups: Sequence[tuple[int, int]]) -> Tensor:
        if self._padding is None:
            return torch.cat([torch.arange(length).repeat(count) for count, length in groups])
        found, start = [], 0
        for count, length in groups:
            # These networks number real tokens, starting after the padding's own number.
            counted = ids[start : start + count * length].view(count, length) != self._padding
            found.append(((counted.cumsum(dim=1) * counted) + self._padding).flatten())
            start += count * length
        return torch.cat(found)


def _normed(x: Tensor, norm: nn.LayerNorm) -> Tensor:
    return functional.layer_norm(x, norm.normalized_shape, norm.weight, norm.bias, norm.eps)


def _layer(layer: nn.Module, spelling: _Spelling, activation: Activation, dtype: torch.dtype) -> _Layer:
    def packed(*names: str, activation: Activation = "none") -> PackedLinear:
        return PackedLinear([_part(layer, name) for name in names], dtype=dtype, activation=activation)

    return _Layer(
        project=packed(*spelling.attention),
        gather=packed(spelling.gather),
        attention_norm=_part(layer, spelling.attention_norm),
        widen=packed(spelling.widen, activation=activation),
        narrow=packed(spelling.narrow),
        norm=_part(layer, spelling.norm),
    )


def _is_plain(backbone: nn.Module, config: Any, spelling: _Spelling) -> bool:
    """True if this module knows every part of the network."""
    if getattr(config, spelling.activation) not in _ACTIVATIONS or getattr(config, "is_decoder", False):
        return False
    if getattr(config, "position_embedding_type", "absolute") != "absolute":
        return False
    layers: Any = backbone.get_submodule(spelling.layers)
    names = (*spelling.attention, spelling.gather, spelling.widen, spelling.narrow)
    # Adapters, for example, replace a linear layer.
    plain = all(type(_part(layer, name)) is nn.Linear for layer in layers for name in names)
    return plain and next(backbone.parameters()).device.type == "cpu"


def _part(layer: nn.Module, name: str) -> Any:
    return layer.get_submodule(name)
