"""Compiled loops, for what arrays can't express."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, TypeVar

_Function = TypeVar("_Function", bound=Callable[..., Any])


def compiled(function: _Function, *, sums_in_any_order: bool = False) -> _Function:
    """The function as machine code: made at its first call, kept on disk, run without Python's lock.

    A module that uses it holds such loops and nothing else, and is imported where it is needed: the compiler
    takes about half a second to load.

    Args:
        function: what to compile.
        sums_in_any_order: let the compiler add up many numbers side by side, rounding as it comes.
    """
    import numba

    compiler: Any = partial(numba.njit, nogil=True)
    if sums_in_any_order:
        compiler = partial(compiler, fastmath={"reassoc", "contract"})
    try:
        made: _Function = compiler(cache=True)(function)
    except RuntimeError:  # neither the package's folder nor the user's can be written to
        made = compiler()(function)
    return made
