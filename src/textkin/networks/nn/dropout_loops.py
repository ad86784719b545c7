"""Loops that drop numbers at random, in training."""

from functools import partial
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from textkin.base.numba_cache import compiled
from textkin.networks.nn.bf16_loops import narrow, widen
from textkin.networks.nn.softmax_loops import exp_of_negative

_Bits = TypeVar("_Bits", np.uint16, np.uint32)

_sum = partial(compiled, sums_in_any_order=True)

_ZERO, _ONE = np.float32(0), np.float32(1)
_NEVER = np.float32(1e30)

Drawn = tuple[np.uint32, np.uint32, np.float32]
"""A seed, the share of dropped numbers times 2^32, and the factor of the others."""


@compiled
def is_kept(index: np.uint32, seed: np.uint32, dropped: np.uint32) -> bool:
    """True for a number that is kept: a hash of its index is at least ``dropped``.

    The hash is the finaliser of MurmurHash3 (Appleby 2011), a bijection of 32 bits. It depends on the index
    and the seed only, so that threads have no common state, and the compiler can compute several at once.
    """
    x = np.uint32(np.uint32(index * np.uint32(0x9E3779B1)) ^ seed)
    x = np.uint32(np.uint32(x ^ (x >> np.uint32(16))) * np.uint32(0x85EBCA6B))
    x = np.uint32(np.uint32(x ^ (x >> np.uint32(13))) * np.uint32(0xC2B2AE35))
    return bool(np.uint32(x ^ (x >> np.uint32(16))) >= dropped)


@compiled
def keep(out: NDArray[_Bits], start: int, seed: np.uint32, dropped: np.uint32, kept: _Bits) -> None:
    """Write ``kept`` at the indices that are kept, from ``start`` on, and 0 at the others. Shape [N]."""
    zero = out.dtype.type(0)
    for place in range(len(out)):
        out[place] = kept if is_kept(np.uint32(start + place), seed, dropped) else zero


@compiled
def weights_fp32(
    scores: NDArray[np.float32],
    allowed: NDArray[np.float32],
    first: int,
    rows_each: int,
    scale: np.float32,
    drawn: Drawn,
    out: NDArray[np.float32],
) -> None:
    """The weights of attention: the softmax of ``scale`` x scores in place, and with dropout in ``out``.

    Args:
        scores: shape [R, C].
        allowed: 1 for columns that count and 0 for padding, shape [texts, C].
        first: the index of the first of these rows among all.
        rows_each: the number of rows of a text.
        scale: a positive factor.
        drawn: what is dropped.
        out: shape [R, C].
    """
    columns = scores.shape[1]
    for row in range(scores.shape[0]):
        _softmax(scores[row], allowed[(first + row) // rows_each], scale)
        _drop(scores[row], np.uint32((first + row) * columns), drawn, out[row])


@compiled
def weights_bf16(
    scores: NDArray[np.uint16],
    allowed: NDArray[np.float32],
    first: int,
    rows_each: int,
    scale: np.float32,
    drawn: Drawn,
    out: NDArray[np.uint16],
) -> None:
    """The same for bfloat16 numbers, given as bits; computed in float32."""
    columns = scores.shape[1]
    line, thinned = np.empty(columns, np.float32), np.empty(columns, np.float32)
    for row in range(scores.shape[0]):
        widen(scores[row], line)
        _softmax(line, allowed[(first + row) // rows_each], scale)
        _drop(line, np.uint32((first + row) * columns), drawn, thinned)
        narrow(line, scores[row])
        narrow(thinned, out[row])


@compiled
def gradients_fp32(
    weights: NDArray[np.float32],
    gradients: NDArray[np.float32],
    first: int,
    scale: np.float32,
    drawn: Drawn,
    out: NDArray[np.float32],
) -> None:
    """The gradients of scores, in place of those of the weights with dropout; and these weights in ``out``.

    Args:
        weights: without dropout, shape [R, C].
        gradients: shape [R, C].
        first: as in :func:`weights_fp32`, like all others.
        scale: the factor of the scores.
        drawn: what is dropped.
        out: shape [R, C].
    """
    for row in range(weights.shape[0]):
        start = np.uint32((first + row) * weights.shape[1])
        _backward(weights[row], gradients[row], start, scale, drawn, out[row])


@compiled
def gradients_bf16(
    weights: NDArray[np.uint16],
    gradients: NDArray[np.uint16],
    first: int,
    scale: np.float32,
    drawn: Drawn,
    out: NDArray[np.uint16],
) -> None:
    """The same for bfloat16 numbers, given as bits; computed in float32."""
    columns = weights.shape[1]
    line, thinned = np.empty(columns, np.float32), np.empty(columns, np.float32)
    upstream = np.empty(columns, np.float32)
    for row in range(weights.shape[0]):
        widen(weights[row], line)
        widen(gradients[row], upstream)
        _backward(line, upstream, np.uint32((first + row) * columns), scale, drawn, thinned)
        narrow(upstream, gradients[row])
        narrow(thinned, out[row])


@_sum
def _softmax(line: NDArray[np.float32], allowed: NDArray[np.float32], scale: np.float32) -> None:
    top = -_NEVER
    for column in range(len(line)):
        line[column] += (allowed[column] - _ONE) * _NEVER
        top = max(top, line[column])
    total = _ZERO
    for column in range(len(line)):
        line[column] = exp_of_negative((line[column] - top) * scale) * allowed[column]
        total += line[column]
    share = _ONE / total if total > _ZERO else _ZERO
    for column in range(len(line)):
        line[column] *= share


@compiled
def _drop(
    line: NDArray[np.float32],
    start: np.uint32,
    drawn: Drawn,
    out: NDArray[np.float32],
) -> None:
    seed, dropped, kept = drawn
    for column in range(len(line)):
        factor = kept if is_kept(np.uint32(start + np.uint32(column)), seed, dropped) else _ZERO
        out[column] = line[column] * factor


@_sum
def _backward(
    weights: NDArray[np.float32],
    gradients: NDArray[np.float32],
    start: np.uint32,
    scale: np.float32,
    drawn: Drawn,
    out: NDArray[np.float32],
) -> None:
    total = _ZERO
    seed, dropped, kept = drawn
    for column in range(len(weights)):
        factor = kept if is_kept(np.uint32(start + np.uint32(column)), seed, dropped) else _ZERO
        gradients[column] *= factor
        out[column] = weights[column] * factor
        total += gradients[column] * weights[column]
    for column in range(len(weights)):
        gradients[column] = weights[column] * (gradients[column] - total) * scale
