"""Something that one thread alone may use, and that requests take turns at."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from threading import Lock
from typing import Generic, TypeVar, final

from textkin.base.threads import settle
from textkin.server.call import Call
from textkin.server.deadlines import Deadlines
from textkin.server.request_errors import RequestError, Trouble, overloaded

_Thing = TypeVar("_Thing")
_Found = TypeVar("_Found")
_MOST = 1_000


@final
class SingleThread(Generic[_Thing]):
    """A thread with a thing of its own.

    Args:
        make: makes the thing, in that thread; what it raises is raised here.
        name: of the thing, for errors.
        most: how much may wait for it: requests, or what :meth:`run` counts instead.
    """

    def __init__(self, make: Callable[[], _Thing], *, name: str, most: int = _MOST) -> None:
        self._name, self._most, self._waiting = name, most, 0
        self._counting, self._deadlines = Lock(), Deadlines()
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="textkin-turns")
        try:
            self._thread.submit(settle).result()
            self.thing: _Thing = self._thread.submit(make).result()
        except BaseException:
            self._thread.shutdown()
            raise

    async def run(self, call: Call, ask: Callable[[_Thing], _Found], *, count: int = 1) -> _Found:
        """Ask it, and wait until the call's deadline; what has begun by then is done all the same.

        Args:
            call: that asks.
            ask: is called with the thing, in its thread.
            count: how much of what may wait this is, such as texts. It counts until it is done.

        Raises:
            RequestError: too much waits, or there was no answer in time.
        """
        count = min(count, self._most)  # what is large waits alone
        if self._waiting + count > self._most:
            raise overloaded(f"{self._waiting:,} already wait for {self._name}", retry_after=2)
        self._add(count)
        future = self._thread.submit(ask, self.thing)
        future.add_done_callback(lambda _: self._add(-count))
        try:
            with self._deadlines.at(call.deadline):
                return await asyncio.wrap_future(future)
        except TimeoutError:
            raise RequestError(
                f"{self._name} gave no answer in time",
                status=503,
                trouble=Trouble.TIMEOUT,
                fix="send less at once, or try again later",
                retry_after=5,
            ) from None

    def close(self, let_go: Callable[[_Thing], None] | None = None) -> None:
        """Finish what waits, and let go of the thing in its own thread."""
        if let_go is not None:
            self._thread.submit(let_go, self.thing).result()
        self._thread.shutdown()

    def _add(self, count: int) -> None:
        with self._counting:
            self._waiting += count
