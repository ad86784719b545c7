"""Recording of a network's matrices between tokens of texts.

A network passes each such matrix through a :class:`TextMatrix`, which returns it unchanged. Matrices are
recorded only inside :func:`watched`.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Literal

import torch
from torch import Tensor, nn

TextOf = Literal["a", "b", "own", "all"]
"""An axis of a matrix: tokens of the first, second or own text; or one for a whole text."""


class TextMatrix(nn.Module):
    """A recording point for a matrix, without weights and without effect.

    Args:
        name: the paper's name for it.
        rows: the text of its rows; "own" for a layer that reads one text after the other.
        columns: the text of its columns. An additional column is a zero state, for tokens without a
            counterpart.
        shares: True if each row sums to one, as in a softmax.
        parts: the names of several matrices in one tensor; without names, their mean is shown.
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
        """The matrix, unchanged.

        Args:
            matrix: shape [B, rows, columns], with axes of the parts after B. A network that computes rows one
                after another passes each, shape [B, columns].
        """
        return matrix


@dataclass(frozen=True, slots=True, eq=False)
class SeenMatrix:
    """The matrices recorded at one point, in order."""

    place: TextMatrix
    passed: list[Tensor] = field(default_factory=list)

    def of_pair(self, number: int) -> Tensor:
        """The matrices of the first pair of the batch, one per part.

        Args:
            number: the number of the text, for a point that both texts pass in turn; otherwise 0.

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
    """Record the matrices of a network. A context manager.

    The list has an entry for each recording point, in the order of the network's construction.
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
