"""Where a network's matrices between tokens of texts can be looked at.

A network hands each such matrix through a :class:`TextMatrix`, which gives it back as it is. Only inside of
:func:`watched` is anything kept.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Literal, final

import torch
from torch import Tensor, nn

TextOf = Literal["a", "b", "own", "all"]
"""Whose tokens: the first or the second text's; those of the text that is read; or one for a whole text."""


@final
class TextMatrix(nn.Module):
    """A place where a matrix passes, without weights and without effect.

    Args:
        name: what the paper calls it.
        rows: whose tokens its rows are; "own" for a layer that reads one text after the other.
        columns: whose tokens its columns are. One column more is a zero state, to which a token can turn.
        shares: whether each of its rows sums to one, as those of a softmax.
        parts: what each of several matrices is that come as one tensor; without names, it is their mean that
            can be looked at.
    """

    def __init__(
        self,
        name: str,
        *,
        rows: TextOf = "a",
        columns: TextOf = "b",
        shares: bool = False,
        parts: Sequence[str] = (),
    ) -> None:
        super().__init__()
        self.name, self.rows, self.columns, self.shares = name, rows, columns, shares
        self.parts = tuple(parts)

    def forward(self, matrix: Tensor) -> Tensor:
        """The matrix, untouched.

        Args:
            matrix: shape [B, rows, columns], with axes of the parts after B. A network that makes its rows
                one after another hands each through, shape [B, columns].
        """
        return matrix


@final
@dataclass(frozen=True, slots=True, eq=False)
class SeenMatrix:
    """What passed at one place, in the order in which it came."""

    place: TextMatrix
    passed: list[Tensor] = field(default_factory=list)

    def of_pair(self, number: int) -> Tensor:
        """The matrices of the first pair of the batch, one for each part.

        Args:
            number: of the text, for a place that both texts pass one after the other; else 0.

        Returns:
            Shape [parts or 1, rows, columns].
        """
        one_by_one = self.passed[0].ndim == 2
        whole = torch.stack(self.passed, dim=1) if one_by_one else self.passed[number]
        if whole.ndim == 3:
            return whole[:1]
        parts = whole[0].flatten(0, -3)
        return parts if self.place.parts else parts.mean(dim=0, keepdim=True)


@contextmanager
def watched(network: nn.Module) -> Iterator[list[SeenMatrix]]:
    """Keep what passes the matrices of a network while the block runs.

    The list has a place for each of them, in the order in which the network is made.
    """
    seen = [SeenMatrix(part) for part in network.modules() if isinstance(part, TextMatrix)]
    hooks = [
        one.place.register_forward_hook(lambda _, __, matrix, passed=one.passed: passed.append(matrix))
        for one in seen
    ]
    try:
        yield seen
    finally:
        for hook in hooks:
            hook.remove()
