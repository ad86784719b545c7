"""Bounds on memory kept by libraries, for a server that runs for months with texts of all lengths."""

import ctypes
import gc
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager

_CAPACITY = "ONEDNN_PRIMITIVE_CACHE_CAPACITY"
_PRIMITIVES = 512
# The settings of glibc's variables, by their numbers in malloc.h.
_LARGE, _M_MMAP_THRESHOLD, _LARGE_BYTES = "MALLOC_MMAP_THRESHOLD_", -3, 16 << 20
_KEPT, _M_TRIM_THRESHOLD, _KEPT_BYTES = "MALLOC_TRIM_THRESHOLD_", -1, 64 << 20


def bound_libraries() -> None:
    """Make libraries keep little memory; call this before the first model computes.

    oneDNN generates a program for each shape of a product, of a third to half of a megabyte, and caches
    1,024. A server's batches have all shapes, so it would eventually cache as many.

    glibc takes blocks above a threshold from the system, and returns them when they are freed. But each freed
    block raises the threshold, up to 32 MB, unless it is set explicitly. The states of a network, 1 to 7 MB,
    are below it: if each of them were a system block, a quarter of the time would go into clearing pages. For
    the same reason, free memory at the end of a heap is kept, up to a limit, until :func:`giver_back` returns
    it.

    Variables that the user has set take precedence.
    """
    os.environ.setdefault(_CAPACITY, str(_PRIMITIVES))
    option = getattr(ctypes.CDLL(None), "mallopt", None)
    if option is not None and not {_LARGE, _KEPT} & os.environ.keys():
        option(_M_MMAP_THRESHOLD, _LARGE_BYTES)
        option(_M_TRIM_THRESHOLD, _KEPT_BYTES)


def giver_back() -> Callable[[], None] | None:
    """A function that returns freed memory to the system; None without support in the C library.

    glibc keeps memory freed by threads in separate arenas, with holes between used blocks, and so holds a
    multiple of it.
    """
    trim = getattr(ctypes.CDLL(None), "malloc_trim", None)
    if trim is None:
        return None
    return lambda: trim(ctypes.c_size_t(0)) and None


@contextmanager
def garbage_of_requests_only() -> Iterator[None]:
    """Exclude existing objects from garbage collection, which would delay all requests.

    Objects that a parent process excluded stay excluded, and so stay shared.
    """
    gc.collect()
    gc.freeze()
    try:
        yield
    finally:
        gc.unfreeze()


def search_all_garbage_once() -> None:
    """Collect all garbage once, and exclude the rest from later collections."""
    gc.unfreeze()
    gc.collect()
    gc.freeze()
