"""Attention of few tokens as one loop, if starting a product costs more than computing it."""

from functools import partial

import numpy as np
from numpy.typing import NDArray

from textkin.base.numba_cache import compiled
from textkin.networks.nn.bf16_loops import narrow, widen
from textkin.networks.nn.softmax_loops import softmax_fp32

_sum = partial(compiled, sums_in_any_order=True)


@compiled
def attend_fp32(qkv: NDArray[np.float32], length: int, heads: int, gathered: NDArray[np.float32]) -> None:
    """Attend from each token to the tokens of its own text.

    Args:
        qkv: queries, keys and values side by side, of concatenated texts. Shape [tokens, 3 D].
        length: the number of tokens per text.
        heads: the number of heads that D is divided among.
        gathered: the output. Shape [tokens, D].
    """
    dim = gathered.shape[1]
    width = dim // heads
    scale = np.float32(width**-0.5)
    shares = np.empty((length, length), dtype=np.float32)
    for start in range(0, gathered.shape[0], length):
        text, found = qkv[start : start + length], gathered[start : start + length]
        for first in range(0, dim, width):
            queries = text[:, first : first + width]
            keys = text[:, dim + first : dim + first + width]
            values = text[:, 2 * dim + first : 2 * dim + first + width]
            _scores(queries, keys, shares)
            softmax_fp32(shares, scale)
            _means(shares, values, found[:, first : first + width])


@compiled
def attend_bf16(qkv: NDArray[np.uint16], length: int, heads: int, gathered: NDArray[np.uint16]) -> None:
    """The same for bfloat16 numbers, given as bits; computed in float32 and rounded once."""
    wide = np.empty(qkv.shape, dtype=np.float32)
    found = np.empty(gathered.shape, dtype=np.float32)
    for row in range(qkv.shape[0]):
        widen(qkv[row], wide[row])
    attend_fp32(wide, length, heads, found)
    for row in range(gathered.shape[0]):
        narrow(found[row], gathered[row])


@_sum
def _scores(queries: NDArray[np.float32], keys: NDArray[np.float32], scores: NDArray[np.float32]) -> None:
    for row in range(queries.shape[0]):
        for column in range(keys.shape[0]):
            total = np.float32(0)
            for place in range(queries.shape[1]):
                total += queries[row, place] * keys[column, place]
            scores[row, column] = total


@_sum
def _means(shares: NDArray[np.float32], values: NDArray[np.float32], found: NDArray[np.float32]) -> None:
    for row in range(found.shape[0]):
        found[row] = 0
        for column in range(values.shape[0]):
            share = shares[row, column]
            for place in range(found.shape[1]):
                found[row, place] += share * values[column, place]
