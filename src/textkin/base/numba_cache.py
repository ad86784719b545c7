"""Compiled loops for computations that arrays can't express."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from functools import cache, cached_property, update_wrapper
from importlib import import_module, metadata
from threading import Event
from typing import Any, Generic, ParamSpec, TypeVar

from textkin.base.progress import on_terminal, remark

# Arrays take about a nanosecond a number, loading the compiler half a second, compiling some seconds more.
_FEW = 1 << 26
_MANY = 1 << 28

_Arguments = ParamSpec("_Arguments")
_Value = TypeVar("_Value")

_BEING_COMPILED = Event()
_COMPILES: ContextVar[bool] = ContextVar("this thread compiles", default=False)


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


class Loop(Generic[_Arguments, _Value]):
    """A function that is compiled to machine code at its first call, cached on disk, running without the GIL.

    The cache is rebuilt if it belongs to another version of textkin, or can't be read. Compiling takes
    seconds, so a note is shown on a terminal. Modules with compiled loops contain nothing else.

    Args:
        function: the function to compile; the loops that it calls are compiled with it.
        sums_in_any_order: True to let the compiler reorder sums for parallel addition.
    """

    def __init__(self, function: Callable[_Arguments, _Value], *, sums_in_any_order: bool) -> None:
        self._function, self._in_any_order = function, sums_in_any_order
        update_wrapper(self, function)

    def __call__(self, *arguments: _Arguments.args, **named: _Arguments.kwargs) -> _Value:
        """Call the machine code."""
        found: _Value = self.machine_code(*arguments, **named)
        return found

    def is_left_to_arrays(self, numbers: int) -> bool:
        """True if arrays are to do the loop's work, with the same results.

        They do if it isn't loaded, and loading it takes longer than the work; and while another thread
        compiles loops, unless there is so much work that compiling takes less time.

        Args:
            numbers: the number of numbers that arrays have to go through.
        """
        if _COMPILES.get():
            return False
        if _BEING_COMPILED.is_set():
            return numbers <= _MANY
        return "machine_code" not in self.__dict__ and numbers <= _FEW

    @cached_property
    def machine_code(self) -> Any:
        """What the compiler made of the function."""
        import numba

        compiler: Any = numba.njit
        options = {"fastmath": {"reassoc", "contract"}} if self._in_any_order else {}
        made: Any = compiler(nogil=True, **options)(self._function)
        try:
            made._cache = _kept(self._function)
        except RuntimeError:  # neither the package's folder nor the user's is writable
            made._cache = _not_kept()
        return made

    @property
    def _numba_type_(self) -> Any:
        """The loop as others see it that are compiled with it."""
        from numba.core import types

        return types.Dispatcher(self.machine_code)


def compiled(
    function: Callable[_Arguments, _Value], *, sums_in_any_order: bool = False
) -> Loop[_Arguments, _Value]:
    """Make a loop of a function, see :class:`Loop`."""
    return Loop(function, sums_in_any_order=sums_in_any_order)


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
