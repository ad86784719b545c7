"""Something that one thread alone may use, and that requests take turns at."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Generic, TypeVar, final

from textkin.server.call import Call
from textkin.server.problems import RequestError, Trouble, overloaded

_Thing = TypeVar("_Thing")
_Found = TypeVar("_Found")
_MOST = 1_000  # requests that wait


@final
class Turns(Generic[_Thing]):
    """A thread with a thing of its own.

    Args:
        make: makes the thing, in that thread; what it raises is raised here.
        name: of the thing, for errors.
    """

    def __init__(self, make: Callable[[], _Thing], *, name: str) -> None:
        self._name, self._waiting = name, 0
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="textkin-turns")
        try:
            self.thing: _Thing = self._thread.submit(make).result()
        except BaseException:
            self._thread.shutdown()
            raise

    async def run(self, call: Call, ask: Callable[[_Thing], _Found]) -> _Found:
        """Ask it, and wait until the call's deadline; what has begun by then is done all the same.

        Raises:
            RequestError: too many wait, or there was no answer in time.
        """
        if self._waiting >= _MOST:
            raise overloaded(f"{self._waiting:,} requests wait for {self._name}", retry_after=2)
        self._waiting += 1
        future = asyncio.wrap_future(self._thread.submit(ask, self.thing))
        try:
            async with asyncio.timeout_at(call.deadline):
                return await future
        except TimeoutError:
            raise RequestError(
                f"{self._name} gave no answer in time",
                status=503,
                trouble=Trouble.TIMEOUT,
                fix="try again later",
                retry_after=5,
            ) from None
        finally:
            self._waiting -= 1

    def close(self, let_go: Callable[[_Thing], None] | None = None) -> None:
        """Finish what waits, and let go of the thing in its own thread."""
        if let_go is not None:
            self._thread.submit(let_go, self.thing).result()
        self._thread.shutdown()
