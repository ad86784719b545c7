"""Memory that libraries keep for later, bounded: a server runs for months, and sees texts of all lengths."""

from __future__ import annotations

import ctypes
import os
from collections.abc import Callable

_CAPACITY = "ONEDNN_PRIMITIVE_CACHE_CAPACITY"
_PRIMITIVES = 512


def bound_libraries() -> None:
    """Have oneDNN remember little; to be called before the first model computes.

    It writes a program for each shape of a product, of a third to half of a megabyte, and remembers 1,024.
    Batches of a server are of all shapes, so that it would come to remember as many. Who has set the variable
    has chosen.
    """
    os.environ.setdefault(_CAPACITY, str(_PRIMITIVES))


def giver_back() -> Callable[[], None] | None:
    """What hands freed memory back to the system; None where the C library has nothing for it.

    glibc keeps what threads free in arenas of their own, with holes between what is still in use, and so
    holds a multiple of it.
    """
    trim = getattr(ctypes.CDLL(None), "malloc_trim", None)
    if trim is None:
        return None
    return lambda: trim(ctypes.c_size_t(0)) and None
