"""Parallel work, one piece per core."""

from __future__ import annotations

import os
import sys
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import cache
from threading import Lock
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from threadpoolctl import ThreadpoolController

CORES = "TEXTKIN_CORES"
"""Environment variable for the number of cores that a process may use."""

_Piece = TypeVar("_Piece")
_Result = TypeVar("_Result")


def cores() -> int:
    """The number of processor cores for this process, limited by the variable TEXTKIN_CORES."""
    told = os.environ.get(CORES, "")
    there = _cores_there()
    return min(int(told), there) if told.isdecimal() and int(told) else there


def _cores_there() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


@contextmanager
def one_thread_each() -> Iterator[None]:
    """Limit NumPy and torch to one thread per operation for the block, in threads started there too.

    torch is limited only if it is already loaded. Blocks of several threads may overlap.
    """
    with _blas_held().to_one_thread():
        if sys.modules.get("torch") is None:
            yield
            return
        import torch

        threads = torch.get_num_threads()
        torch.set_num_threads(1)
        try:
            yield
        finally:
            torch.set_num_threads(threads)


def settle() -> None:
    """Give a long-lived thread all of the process's torch threads.

    torch determines the number at a thread's first request. If that happened while another thread is in
    :func:`one_thread_each`, it would stay at one for good.
    """
    if (torch := sys.modules.get("torch")) is not None:
        torch.get_num_threads()


class _BlasHeld:
    """NumPy's matrix library, limited to one thread by one block at a time.

    A limit applies to the whole process, and with OpenBLAS only the thread that lowered it can raise it. If
    each block restored the previous value, the later of two overlapping blocks would restore the earlier
    one's limit for good. So the first block holds the limit, and any work that outlives it uses more threads.
    """

    def __init__(self, controller: ThreadpoolController) -> None:
        self._controller, self._is_held = controller, Lock()

    @contextmanager
    def to_one_thread(self) -> Iterator[None]:
        if not self._is_held.acquire(blocking=False):
            yield
            return
        try:
            with self._controller.limit(limits=1):
                yield
        finally:
            self._is_held.release()


@cache
def _blas_held() -> _BlasHeld:
    """NumPy's matrix library, cached since the search goes through all loaded libraries."""
    import numpy  # noqa: F401  # brings it
    from threadpoolctl import ThreadpoolController

    return _BlasHeld(ThreadpoolController().select(user_api="blas"))


def side_by_side(
    work: Callable[[_Piece], _Result], pieces: Sequence[_Piece], *, workers: int
) -> Iterator[_Result]:
    """Yield the results in the order of the pieces, running ``workers`` of them at a time."""
    if min(workers, len(pieces)) < 2:
        yield from map(work, pieces)
        return
    pool = ThreadPoolExecutor(min(workers, len(pieces)))
    try:
        waiting = deque(pool.submit(work, piece) for piece in pieces)
        while waiting:
            yield waiting.popleft().result()  # a list of all would keep the results, too
    finally:
        pool.shutdown(cancel_futures=True)
