"""Pieces of work side by side, a core each."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import TypeVar

_Piece = TypeVar("_Piece")
_Result = TypeVar("_Result")


def cores() -> int:
    """How many processor cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


@contextmanager
def one_thread_each() -> Iterator[None]:
    """In the block torch takes one thread for each operation, also in threads that begin there."""
    import torch

    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(threads)


@contextmanager
def plain_products() -> Iterator[None]:
    """As :func:`one_thread_each`, and products of float32 are computed as such.

    Elsewhere they may be rounded to bfloat16 on their way.
    """
    import torch

    precision = torch.get_float32_matmul_precision()
    with one_thread_each():
        if precision != "highest":
            torch.set_float32_matmul_precision("highest")
        try:
            yield
        finally:
            if precision != "highest":
                torch.set_float32_matmul_precision(precision)


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
