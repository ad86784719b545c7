"""What the parts of two texts have to do with a score: shares that sum to it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol, Self, TypeAlias, final, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from textkin.base.errors import UsageError

if TYPE_CHECKING:
    from scipy.sparse import csr_array

Rows: TypeAlias = "NDArray[np.float64] | csr_array"


@final
@dataclass(frozen=True, slots=True, eq=False)
class Addends:
    """The parts of a text, and what each adds to the row that stands for the text.

    Attributes:
        texts: tokens or words, in the order of the text; what is unknown comes last.
        rows: one a part; their sum is the text's row. Shape [parts, features].
    """

    texts: tuple[str, ...]
    rows: Rows


@runtime_checkable
class AddsUp(Protocol):
    """A scorer whose score of two texts is the product of two sums, each over the parts of one text."""

    @property
    def adds_up(self) -> bool:
        """Whether that is so; it may depend on the network inside."""
        ...

    def addends(self, text: str, *, second: bool = False) -> Addends:
        """The parts of a text as the first one of a pair, or as the second."""
        ...


@final
@dataclass(frozen=True, slots=True, eq=False)
class TokenShares:
    """The share of each pair of tokens in a score; together they are the score.

    Attributes:
        first: the first text's tokens.
        second: the second text's.
        shares: float64, shape [first, second].

    Raises:
        UsageError: the shape is another one.

    Example:
        >>> import numpy as np
        >>> import textkin as tk
        >>> found = tk.TokenShares(("opening", "hours"), ("open",), np.array([[0.5], [0.125]]))
        >>> found.score, found.of_first.tolist()
        (0.625, [0.5, 0.125])
    """

    first: tuple[str, ...]
    second: tuple[str, ...]
    shares: NDArray[np.float64]

    def __post_init__(self) -> None:
        expected = (len(self.first), len(self.second))
        if self.shares.shape != expected:
            raise UsageError(f"shares have the shape {self.shares.shape}, expected {expected}")

    @classmethod
    def of(cls, first: Addends, second: Addends) -> Self:
        """Those of two sums: <sum a_i, sum b_j> is the sum of all <a_i, b_j>."""
        products = first.rows @ second.rows.T
        dense = products if isinstance(products, np.ndarray) else products.toarray()
        return cls(first.texts, second.texts, np.asarray(dense, dtype=np.float64))

    @property
    def score(self) -> float:
        """The sum of all."""
        return float(self.shares.sum())

    @property
    def of_first(self) -> NDArray[np.float64]:
        """What each token of the first text has to do with the score. Shape [first]."""
        return np.asarray(self.shares.sum(axis=1))

    @property
    def of_second(self) -> NDArray[np.float64]:
        """The same of the second text's tokens. Shape [second]."""
        return np.asarray(self.shares.sum(axis=0))
