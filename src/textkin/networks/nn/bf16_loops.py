"""Loops between bfloat16 numbers, which NumPy doesn't have and gets as bits, and float32."""

import numpy as np
from numpy.typing import NDArray

from textkin.base.numba_cache import compiled


@compiled
def widen(bits: NDArray[np.uint16], out: NDArray[np.float32]) -> None:
    """Write bfloat16 numbers as float32. Shape [N] each."""
    numbers = out.view(np.uint32)
    for place in range(len(bits)):
        numbers[place] = np.uint32(bits[place]) << np.uint32(16)


@compiled
def narrow(numbers: NDArray[np.float32], out: NDArray[np.uint16]) -> None:
    """Write float32 numbers as bfloat16, rounded to the nearest. Shape [N] each."""
    bits = numbers.view(np.uint32)
    for place in range(len(bits)):
        odd = (bits[place] >> np.uint32(16)) & np.uint32(1)  # ties go to the even one
        out[place] = np.uint16((bits[place] + np.uint32(0x7FFF) + odd) >> np.uint32(16))
