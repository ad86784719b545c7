"""Compiled loops for computations that arrays can't express."""

import sys
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from functools import cache, partial
from importlib import import_module, metadata
from threading import Event
from typing import Any, TypeVar

from textkin.base.progress import on_terminal, remark

_Function = TypeVar("_Function", bound=Callable[..., Any])

# Arrays take about a nanosecond a number, loading the compiler half a second, compiling some seconds more.
_FEW = 1 << 26
_MANY = 1 << 28
_REPAY = 1 << 29  # numbers, of all calls together: many small searches repay the loading, too
_DONE = Counter[str]()
_BEING_COMPILED = Event()
_COMPILES: ContextVar[bool] = ContextVar("this thread compiles", default=False)
_ONLY_KEPT: ContextVar[bool] = ContextVar(
    "this thread loads what is kept, and compiles nothing", default=False
)


def arrays_do(module: str, numbers: int) -> bool:
    """True if arrays are to compute something that a module of compiled loops computes, too.

    They do if the loops are not loaded, and loading them takes longer than the work, by itself and with what
    arrays did before; and while another thread compiles them, unless there is so much work that compiling
    takes less time.

    Args:
        module: the name of the module of loops.
        numbers: the number of numbers that arrays have to go through.
    """
    if _COMPILES.get():
        return False
    if others_compile():
        return numbers <= _MANY
    if module in sys.modules or numbers > _FEW or _DONE[module] + numbers > _REPAY:
        return False
    _DONE[module] += numbers
    return True


def others_compile() -> bool:
    """True while another thread compiles loops: a call of one would wait for it."""
    return _BEING_COMPILED.is_set() and not _COMPILES.get()


@contextmanager
def compiling() -> Iterator[None]:
    """Compile loops in this thread, while arrays do the work of other threads. A context manager."""
    token = _COMPILES.set(True)
    _BEING_COMPILED.set()
    try:
        yield
    finally:
        _BEING_COMPILED.clear()
        _COMPILES.reset(token)


class _NotKeptError(Exception):
    """A loop would have to be compiled."""


@contextmanager
def only_kept() -> Iterator[None]:
    """Load loops that are kept on the disk; the block ends at the first that would have to be compiled.

    Where none can be kept, they are compiled. A context manager.
    """
    token = _ONLY_KEPT.set(True)
    try:
        with compiling(), suppress(_NotKeptError):
            yield
    finally:
        _ONLY_KEPT.reset(token)


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
    return made


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
        if loaded is None and _ONLY_KEPT.get():
            raise _NotKeptError
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
