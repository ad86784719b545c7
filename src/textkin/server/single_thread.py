"""An object owned by one thread, which requests use in turn."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from threading import Lock
from typing import Generic, TypeVar, final

from textkin.base.threads import settle
from textkin.server.call import Call, Deadlines
from textkin.server.request_errors import RequestError, Trouble, overloaded

_Thing = TypeVar("_Thing")
_Found = TypeVar("_Found")
_MOST = 1_000


@final
class SingleThread(Generic[_Thing]):
    """A thread with an object of its own.

    Args:
        make: creates the object, in that thread; its exceptions are raised here.
        name: the object's name, for errors.
        most: the maximum queue length: requests, or the units that :meth:`run` counts instead.
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
        """Call the object, and wait until the deadline; a started call is completed in any case.

        Args:
            call: the request.
            ask: called with the object, in its thread.
            count: the call's units of queue length, such as texts. They count until it is completed.

        Raises:
            RequestError: the queue is full, or the call timed out.
        """
        count = min(count, self._most)  # a large call waits alone
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
                trouble=Trouble.TIMEOUT,
                fix="send less at once, or try again later",
                retry_after=5,
            ) from None

    def close(self, let_go: Callable[[_Thing], None] | None = None) -> None:
        """Finish waiting calls, and release the object in its own thread."""
        if let_go is not None:
            self._thread.submit(let_go, self.thing).result()
        self._thread.shutdown()

    def _add(self, count: int) -> None:
        with self._counting:
            self._waiting += count
