"""Sums over the tokens of a text, as the parts of a cosine."""

import numpy as np

from textkin.base.arrays import Floats
from textkin.data.token_attributions import Addends
from textkin.text.unknown_tokens import Unknown
from textkin.text.unknown_vectors import UnknownVectors

_Rows = Floats


def unit_sum(
    texts: tuple[str, ...],
    rows: _Rows,
    *,
    unknown: Unknown | None = None,
    vectors: UnknownVectors | None = None,
) -> Addends:
    """Divide a text's vectors by the length of their sum, so that products of two sums are cosines.

    Args:
        texts: known tokens.
        rows: their vectors, shape [tokens, dim].
        unknown: unknown parts of the text, which come last.
        vectors: source of their vectors; None if they don't count.
    """
    if unknown is not None and vectors is not None:
        more = [vectors.of(part, size) for part, size in zip(unknown.parts, unknown.sizes, strict=True)]
        texts, rows = (*texts, *unknown.parts), np.concatenate([rows, np.stack(more).astype(np.float64)])
    return Addends(texts, rows * _inverse(rows))


def scaled_to(length: float, rows: _Rows) -> _Rows:
    """The vectors scaled by one factor, so that their sum has a given length."""
    return rows * (length * _inverse(rows))


def _inverse(rows: _Rows) -> float:
    """The inverse of the length of the sum; 0 for a zero sum."""
    length = float(np.linalg.norm(rows.sum(axis=0)))
    return 1 / length if length > 0 else 0.0
