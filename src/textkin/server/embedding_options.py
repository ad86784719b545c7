"""Options of clients for vectors, and their validation."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from textkin.base.errors import did_you_mean
from textkin.data.encode_arguments import PROMPT_NAMES
from textkin.data.protocols import Side
from textkin.server.request_errors import RequestError
from textkin.text.baselines.mean_pooling import unit_rows

Floats = NDArray[np.float32]


def shortened(vectors: Floats, dimensions: int | None) -> Floats:
    """The first dimensions of vectors, renormalised to unit length; all of them if None.

    Raises:
        RequestError: there are fewer.
    """
    if dimensions is None or dimensions == vectors.shape[1]:
        return vectors
    if not 1 <= dimensions < vectors.shape[1]:
        raise RequestError(
            f"dimensions is {dimensions}", fix=f"give 1 to {vectors.shape[1]}", param="dimensions"
        )
    return unit_rows(np.ascontiguousarray(vectors[:, :dimensions]))


def relevance(scores: Floats, *, is_cosine: bool) -> Floats:
    """Scores as numbers from 0 to 1 in the same order: shifted cosines, logistic of logits."""
    wide = scores.astype(np.float64)
    found = (1 + wide) / 2 if is_cosine else 1 / (1 + np.exp(-np.clip(wide, -60, 60)))
    return np.clip(found, 0, 1).astype(np.float32)


def side_of(prompt_name: str | None) -> Side:
    """The side that a prompt is for; no prompt if none is named.

    Raises:
        RequestError: there is no such prompt.
    """
    if prompt_name is None:
        return Side.TEXT
    if prompt_name not in PROMPT_NAMES:
        raise RequestError(
            f"there is no prompt {prompt_name!r}",
            fix=did_you_mean(prompt_name, PROMPT_NAMES),
            param="prompt_name",
        )
    return PROMPT_NAMES[prompt_name]


def refuse_left(truncation_direction: str | None) -> None:
    """Check that texts are to be truncated at their end, if at all.

    Raises:
        RequestError: they are to be truncated at their beginning.
    """
    if truncation_direction is not None and truncation_direction.lower() == "left":
        raise RequestError(
            "texts are cut at their end", fix="leave truncation_direction out", param="truncation_direction"
        )
