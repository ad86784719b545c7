"""Rows in bfloat16, which NumPy lacks: stored as the upper halves of float32, multiplied by torch."""

import sys
from importlib.util import find_spec
from typing import Any

import numpy as np
from numpy.typing import NDArray

Halves = NDArray[np.int16]
"""Numbers in bfloat16, as bits."""

_LOADING = 1.5  # seconds: the import of torch took 1.0 s on two idle cores, up to 2.6 s on busy ones

_STEP = 64  # rows
_INSTRUCTIONS = ("avx512bf16", "amx-bf16", "avxneconvert", "bf16")  # LLVM's names


def rounded(values: NDArray[np.float32]) -> Halves:
    """Round to bfloat16, ties to even. Finite numbers only."""
    bits = np.ascontiguousarray(values).view(np.uint32)
    nearest = (bits + (np.uint32(0x7FFF) + ((bits >> 16) & 1))) >> 16
    return nearest.astype(np.uint16).view(np.int16)


def widened(halves: NDArray[Any]) -> NDArray[np.float32]:
    """Convert back to float32."""
    return (halves.astype(np.int32) << 16).view(np.float32)


def multiply(left: Halves, right: Halves, out: Halves) -> None:
    """Products of rows, rounded to bfloat16.

    torch compiles code for each shape, and keeps the code of a thousand shapes, half a megabyte each. Shapes
    are rounded up, as the ragged edges of some hundred sets would otherwise cost time and memory.

    Shapes [rows, dim], [columns, dim] and [rows, columns].
    """
    import torch

    sides = [_rounded_up(left), _rounded_up(right)]
    whole = len(sides[0]), len(sides[1])
    room = out if whole == out.shape else np.empty(whole, dtype=np.int16)
    one, other, found = (torch.from_numpy(each).view(torch.bfloat16) for each in (*sides, room))
    torch.mm(one, other.T, out=found)
    if room is not out:
        out[...] = room[: len(left), : len(right)]


def _rounded_up(rows: Halves) -> Halves:
    """The rows, and zeros up to a multiple of ``_STEP`` rows."""
    missing = -len(rows) % _STEP
    return np.concatenate((rows, np.zeros((missing, rows.shape[1]), dtype=np.int16))) if missing else rows


def load() -> bool:
    """Load torch, which takes seconds, before a timed section; return whether that worked."""
    try:
        import torch  # noqa: F401
    except Exception:  # not installed, or broken: torch is optional here
        return False
    return True


def there() -> bool:
    """True if torch is installed."""
    return find_spec("torch") is not None


def computed() -> bool:
    """True if the processor has instructions for bfloat16; without them it is no faster."""
    from llvmlite import binding

    has = binding.get_host_cpu_features()
    return any(has.get(name) for name in _INSTRUCTIONS)


def worth_loading(seconds: float) -> bool:
    """True if torch may shorten work of this duration in seconds, its loading time included."""
    return sys.modules.get("torch") is not None or (seconds > 2 * _LOADING and computed() and there())
