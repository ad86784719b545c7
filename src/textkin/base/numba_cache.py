"""Compiled loops for computations that arrays can't express."""

from collections.abc import Callable
from contextlib import suppress
from contextvars import ContextVar
from functools import cache, cached_property, update_wrapper
from importlib import import_module, metadata
from typing import Any, Generic, ParamSpec, TypeVar

from textkin.base.progress import on_terminal, remark

LITTLE = 400_000
"""Steps that plain Python may take in a process, about half a second, before a loop is compiled."""

_Arguments = ParamSpec("_Arguments")
_Value = TypeVar("_Value")

_PLAIN: ContextVar[bool] = ContextVar("plain", default=False)


class Loop(Generic[_Arguments, _Value]):
    """A function that is compiled to machine code at its first call, cached on disk, running without the GIL.

    The cache is rebuilt if it belongs to another version of textkin, or can't be read. Compiling takes
    seconds, so a note is shown on a terminal. Modules with compiled loops contain nothing else.

    Args:
        function: the function to compile; the loops that it calls are compiled with it.
        sums_in_any_order: True to let the compiler reorder sums for parallel addition.
    """

    def __init__(self, function: Callable[_Arguments, _Value], *, sums_in_any_order: bool) -> None:
        self._function, self._in_any_order, self._steps = function, sums_in_any_order, 0
        update_wrapper(self, function)

    def __call__(self, *arguments: _Arguments.args, **named: _Arguments.kwargs) -> _Value:
        """Call the machine code, or the function itself inside another one that isn't compiled."""
        called: Callable[_Arguments, _Value] = self._function if _PLAIN.get() else self.machine_code
        return called(*arguments, **named)

    def of(self, steps: int) -> Callable[_Arguments, _Value]:
        """The loop for a number of steps: in plain Python, with the same results, while they are few.

        Loading the compiler takes half a second, and compiling some more.
        """
        if "machine_code" not in self.__dict__ and self._steps + steps <= LITTLE:
            self._steps += steps
            return self._plainly
        return self

    def _plainly(self, *arguments: _Arguments.args, **named: _Arguments.kwargs) -> _Value:
        token = _PLAIN.set(True)
        try:
            return self._function(*arguments, **named)
        finally:
            _PLAIN.reset(token)

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
