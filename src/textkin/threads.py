"""Pieces of work side by side, a core each."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import cache
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from threadpoolctl import ThreadpoolController

_Piece = TypeVar("_Piece")
_Result = TypeVar("_Result")


def cores() -> int:
    """How many processor cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


@contextmanager
def one_thread_each() -> Iterator[None]:
    """In the block NumPy and torch take one thread for each operation, also in threads that begin there.

    torch is held to it if it is loaded by then.
    """
    with _blas().limit(limits=1):
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


@cache
def _blas() -> ThreadpoolController:
    """What multiplies NumPy's matrices; found once, as looking for it goes through all loaded libraries."""
    import numpy  # noqa: F401  # brings it
    from threadpoolctl import ThreadpoolController

    return ThreadpoolController().select(user_api="blas")


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
