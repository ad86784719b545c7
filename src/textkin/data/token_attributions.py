"""Attribution of a score to the tokens of two texts, as contributions that sum to it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol, Self, TypeAlias, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from textkin.base.errors import wrong_setting

if TYPE_CHECKING:
    from scipy.sparse import csr_array

Rows: TypeAlias = "NDArray[np.float64] | csr_array"


@dataclass(frozen=True, slots=True, eq=False)
class Addends:
    """The parts of a text, with their contributions to the text's row.

    Attributes:
        texts: tokens or words, in text order; unknown ones come last.
        rows: one per part; their sum is the text's row. Shape [parts, features].
    """

    texts: tuple[str, ...]
    rows: Rows


@runtime_checkable
class AddsUp(Protocol):
    """A scorer whose score is the product of two sums, one over the parts of each text."""

    @property
    def adds_up(self) -> bool:
        """True if that holds; it may depend on the network inside."""

    def addends(self, text: str, *, second: bool = False) -> Addends:
        """The parts of a text as the first or the second one of a pair."""


@dataclass(frozen=True, slots=True, eq=False)
class TokenShares:
    """The contribution of each pair of tokens to a score; they sum to the score.

    Attributes:
        first: tokens of the first text.
        second: tokens of the second text.
        shares: contributions, float64, shape [first, second].

    Raises:
        UsageError: the shape doesn't match the tokens.

    Example:
        >>> import numpy as np
        >>> from textkin.verbs import TokenShares
        >>> found = TokenShares(("opening", "hours"), ("open",), np.array([[0.5], [0.125]]))
        >>> found.score, found.of_first.tolist()
        (0.625, [0.5, 0.125])
    """

    first: tuple[str, ...]
    second: tuple[str, ...]
    shares: NDArray[np.float64]

    def __post_init__(self) -> None:
        expected = (len(self.first), len(self.second))
        if self.shares.shape != expected:
            raise wrong_setting("shares", self.shares.shape, expected=f"the shape {expected}")

    @classmethod
    def of(cls, first: Addends, second: Addends) -> Self:
        """The contributions from two sums: <sum a_i, sum b_j> is the sum of all <a_i, b_j>."""
        products = first.rows @ second.rows.T
        dense = products if isinstance(products, np.ndarray) else products.toarray()
        return cls(first.texts, second.texts, np.asarray(dense, dtype=np.float64))

    @property
    def score(self) -> float:
        """The sum of all contributions."""
        return float(self.shares.sum())

    @property
    def of_first(self) -> NDArray[np.float64]:
        """The contribution of each token of the first text. Shape [first]."""
        return np.asarray(self.shares.sum(axis=1))

    @property
    def of_second(self) -> NDArray[np.float64]:
        """The contribution of each token of the second text. Shape [second]."""
        return np.asarray(self.shares.sum(axis=0))
