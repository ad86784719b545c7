"""Compiled loops, for what arrays can't express."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from functools import cache, partial
from importlib import import_module, metadata
from typing import Any, TypeVar

from textkin.base.progress import on_terminal, remark

_Function = TypeVar("_Function", bound=Callable[..., Any])


def compiled(function: _Function, *, sums_in_any_order: bool = False) -> _Function:
    """The function as machine code: made at its first call, kept on disk, run without Python's lock.

    What is kept is made again where it is of another version of textkin, or can't be read. Making it takes
    seconds, which is told on a terminal. A module that uses it holds such loops and nothing else, and is
    imported where it is needed: the compiler takes about half a second to load.

    Args:
        function: what to compile.
        sums_in_any_order: let the compiler add up many numbers side by side, rounding as it comes.
    """
    import numba

    compiler: Any = partial(numba.njit, nogil=True)
    if sums_in_any_order:
        compiler = partial(compiler, fastmath={"reassoc", "contract"})
    made: Any = compiler()(function)
    try:
        made._cache = _kept(function)
    except RuntimeError:  # neither the package's folder nor the user's can be written to
        made._cache = _not_kept()
    kept: _Function = made
    return kept


def _kept(function: Callable[..., Any]) -> Any:
    """Where numba keeps a function's machine code; what goes wrong there is as if nothing were kept.

    Numba looks into what it has kept before it asks how old it is. There it finds classes by their names,
    which a newer textkin may not have any more.
    """
    caching: Any = import_module("numba.core.caching")
    found: Any = caching.FunctionCache(function)
    file = found._cache_file
    file._source_stamp = (*file._source_stamp, metadata.version("textkin"))
    load, save = found.load_overload, found.save_overload

    def load_overload(*arguments: Any) -> Any:
        loaded = None
        try:
            loaded = load(*arguments)
        except Exception:
            with suppress(OSError):
                found.flush()
        if loaded is None:
            _tell("kept for the next time")
        return loaded

    def save_overload(*arguments: Any) -> None:
        with suppress(OSError):
            save(*arguments)

    found.load_overload, found.save_overload = load_overload, save_overload
    return found


def _not_kept() -> Any:
    """What numba has where nothing is kept, but for a word about it."""
    caching: Any = import_module("numba.core.caching")
    found: Any = caching.NullCache()
    found.load_overload = lambda *_: _tell("at every start: let NUMBA_CACHE_DIR be a folder to keep them in")
    return found


@cache
def _tell(then: str) -> None:
    """Say once why nothing happens for a while; what reads lines of programs has no use for it."""
    if on_terminal():
        remark(f"compiling loops for this machine, some seconds; {then}")
