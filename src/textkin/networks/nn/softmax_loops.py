"""Loops that turn scores into weights."""

from functools import partial

import numpy as np
from numpy.typing import NDArray

from textkin.base.numba_cache import compiled

_sum = partial(compiled, sums_in_any_order=True)

# exp(x) for x <= 0, as 2^n e^r with integer n and |r| <= ln(2) / 2; e^r by the polynomial of Cephes' expf.
_LEAST = np.float32(-87.0)
_LOG2_E = np.float32(1.44269504)
_TO_WHOLE = np.float32(12582912.0)  # 1.5 * 2^23: adding it removes the fraction
_LN2_HIGH = np.float32(0.693359375)
_LN2_LOW = np.float32(-2.12194440e-4)
_C5 = np.float32(1.9875691500e-4)
_C4 = np.float32(1.3981999507e-3)
_C3 = np.float32(8.3334519073e-3)
_C2 = np.float32(4.1665795894e-2)
_C1 = np.float32(1.6666665459e-1)
_C0 = np.float32(5.0000001201e-1)
_ONE = np.float32(1.0)
_ROWS = 64


@compiled
def softmax_fp32(scores: NDArray[np.float32], scale: np.float32) -> None:
    """The softmax of each row of ``scale`` x scores, in place. Shape [rows, columns]."""
    _powers(scores, scale)
    _shares(scores)


@compiled
def softmax_bf16(scores: NDArray[np.uint16], scale: np.float32) -> None:
    """The same for bfloat16 numbers, given as bits; computed in float32 and rounded once."""
    # With the loops of bf16_loops.py, which do the same, short rows take 1.3 to 2.6 times as long.
    block = np.empty((_ROWS, scores.shape[1]), dtype=np.float32)
    bits = block.view(np.uint32)
    for start in range(0, scores.shape[0], _ROWS):
        rows = min(_ROWS, scores.shape[0] - start)
        for row in range(rows):
            for column in range(scores.shape[1]):
                bits[row, column] = np.uint32(scores[start + row, column]) << np.uint32(16)
        _powers(block[:rows], scale)
        _shares(block[:rows])
        for row in range(rows):
            for column in range(scores.shape[1]):
                number = bits[row, column]
                odd = (number >> np.uint32(16)) & np.uint32(1)  # ties go to the even one
                scores[start + row, column] = np.uint16((number + np.uint32(0x7FFF) + odd) >> np.uint32(16))


@compiled
def _powers(scores: NDArray[np.float32], scale: np.float32) -> None:
    for row in range(scores.shape[0]):
        top = scores[row, 0]
        for column in range(scores.shape[1]):
            top = max(top, scores[row, column])
        for column in range(scores.shape[1]):
            scores[row, column] = exp_of_negative((scores[row, column] - top) * scale)


@_sum
def _shares(powers: NDArray[np.float32]) -> None:
    for row in range(powers.shape[0]):
        total = np.float32(0)
        for column in range(powers.shape[1]):
            total += powers[row, column]
        share = _ONE / total
        for column in range(powers.shape[1]):
            powers[row, column] *= share


@compiled
def exp_of_negative(x: np.float32) -> np.float32:
    """The exponential of a number up to 0, within a few units of its last place."""
    x = max(x, _LEAST)
    shifted = x * _LOG2_E + _TO_WHOLE
    whole = shifted - _TO_WHOLE
    r = (x - whole * _LN2_HIGH) - whole * _LN2_LOW
    p = ((((_C5 * r + _C4) * r + _C3) * r + _C2) * r + _C1) * r + _C0
    power = np.float32(p * r * r + r + _ONE)
    # The integer part is in the low bits of the shifted number, the exponent in the high ones.
    bits = power.view(np.int32) + (np.float32(shifted).view(np.int32) << np.int32(23))
    return np.int32(bits).view(np.float32)
