"""Pieces of work side by side, a core each."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import cache
from threading import Lock
from typing import TYPE_CHECKING, TypeVar, final

if TYPE_CHECKING:
    from threadpoolctl import ThreadpoolController

CORES = "TEXTKIN_CORES"
"""The variable of the environment that says how many cores a process may use."""

_Piece = TypeVar("_Piece")
_Result = TypeVar("_Result")


def cores() -> int:
    """How many processor cores this process may use; fewer if the variable TEXTKIN_CORES says so."""
    told = os.environ.get(CORES, "")
    there = _cores_there()
    return min(int(told), there) if told.isdecimal() and int(told) else there


def _cores_there() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


@contextmanager
def one_thread_each() -> Iterator[None]:
    """In the block NumPy and torch take one thread for each operation, also in threads that begin there.

    torch is held to it if it is loaded by then. Blocks of several threads may overlap.
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
    """Have a thread that lives for long take as many of torch's threads as the process has.

    torch settles that when a thread first asks; one that first asks while another is in
    :func:`one_thread_each` would have one for good.
    """
    if (torch := sys.modules.get("torch")) is not None:
        torch.get_num_threads()


@final
class _BlasHeld:
    """What multiplies NumPy's matrices, held to one thread by one block at a time.

    A limit holds for the whole process, and OpenBLAS lets nobody raise it but the thread that has lowered it.
    Were each block to restore what it found, of two that overlap the later would restore the earlier's limit,
    for good. So the first one holds it, and what others have left when it ends takes more threads.
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
    """Found once, as looking for it goes through all loaded libraries."""
    import numpy  # noqa: F401  # brings it
    from threadpoolctl import ThreadpoolController

    return _BlasHeld(ThreadpoolController().select(user_api="blas"))


def side_by_side(
    work: Callable[[_Piece], _Result], pieces: Sequence[_Piece], *, workers: int
) -> Iterator[_Result]:
    """The results in the order of the pieces, of which ``workers`` are worked on at a time."""
    if min(workers, len(pieces)) < 2:
        yield from map(work, pieces)
        return
    pool = ThreadPoolExecutor(min(workers, len(pieces)))
    try:
        for done in [pool.submit(work, piece) for piece in pieces]:
            yield done.result()
    finally:
        pool.shutdown(cancel_futures=True)
