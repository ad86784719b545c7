"""Sentence encoders on a pretrained transformer, with pooling and dense layers.

Source: Reimers and Gurevych, "Sentence-BERT: Sentence Embeddings using Siamese BERT-Networks" (2019).
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional

from textkin.base.errors import UsageError
from textkin.networks.architectures.backbone import as_backbone, config_of
from textkin.networks.architectures.tower import Tower
from textkin.networks.batches.padded import TextBatch
from textkin.networks.nn.dense import Dense
from textkin.networks.nn.pooling import Pooling, known_pooling, pool, unit

# A batch is split into parts of similar length if this saves a fraction of its tokens.
_PARTS = 4
_LEAST_SAVED = 0.125


class TransformerEncoder(Tower):
    """A transformer's states pooled to one vector per text.

    Args:
        backbone: the network, or the configuration of a new one, as in a Hugging Face ``config.json``.
        pooling: over the tokens, including special ones; several are concatenated.
        dense: layers on top, each with the arguments of :class:`textkin.networks.nn.dense.Dense` except
            ``inputs``.
        truncate: the number of leading dimensions to keep before normalisation (Kusupati et al. 2022,
            "Matryoshka Representation Learning"); None for all.
        normalize: True if other libraries normalise the model's vectors, too, which the saved files say. Here
            vectors always have unit length.

    Raises:
        UsageError: there is no such pooling or activation, or ``truncate`` is out of range.
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
        """One unit vector per text, shape [B, dim]; the zero vector for a text without tokens."""
        return unit(self.pooled(batch))

    def pooled(self, batch: TextBatch) -> Tensor:
        """The unnormalised vectors of pooling and dense layers, shape [B, dim]."""
        known = batch.mask.any(dim=1, keepdim=True)
        return self._joined(token_states(self.backbone, batch), batch.mask) * known

    def of_states(self, states: Tensor) -> Tensor:
        """Unit vectors of texts of equal length from their token states: [B, L, D] to [B, dim]."""
        everything = torch.ones(states.shape[:2], dtype=torch.bool, device=states.device)
        return unit(self._joined(states, everything))

    def _joined(self, states: Tensor, mask: Tensor) -> Tensor:
        vectors = torch.cat([pool(states, mask, how=how) for how in self.pooling], dim=1)
        for layer in self.dense:
            vectors = layer(vectors)
        return vectors[:, : self.dim]


def token_states(backbone: nn.Module, batch: TextBatch) -> Tensor:
    """The last state of each token, shape [B, L, D]; finite even for a text without tokens.

    On a CPU, texts of similar length go through the network together, so that there is little padding; there
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
    """A network's output for the texts of a batch, on a CPU split into parts if that saves much padding.

    Args:
        network: maps the numbers of some texts and their maximum length to a row per text.
        mask: True at tokens, shape [B, L].

    Returns:
        The rows in the order of the texts.
    """
    count, width = mask.shape
    if mask.device.type != "cpu" or count < _PARTS:
        return network(torch.arange(count, device=mask.device), width)
    lengths = mask.sum(dim=1)
    order = lengths.argsort(stable=True)
    parts = [(rows, int(lengths[rows[-1]])) for rows in order.chunk(_PARTS)]
    tokens = sum(len(rows) * longest for rows, longest in parts)
    if tokens > (1 - _LEAST_SAVED) * count * width:
        return network(torch.arange(count), width)
    return torch.cat([network(rows, longest) for rows, longest in parts])[order.argsort()]
