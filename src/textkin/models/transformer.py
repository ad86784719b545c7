"""Sentence encoders on a pretrained transformer: a Hugging Face network, pooling, dense layers, unit length.

Source: Reimers and Gurevych, "Sentence-BERT: Sentence Embeddings using Siamese BERT-Networks" (2019).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, final

import torch
from torch import Tensor, nn
from torch.nn import functional

from textkin.batches.padded import TextBatch
from textkin.errors import UsageError
from textkin.models.tower import Tower
from textkin.nn.dense import Dense
from textkin.nn.pooling import Pooling, known_pooling, pool, unit

# Into so many parts of about one length each a batch is cut.
_PARTS = 4
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
        self.backbone = as_backbone(backbone)
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

    def forward(self, batch: TextBatch) -> Tensor:
        """One unit vector a text, shape [B, dim]; the zero vector for a text without tokens."""
        return unit(self.pooled(batch))

    def pooled(self, batch: TextBatch) -> Tensor:
        """The vectors with the lengths that pooling and dense layers gave them, shape [B, dim]."""
        known = batch.mask.any(dim=1, keepdim=True)
        return self._joined(token_states(self.backbone, batch), batch.mask) * known

    def of_states(self, states: Tensor) -> Tensor:
        """Unit vectors of texts of one length from the states of their tokens: [B, L, D] to [B, dim]."""
        everything = torch.ones(states.shape[:2], dtype=torch.bool, device=states.device)
        return unit(self._joined(states, everything))

    def _joined(self, states: Tensor, mask: Tensor) -> Tensor:
        vectors = torch.cat([pool(states, mask, how=how) for how in self.pooling], dim=1)
        for layer in self.dense:
            vectors = layer(vectors)
        return vectors[:, : self.dim]


def token_states(backbone: nn.Module, batch: TextBatch) -> Tensor:
    """The last state of each token, shape [B, L, D]; finite numbers for a text without tokens too.

    On a CPU texts of about one length go through the network together, so that it sees little padding; there
    the states are zero.
    """
    empty = ~batch.mask.any(dim=1, keepdim=True)
    # Attention over nothing would give NaN.
    attended = torch.cat([batch.mask[:, :1] | empty, batch.mask[:, 1:]], dim=1)
    width = batch.ids.shape[1]

    def states(rows: Tensor, longest: int) -> Tensor:
        ids, mask = batch.ids[rows, :longest], attended[rows, :longest]
        found: Tensor = backbone(input_ids=ids, attention_mask=mask.long()).last_hidden_state
        return functional.pad(found, (0, 0, 0, width - longest))

    return by_length(states, attended)


def by_length(network: Callable[[Tensor, int], Tensor], mask: Tensor) -> Tensor:
    """What a network gives for the texts of a batch, which on a CPU go through it a part at a time.

    Args:
        network: from the numbers of some texts and their greatest length to a row a text.
        mask: True where a token stands, shape [B, L].

    Returns:
        The rows in the order of the texts.
    """
    count, width = mask.shape
    if mask.device.type != "cpu" or count < _PARTS:
        return network(torch.arange(count, device=mask.device), width)
    lengths = mask.sum(dim=1)
    order = lengths.argsort(stable=True)
    parts = [network(rows, int(lengths[rows[-1]])) for rows in order.chunk(_PARTS)]
    return torch.cat(parts)[order.argsort()]


def as_backbone(backbone: nn.Module | Mapping[str, Any]) -> nn.Module:
    """A network, or a new one of a configuration, for the states of its tokens.

    Raises:
        UsageError: transformers doesn't know the kind.
    """
    network = backbone if isinstance(backbone, nn.Module) else new_backbone(backbone)
    # Made for pretraining on sentences, in no vector of ours: without gradients, never to be trained.
    pooler = getattr(network, "pooler", None)
    if isinstance(pooler, nn.Module):
        pooler.requires_grad_(False)
    return network


def new_backbone(
    config: Mapping[str, Any], *, kind: Callable[[Any], Any] | None = None, **changes: Any
) -> nn.Module:
    """An untrained Hugging Face network.

    Args:
        config: as in a ``config.json``.
        kind: of a configuration, the class of transformers that makes networks; None for encoders.
        changes: settings that differ.

    Raises:
        UsageError: transformers doesn't know the kind.
    """
    from transformers import AutoConfig

    settings = {key: value for key, value in config.items() if key not in ("model_type", "auto_map")}
    settings |= changes
    try:
        made = AutoConfig.for_model(config["model_type"], **settings)
        require_heads(made)
        network: nn.Module = (kind or backbone_class)(made).from_config(made)
    except (KeyError, ValueError) as error:
        raise UsageError(f"transformers can't make a network of this configuration: {error}") from error
    return network


def backbone_class(config: Any) -> Any:
    """The class of transformers that makes encoders of this configuration."""
    from transformers import AutoModel, AutoModelForTextEncoding

    # T5's encoder alone, once saved, says that it has no decoder; its kind tells.
    halves = getattr(config, "is_encoder_decoder", False) or config.model_type in _ENCODER_HALVES
    return AutoModelForTextEncoding if halves else AutoModel


def headless_network(backbone: nn.Module) -> nn.Module:
    """The network below the head of one of Hugging Face's."""
    inner: nn.Module = backbone.get_submodule(str(backbone.base_model_prefix))
    return inner


def require_heads(config: Any) -> None:
    """Make sure that a configuration has attention heads: a negative number passes the library's own check.

    Raises:
        UsageError: it has none.
    """
    heads = getattr(config, "num_attention_heads", 1)
    if not isinstance(heads, int) or heads < 1:
        raise UsageError(f"{str(heads)[:40]} attention heads, expected 1 or more")


def tokens_of(backbone: nn.Module) -> int:
    """How many tokens a Hugging Face network knows.

    Raises:
        UsageError: it reads no tokens, but images or bytes.
    """
    try:
        network: Any = backbone
        return int(network.get_input_embeddings().num_embeddings)
    except (AttributeError, NotImplementedError) as error:
        raise UsageError("the network has no table of tokens", fix="choose one that reads texts") from error


def config_of(backbone: nn.Module) -> Any:
    """The configuration of a Hugging Face network."""
    return backbone.config
