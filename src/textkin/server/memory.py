"""Memory that libraries keep for later, bounded: a server runs for months, and sees texts of all lengths."""

from __future__ import annotations

import ctypes
import os
from collections.abc import Callable

_CAPACITY = "ONEDNN_PRIMITIVE_CACHE_CAPACITY"
_PRIMITIVES = 512
_LARGE = "MALLOC_MMAP_THRESHOLD_"
_LARGE_BYTES = 1 << 20
_M_MMAP_THRESHOLD = -3  # of glibc's malloc.h


def bound_libraries() -> None:
    """Have libraries keep little; to be called before the first model computes.

    oneDNN writes a program for each shape of a product, of a third to half of a megabyte, and remembers
    1,024. Batches of a server are of all shapes, so that it would come to remember as many.

    glibc takes blocks above a threshold from the system, and gives them back when they are freed. But each
    one that is freed raises the threshold, up to 32 MB, so that the states of a network come to lie between
    small things that stay, and what they leave is in pieces. A threshold that is set doesn't rise.

    Who has set one of the two variables has chosen.
    """
    os.environ.setdefault(_CAPACITY, str(_PRIMITIVES))
    option = getattr(ctypes.CDLL(None), "mallopt", None)
    if option is not None and _LARGE not in os.environ:
        option(_M_MMAP_THRESHOLD, _LARGE_BYTES)


def giver_back() -> Callable[[], None] | None:
    """What hands freed memory back to the system; None where the C library has nothing for it.

    glibc keeps what threads free in arenas of their own, with holes between what is still in use, and so
    holds a multiple of it.
    """
    trim = getattr(ctypes.CDLL(None), "malloc_trim", None)
    if trim is None:
        return None
    return lambda: trim(ctypes.c_size_t(0)) and None
