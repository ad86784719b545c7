"""Matrices between the tokens of two texts, as computed by a model."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from textkin.base.errors import UsageError

Sums = Literal["rows", "columns", "none"]
"""Normalised axis: each row sums to one, each column does, or neither."""

_DIGITS = 6


@dataclass(frozen=True, slots=True, eq=False)
class AttentionMap:
    """A model's matrix between tokens, without padding.

    Rows are tokens of the first text, or the question. Columns are tokens of the second text, or the passage.
    In a text's self-attention, both are tokens of the same text. "(nothing)" stands for no token, "(whole
    text)" for all tokens together.

    Attributes:
        name: the matrix's name in the model's paper.
        rows: tokens of the rows.
        columns: tokens of the columns.
        weights: values, float32. Shape [rows, columns].
        sums: the axis whose values sum to one.

    Raises:
        UsageError: the shape doesn't match the tokens.

    Example:
        >>> import numpy as np
        >>> from textkin.verbs import AttentionMap
        >>> weights = np.array([[0.75, 0.25]], dtype=np.float32)
        >>> found = AttentionMap("attention", ("opening",), ("open", "park"), weights, "rows")
        >>> found.strongest(1)
        [('opening', 'open', 0.75)]
    """

    name: str
    rows: tuple[str, ...]
    columns: tuple[str, ...]
    weights: NDArray[np.float32]
    sums: Sums = "none"

    def __post_init__(self) -> None:
        expected = (len(self.rows), len(self.columns))
        if self.weights.shape != expected:
            raise UsageError(
                f"{self.name}: weights have the shape {self.weights.shape}, expected {expected}",
                params=("weights",),
                value=self.weights.shape,
            )

    def strongest(self, count: int) -> list[tuple[str, str, float]]:
        """The cells with the largest values: token of the row, token of the column, value."""
        flat = self.weights.ravel()
        places = np.argsort(-flat, kind="stable")[:count]
        return [
            (self.rows[row], self.columns[column], _short(float(self.weights[row, column])))
            for row, column in (divmod(int(place), len(self.columns)) for place in places)
        ]

    def to_dict(self) -> dict[str, Any]:
        """The map as JSON-compatible values, with six significant digits."""
        return {
            "name": self.name,
            "rows": list(self.rows),
            "columns": list(self.columns),
            "sums": self.sums,
            "weights": [[_short(value) for value in row] for row in self.weights.tolist()],
        }


def _short(value: float) -> float:
    return float(f"{value:.{_DIGITS}g}")
