"""Token ids to vectors."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import torch
from torch import Tensor, nn

from textkin.base.arrays import Floats32
from textkin.base.errors import UsageError, wrong_setting

Init = Literal["normal", "uniform", "keras"]


class TokenEmbedding(nn.Module):
    """A trainable table of vectors whose padding row stays zero.

    Args:
        size: rows of the table.
        dim: D.
        pad_id: the row of padding.
        zero_ids: further rows that must stay zero.
        init: "normal" with variance 1/D, so that a text's vector has about the length of its weights;
            "uniform" in +-1/D^0.5; "keras" in +-0.05.
        weighted: give each token a trainable weight, initially 1; see :meth:`set_weights`.
        trainable: False freezes the table (not the weights).
    """

    def __init__(
        self,
        *,
        size: int,
        dim: int,
        pad_id: int,
        zero_ids: Sequence[int] = (),
        init: Init = "normal",
        weighted: bool = False,
        trainable: bool = True,
    ) -> None:
        super().__init__()
        self.table = nn.Parameter(torch.empty(size, dim), requires_grad=trainable)
        kept = torch.ones(size, 1)
        kept[[pad_id, *zero_ids]] = 0
        # This factor keeps the zero rows at zero, whatever an optimiser's momentum or decay does to them.
        self.register_buffer("kept", kept, persistent=False)
        self.kept: Tensor
        self.sparse = False
        self.weights = nn.Parameter(torch.ones(size)) if weighted else None
        self._initialise(init)

    def forward(self, ids: Tensor) -> Tensor:
        """Vectors of tokens: ids [B, L] to [B, L, D]."""
        return nn.functional.embedding(ids, self.table, sparse=self.sparse) * self._factor(ids)

    def mean(self, ids: Tensor, mask: Tensor) -> Tensor:
        """The mean of each text's token vectors, without materialising them. Shape [B, D]."""
        lengths, flat = mask.sum(dim=1), ids[mask]
        sums = nn.functional.embedding_bag(
            flat,
            self.table,
            lengths.cumsum(0) - lengths,
            mode="sum",
            sparse=self.sparse,
            per_sample_weights=self._factor(flat).squeeze(-1),
        )
        return sums / lengths.clamp(min=1).unsqueeze(1)

    def _factor(self, ids: Tensor) -> Tensor:
        """The factor of each token's vector, with a last axis of 1."""
        kept = self.kept[ids]
        if self.weights is None:
            return kept
        # Not weights[ids]: threads would sum the gradient in any order, and results would vary.
        return kept * nn.functional.embedding(ids, self.weights.unsqueeze(-1))

    def known(self, ids: Tensor) -> Tensor:
        """A mask of texts with a token whose row isn't fixed at zero: ids [B, L] to bool [B]."""
        return self.kept[ids].squeeze(-1).any(dim=1)

    def set_table(self, matrix: Floats32) -> None:
        """Fill the table, for example with pretrained vectors. Shape [size, D].

        Raises:
            UsageError: the shape differs from the table's.
        """
        _fill(self.table, matrix, "vectors")

    def set_weights(self, weights: Floats32) -> None:
        """Fill the tokens' weights, for example with inverse document frequencies. Shape [size].

        Raises:
            UsageError: the embedding has no weights, or another number of them.
        """
        if self.weights is None:
            raise UsageError("this embedding has no token weights", fix="make it with weighted=True")
        _fill(self.weights, weights, "token weights")

    def _initialise(self, init: Init) -> None:
        dim = self.table.shape[1]
        if init == "normal":
            nn.init.normal_(self.table, std=dim**-0.5)
        elif init == "uniform":
            nn.init.uniform_(self.table, -(dim**-0.5), dim**-0.5)
        elif init == "keras":
            nn.init.uniform_(self.table, -0.05, 0.05)
        else:
            raise wrong_setting("init", init, expected="'normal', 'uniform' or 'keras'")


def _fill(parameter: nn.Parameter, values: Floats32, what: str) -> None:
    if values.shape != tuple(parameter.shape):
        raise UsageError(
            f"{what} have shape {list(values.shape)}, expected {list(parameter.shape)}",
            fix="make the embedding with the size and dim of what it is filled with",
            params=(what,),
            value=list(values.shape),
        )
    with torch.no_grad():
        parameter.copy_(torch.from_numpy(values))


@dataclass(frozen=True, slots=True, kw_only=True)
class TokenTable:
    """The settings of a table of token vectors, before it has weights.

    Attributes:
        size: rows, one per token id.
        pad_id: the row of padding.
        zero_ids: further rows that stay zero.
        dim: width.
        init: see :class:`TokenEmbedding`.
        token_weights: give each token a trainable weight.
        train_embedding: False freezes pretrained vectors.
    """

    size: int
    pad_id: int
    zero_ids: Sequence[int] = ()
    dim: int = 128
    init: Init = "normal"
    token_weights: bool = False
    train_embedding: bool = True

    def make(self) -> TokenEmbedding:
        """Build the table.

        Raises:
            UsageError: there is no such initialisation.
        """
        return TokenEmbedding(
            size=self.size,
            dim=self.dim,
            pad_id=self.pad_id,
            zero_ids=self.zero_ids,
            init=self.init,
            weighted=self.token_weights,
            trainable=self.train_embedding,
        )
