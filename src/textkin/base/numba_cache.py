"""Compiled loops for computations that arrays can't express."""

from collections.abc import Callable
from contextlib import suppress
from functools import cache, partial
from importlib import import_module, metadata
from typing import Any, TypeVar

from textkin.base.progress import on_terminal, remark

_Function = TypeVar("_Function", bound=Callable[..., Any])


def compiled(function: _Function, *, sums_in_any_order: bool = False) -> _Function:
    """Compile a function to machine code at its first call, cached on disk, running without the GIL.

    The cache is rebuilt if it belongs to another version of textkin, or can't be read. Compiling takes
    seconds, so a note is shown on a terminal. Modules with compiled loops contain nothing else, and are
    imported only when needed: the compiler takes about half a second to load.

    Args:
        function: the function to compile.
        sums_in_any_order: True to let the compiler reorder sums for parallel addition.
    """
    import numba

    compiler: Any = partial(numba.njit, nogil=True)
    if sums_in_any_order:
        compiler = partial(compiler, fastmath={"reassoc", "contract"})
    made: Any = compiler()(function)
    try:
        made._cache = _kept(function)
    except RuntimeError:  # neither the package's folder nor the user's is writable
        made._cache = _not_kept()
    kept: _Function = made
    return kept


def _kept(function: Callable[..., Any]) -> Any:
    """Numba's cache of a function's machine code; errors in it count as an empty cache.

    Numba reads the cache before checking its age. It looks up classes by name there, which a newer textkin
    may no longer have.
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
    """Numba's empty cache, with a note about compiling."""
    caching: Any = import_module("numba.core.caching")
    found: Any = caching.NullCache()
    found.load_overload = lambda *_: _tell("at every start: let NUMBA_CACHE_DIR be a folder to keep them in")
    return found


@cache
def _tell(then: str) -> None:
    """Print once why there is a pause, unless the output is for programs."""
    if on_terminal():
        remark(f"compiling loops for this machine, some seconds; {then}")
