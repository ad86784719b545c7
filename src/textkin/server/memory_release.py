"""Memory that libraries keep for later, bounded: a server runs for months, and sees texts of all lengths."""

from __future__ import annotations

import ctypes
import gc
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager

_CAPACITY = "ONEDNN_PRIMITIVE_CACHE_CAPACITY"
_PRIMITIVES = 512
# What glibc's variables set, by its numbers for them in malloc.h.
_LARGE, _M_MMAP_THRESHOLD, _LARGE_BYTES = "MALLOC_MMAP_THRESHOLD_", -3, 16 << 20
_KEPT, _M_TRIM_THRESHOLD, _KEPT_BYTES = "MALLOC_TRIM_THRESHOLD_", -1, 64 << 20


def bound_libraries() -> None:
    """Have libraries keep little; to be called before the first model computes.

    oneDNN writes a program for each shape of a product, of a third to half of a megabyte, and remembers
    1,024. Batches of a server are of all shapes, so that it would come to remember as many.

    glibc takes blocks above a threshold from the system, and gives them back when they are freed. But each
    one that is freed raises the threshold, up to 32 MB; a threshold that is set doesn't rise. The states of
    a network, 1 to 7 MB, are below it: were each of them the system's own, a quarter of the time would go
    into pages that are cleared. For the same reason what is free at the end of a heap is kept, up to a
    limit, until :func:`giver_back` hands it back.

    Who has set one of the variables has chosen.
    """
    os.environ.setdefault(_CAPACITY, str(_PRIMITIVES))
    option = getattr(ctypes.CDLL(None), "mallopt", None)
    if option is not None and not {_LARGE, _KEPT} & os.environ.keys():
        option(_M_MMAP_THRESHOLD, _LARGE_BYTES)
        option(_M_TRIM_THRESHOLD, _KEPT_BYTES)


def giver_back() -> Callable[[], None] | None:
    """What hands freed memory back to the system; None where the C library has nothing for it.

    glibc keeps what threads free in arenas of their own, with holes between what is still in use, and so
    holds a multiple of it.
    """
    trim = getattr(ctypes.CDLL(None), "malloc_trim", None)
    if trim is None:
        return None
    return lambda: trim(ctypes.c_size_t(0)) and None


@contextmanager
def garbage_of_requests_only() -> Iterator[None]:
    """In the block what is there by now is not searched for garbage: that takes long, and all wait for it.

    What a process from which this one has parted has left out of searches stays out, and so stays shared.
    """
    gc.collect()
    gc.freeze()
    try:
        yield
    finally:
        gc.unfreeze()


def search_all_garbage_once() -> None:
    """Free what has become garbage of all that is there, and leave the rest out of searches from now on."""
    gc.unfreeze()
    gc.collect()
    gc.freeze()
