"""Compiled loops, for what arrays can't express."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from functools import partial
from importlib import import_module, metadata
from typing import Any, TypeVar

_Function = TypeVar("_Function", bound=Callable[..., Any])


def compiled(function: _Function, *, sums_in_any_order: bool = False) -> _Function:
    """The function as machine code: made at its first call, kept on disk, run without Python's lock.

    What is kept is made again where it is of another version of textkin, or can't be read. A module that uses
    it holds such loops and nothing else, and is imported where it is needed: the compiler takes about half a
    second to load.

    Args:
        function: what to compile.
        sums_in_any_order: let the compiler add up many numbers side by side, rounding as it comes.
    """
    import numba

    compiler: Any = partial(numba.njit, nogil=True)
    if sums_in_any_order:
        compiler = partial(compiler, fastmath={"reassoc", "contract"})
    made: Any = compiler()(function)
    with suppress(RuntimeError):  # neither the package's folder nor the user's can be written to
        made._cache = _kept(function)
    kept: _Function = made
    return kept


def _kept(function: Callable[..., Any]) -> Any:
    """Where numba keeps a function's machine code; what goes wrong there is as if nothing were kept.

    Numba looks into what it has kept before it asks how old it is. There it finds classes by their names,
    which a newer textkin may not have any more.
    """
    caching: Any = import_module("numba.core.caching")
    cache: Any = caching.FunctionCache(function)
    file = cache._cache_file
    file._source_stamp = (*file._source_stamp, metadata.version("textkin"))
    load, save = cache.load_overload, cache.save_overload

    def load_overload(*arguments: Any) -> Any:
        try:
            return load(*arguments)
        except Exception:
            with suppress(OSError):
                cache.flush()
            return None

    def save_overload(*arguments: Any) -> None:
        with suppress(OSError):
            save(*arguments)

    cache.load_overload, cache.save_overload = load_overload, save_overload
    return cache
