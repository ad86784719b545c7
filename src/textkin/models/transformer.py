"""Sentence encoders on a pretrained transformer: a Hugging Face network, pooling, dense layers, unit length.

Source: Reimers and Gurevych, "Sentence-BERT: Sentence Embeddings using Siamese BERT-Networks" (2019).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, final

import torch
from torch import Tensor, nn

from textkin.batches.padded import TextBatch
from textkin.errors import UsageError
from textkin.models.tower import Tower
from textkin.nn.dense import Dense
from textkin.nn.pooling import Pooling, known_pooling, pool, unit

_ENCODER_HALVES = frozenset({"t5", "mt5", "umt5", "t5gemma"})


@final
class TransformerEncoder(Tower):
    """A transformer's states pooled to one vector a text.

    Args:
        backbone: the network, or the configuration of a new one, as in a Hugging Face ``config.json``.
        pooling: over the tokens, special ones included; several are joined side by side.
        dense: layers on top, each with the arguments of :class:`textkin.nn.dense.Dense` but ``inputs``.
        truncate: keep so many dimensions, the first ones, before vectors get unit length (Kusupati et al.
            2022, "Matryoshka Representation Learning"); None for all.
        normalize: whether the model brings its vectors to unit length in other libraries too. Here vectors
            always have it; what is saved for others says what this says.

    Raises:
        UsageError: a pooling or an activation is not known, or ``truncate`` is out of range.
    """

    def __init__(
        self,
        *,
        backbone: nn.Module | Mapping[str, Any],
        pooling: Sequence[Pooling] = ("mean",),
        dense: Sequence[Mapping[str, Any]] = (),
        truncate: int | None = None,
        normalize: bool = True,
    ) -> None:
        super().__init__()
        self.backbone = backbone if isinstance(backbone, nn.Module) else new_backbone(backbone)
        self.pooling = tuple(known_pooling(how) for how in pooling)
        if not self.pooling or "sum" in self.pooling:
            raise UsageError(f"pooling is {list(pooling)}", fix="give one or more, such as 'mean', not 'sum'")
        width = int(config_of(self.backbone).hidden_size) * len(self.pooling)
        self.dense = nn.ModuleList()
        for layer in dense:
            self.dense.append(Dense(width, **layer))
            width = int(layer["width"])
        if truncate is not None and not 1 <= truncate <= width:
            raise UsageError(f"truncate={truncate} is no number of dimensions", fix=f"give 1 to {width}")
        self.truncate = truncate
        self.normalize = normalize
        self.dim = truncate or width
        # Made for pretraining on sentences, in no vector of ours: without gradients, never to be trained.
        pooler = getattr(self.backbone, "pooler", None)
        if isinstance(pooler, nn.Module):
            pooler.requires_grad_(False)

    def forward(self, batch: TextBatch) -> Tensor:
        """One unit vector a text, shape [B, dim]; the zero vector for a text without tokens."""
        return unit(self.pooled(batch))

    def pooled(self, batch: TextBatch) -> Tensor:
        """The vectors with the lengths that pooling and dense layers gave them, shape [B, dim]."""
        known = batch.mask.any(dim=1, keepdim=True)
        # Attention over nothing would give NaN.
        attended = torch.cat([batch.mask[:, :1] | ~known, batch.mask[:, 1:]], dim=1)
        states = self.backbone(input_ids=batch.ids, attention_mask=attended.long()).last_hidden_state
        vectors = torch.cat([pool(states, batch.mask, how=how) for how in self.pooling], dim=1)
        for layer in self.dense:
            vectors = layer(vectors)
        return vectors[:, : self.dim] * known


def new_backbone(config: Mapping[str, Any]) -> nn.Module:
    """An untrained Hugging Face network.

    Raises:
        UsageError: transformers doesn't know the kind.
    """
    from transformers import AutoConfig

    settings = {key: value for key, value in config.items() if key not in ("model_type", "auto_map")}
    try:
        made = AutoConfig.for_model(config["model_type"], **settings)
    except (KeyError, ValueError) as error:
        raise UsageError(f"transformers can't make a network of this configuration: {error}") from error
    network: nn.Module = backbone_class(made).from_config(made)
    return network


def backbone_class(config: Any) -> Any:
    """The class of transformers that makes encoders of this configuration."""
    from transformers import AutoModel, AutoModelForTextEncoding

    # T5's encoder alone, once saved, says that it has no decoder; its kind tells.
    halves = getattr(config, "is_encoder_decoder", False) or config.model_type in _ENCODER_HALVES
    return AutoModelForTextEncoding if halves else AutoModel


def config_of(backbone: nn.Module) -> Any:
    """The configuration of a Hugging Face network."""
    return backbone.config
