"""Numerics of distillation: principal components, token weights, tables fitted to whole texts.

Sources: the library model2vec, which encodes each token alone with a transformer; Arora, Liang and Ma, "A
Simple but Tough-to-Beat Baseline for Sentence Embeddings" (2017), for the weights.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array, diags_array

from textkin.base.errors import invalid

_LEAST = 1e-6  # shorter vectors have no direction
_ENOUGH = 1e-30


class Components(NamedTuple):
    """The mean of vectors, and the axes of largest variance.

    Attributes:
        mean: shape [width].
        axes: orthonormal columns, largest variance first. Shape [width, dim].
    """

    mean: NDArray[np.float32]
    axes: NDArray[np.float32]

    def of(self, vectors: NDArray[np.float32]) -> NDArray[np.float32]:
        """The coordinates of vectors, shape [rows, dim]."""
        return np.matmul(vectors - self.mean, self.axes)


def principal_components(vectors: NDArray[np.float32], dim: int) -> Components:
    """The first ``dim`` principal components of some vectors, shape [rows, width].

    The sign of an axis is arbitrary: the vector with the largest absolute coordinate gets a positive one.

    Raises:
        UsageError: there are fewer components than requested.
    """
    most = min(len(vectors) - 1, vectors.shape[1])
    if not 1 <= dim <= most:
        raise invalid(
            "dim", dim, expected=f"1 to {most} for {len(vectors)} vectors of width {vectors.shape[1]}"
        )
    mean = vectors.mean(axis=0, dtype=np.float64)
    centred = vectors - mean
    _, axes = np.linalg.eigh(centred.T @ centred)
    axes = axes[:, ::-1][:, :dim]
    along = centred @ axes
    farthest = along[np.abs(along).argmax(axis=0), np.arange(dim)]
    axes = axes * np.where(farthest < 0, -1, 1)
    return Components(mean.astype(np.float32), axes.astype(np.float32))


def sif_weights(frequencies: NDArray[np.float64], coefficient: float) -> NDArray[np.float32]:
    """Weights of tokens by relative frequency p: a / (a + p).

    Args:
        frequencies: frequency of each token, in any unit. Shape [tokens].
        coefficient: a; infinite for equal weights.

    Raises:
        UsageError: the coefficient is not positive.
    """
    if not coefficient > 0:
        raise invalid("sif", coefficient, expected="a number above 0, such as 1e-4")
    if np.isinf(coefficient):
        return np.ones(len(frequencies), dtype=np.float32)
    shares = frequencies / frequencies.sum()
    return (coefficient / (coefficient + shares)).astype(np.float32)


def zipf(count: int) -> NDArray[np.float64]:
    """Frequencies of tokens sorted by frequency, by Zipf's law: 1/2, 1/3, ... Shape [count]."""
    return 1 / np.arange(2, count + 2)


def fit_to_texts(
    table: NDArray[np.float32],
    ids: Sequence[NDArray[np.int32]],
    targets: NDArray[np.float32],
    *,
    strength: float | NDArray[np.float32],
    rounds: int = 2,
    steps: int = 15,
) -> NDArray[np.float32]:
    """Adjust token vectors so that their means over texts approach the directions of given vectors.

    Only directions count. So every round divides each text's sum by its current length, and then solves the
    ridge regression from token counts to the targets by conjugate gradients. The penalty for leaving the
    original vectors is ``strength`` times the mean squared factor of a text. Tokens that occur in no text
    stay.

    Args:
        table: original vectors, weights included. Shape [tokens, dim].
        ids: the tokens of each text.
        targets: target vectors of the texts, of any length. Shape [texts, dim].
        strength: penalty for leaving the original vectors, for all tokens or for each. Shape [tokens].
        rounds: number of times the lengths are updated.
        steps: conjugate gradient steps per round.
    """
    columns = np.concatenate(ids) if len(ids) else np.empty(0, dtype=np.int32)
    counts = token_counts(columns, [len(row) for row in ids], tokens=len(table))
    wanted = targets / np.maximum(np.linalg.norm(targets, axis=1, keepdims=True), _LEAST)
    fitted = table
    for _ in range(rounds):
        lengths = np.linalg.norm(counts @ fitted, axis=1)
        factors = np.where(lengths > _LEAST, 1 / np.maximum(lengths, _LEAST), 0).astype(np.float32)
        rows = diags_array(factors) @ counts
        ridge = np.reshape(strength * np.mean(factors**2), (-1, 1)).astype(np.float32)
        fitted = _ridge(rows.tocsr(), wanted, table, fitted, ridge=ridge, steps=steps)
    return fitted


def token_counts(columns: NDArray[np.integer[Any]], sizes: Sequence[int], *, tokens: int) -> csr_array:
    """The count of each token in each text. Shape [texts, tokens].

    Args:
        columns: tokens of all texts, concatenated.
        sizes: number of tokens of each text.
        tokens: size of the vocabulary.
    """
    pointers = np.concatenate([[0], np.cumsum(sizes)])
    ones = np.ones(len(columns), dtype=np.float32)
    return csr_array((ones, columns, pointers), shape=(len(sizes), tokens))


def _ridge(
    rows: csr_array,
    wanted: NDArray[np.float32],
    prior: NDArray[np.float32],
    start: NDArray[np.float32],
    *,
    ridge: NDArray[np.float32],
    steps: int,
) -> NDArray[np.float32]:
    """Minimise |rows X - wanted|^2 + ridge |X - prior|^2 by conjugate gradients, column by column."""
    across = rows.T.tocsr()
    solution = start.copy()
    residual = across @ (wanted - rows @ solution) + ridge * (prior - solution)
    direction, size = residual.copy(), np.square(residual).sum(axis=0)
    for _ in range(steps):
        curved = across @ (rows @ direction) + ridge * direction
        step = size / (np.einsum("ij,ij->j", direction, curved) + _ENOUGH)
        solution += step * direction
        residual -= step * curved
        before, size = size, np.square(residual).sum(axis=0)
        direction = residual + size / (before + _ENOUGH) * direction
    return solution
