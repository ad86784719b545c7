"""Multi-perspective matching of the states of two texts, as in BiMPM.

A perspective k weights the D dimensions before a cosine: m_k = cos(w_k * x, w_k * y). With squared weights
this is a plain matrix product, (x * y) @ w_k^2 over the square roots of (x * x) @ w_k^2 and (y * y) @ w_k^2,
so that no vector is weighted K times.

Shapes: B pairs, N tokens of the first text, M of the second, D width of a state, K perspectives.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import torch
from torch import Tensor, nn

from textkin.base.errors import UsageError, wrong_setting
from textkin.networks.nn.interaction import similarities
from textkin.networks.nn.masking import pair_mask
from textkin.networks.nn.matrix_recorder import TextMatrix

Matching = Literal["full", "maxpool", "attentive", "max-attentive"]
MATCHINGS: tuple[Matching, ...] = ("full", "maxpool", "attentive", "max-attentive")
_NO_COSINE = -2.0


@dataclass(frozen=True, slots=True, eq=False)
class ReadText:
    """A text as read by one direction of a recurrent layer.

    Attributes:
        states: at every token. Shape [B, N, D].
        mask: True at tokens. Shape [B, N].
        final: the state after the whole text. Shape [B, D].
    """

    states: Tensor
    mask: Tensor
    final: Tensor


class Perspectives(nn.Module):
    """Matching of each state of either text with the other text, in several ways and perspectives.

    Wang et al. 2017, "Bilateral Multi-Perspective Matching for Natural Language Sentences", matching layer:

    - full: with the final state of the other text;
    - maxpool: with every state of the other text, and the largest of each perspective;
    - attentive: with the sum of the other text's states, weighted by their cosines with this one;
    - max-attentive: with the other text's state of the highest cosine.

    Padding is excluded from all of them. The paper divides the attentive sum by that of the cosines. A cosine
    depends only on the sign of that, so it is omitted, and the sum never points away from its parts.

    Args:
        dim: D.
        perspectives: K.
        matchings: the matchings, in this order.
        shown: records the cosines of all states.

    Attributes:
        width: width of a token's result: K for each matching.

    Raises:
        UsageError: a matching is unknown or repeated, or there is none; or there is no perspective.
    """

    def __init__(
        self,
        *,
        dim: int,
        perspectives: int,
        matchings: Sequence[Matching] = MATCHINGS,
        shown: TextMatrix | None = None,
    ) -> None:
        super().__init__()
        if not matchings or len({*matchings}) < len(matchings) or not {*matchings} <= {*MATCHINGS}:
            raise UsageError(
                f"matchings are {list(matchings)}, expected each once, some of: {', '.join(MATCHINGS)}",
                params=("matchings",),
                value=matchings,
            )
        if perspectives < 1:
            raise wrong_setting("perspectives", perspectives, expected="1 or more")
        self.shown = shown
        self.matchings = tuple(matchings)
        self.weights = nn.Parameter(torch.empty(len(self.matchings), perspectives, dim))
        for weight in self.weights:
            nn.init.xavier_uniform_(weight)
        self.width = perspectives * len(self.matchings)

    def forward(self, a: ReadText, b: ReadText) -> tuple[Tensor, Tensor]:
        """The results for the tokens of both texts: [B, N, width] and [B, M, width]; undefined at padding."""
        both = pair_mask(a.mask, b.mask)
        cosines = similarities(a.states, b.states)
        if self.shown is not None:
            cosines = self.shown(cosines)
        for_a, for_b = [], []
        for matching, weight in zip(self.matchings, self.weights, strict=True):
            if matching == "maxpool":
                of_a, of_b = _highest(pairwise_cosines(a.states, b.states, weight), both)
            else:
                to_a, to_b = _counterparts(a, b, cosines, both, matching)
                of_a = aligned_cosines(a.states, to_a, weight)
                of_b = aligned_cosines(b.states, to_b, weight)
            for_a.append(of_a)
            for_b.append(of_b)
        return torch.cat(for_a, dim=-1), torch.cat(for_b, dim=-1)


def aligned_cosines(x: Tensor, y: Tensor, weights: Tensor) -> Tensor:
    """Cosines of each x with its y: [B, N, D], [B, N or 1, D] and [K, D] to [B, N, K]; 0 for zero vectors."""
    squares = weights.square().T
    return (x * y) @ squares * _inverse_norms(x, squares) * _inverse_norms(y, squares)


def pairwise_cosines(x: Tensor, y: Tensor, weights: Tensor) -> Tensor:
    """Cosines of all x and y: [B, N, D], [B, M, D] and [K, D] to [B, N, K, M]; 0 for zero vectors."""
    squares = weights.square()
    # Broadcasting instead takes 1.6 times as long, including gradients.
    products = torch.einsum("bnd,kd,bmd->bnkm", x, squares, y)
    of_x, of_y = _inverse_norms(x, squares.T), _inverse_norms(y, squares.T)
    return products * of_x.unsqueeze(3) * of_y.transpose(1, 2).unsqueeze(1)


def _inverse_norms(x: Tensor, squares: Tensor) -> Tensor:
    """The inverse length of each vector in each perspective, bounded for nearly zero vectors."""
    energies = x.square() @ squares
    return energies.clamp(min=torch.finfo(energies.dtype).eps ** 2).rsqrt()


def _highest(cosines: Tensor, both: Tensor) -> tuple[Tensor, Tensor]:
    """The maximum cosines [B, N, K] of x and [B, M, K] of y, 0 if the other text is empty."""
    kept = cosines.masked_fill(~both.unsqueeze(2), _NO_COSINE)
    highest = kept.max(dim=3).values, kept.max(dim=1).values.transpose(1, 2)
    of_x, of_y = (found.masked_fill(found == _NO_COSINE, 0) for found in highest)
    return of_x, of_y


def _counterparts(
    a: ReadText, b: ReadText, cosines: Tensor, both: Tensor, matching: Matching
) -> tuple[Tensor, Tensor]:
    """The counterparts of each state of a, and of each of b: [B, N or 1, D] and [B, M or 1, D]."""
    if matching == "full":
        return b.final.unsqueeze(1), a.final.unsqueeze(1)
    if matching == "attentive":
        weights = cosines * both
        return weights @ b.states, weights.transpose(1, 2) @ a.states
    kept = cosines.masked_fill(~both, float("-inf"))
    of_b, of_a = _one_hot(kept, dim=2) * both, _one_hot(kept, dim=1) * both
    # A product with ones and zeros, as gathering would sum gradients in any order on a GPU.
    return of_b @ b.states, of_a.transpose(1, 2) @ a.states


def _one_hot(values: Tensor, *, dim: int) -> Tensor:
    """1 at the first maximum along ``dim``, 0 elsewhere."""
    return torch.zeros_like(values).scatter(dim, values.argmax(dim, keepdim=True), 1)
