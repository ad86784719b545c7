"""Batching of texts from many requests for a model.

One thread computes. Requests that arrive while it is busy wait, and are then computed together: so batches
grow with the load, and a lone request never waits. The queue is limited by the number of its texts, not of
its requests.
"""

import asyncio
import math
import threading
import time
from collections import deque
from collections.abc import Callable, Hashable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from threading import Lock
from typing import Any, Generic, TypeVar

from textkin.base.spelling import Spelling, spell_as
from textkin.base.threads import settle
from textkin.server.call import Call, Deadlines, ServerLimits
from textkin.server.request_errors import RequestError, Trouble, overloaded

Work = Callable[[list[Any]], tuple[Any, ...]]
"""Maps items to columns: each has one row per item, and can be sliced."""

_CHARACTERS = 4  # characters per token, about
_LONGEST_WAIT = 30  # maximum seconds of the Retry-After header
_AVERAGED = 0.8  # decay of the measured speed


@dataclass(slots=True, eq=False)
class _Job:
    """One request's work for a model."""

    key: Hashable
    work: Work
    items: Sequence[Any]
    tokens: int
    loop: asyncio.AbstractEventLoop
    answer: asyncio.Future[tuple[Any, ...]]
    came: float = field(default_factory=time.perf_counter)
    is_dropped: bool = False


@dataclass(frozen=True, slots=True)
class Batch:
    """A computed batch, for metrics.

    Attributes:
        requests: the number of requests.
        items: the number of items.
        tokens: the estimated number of tokens.
        waited: seconds that each request has waited.
        took: seconds of computation.
    """

    requests: int
    items: int
    tokens: int
    waited: tuple[float, ...]
    took: float


class Batcher:
    """A queue of items with a thread that computes them.

    Args:
        limits: the maximum length of the queue and size of a batch.
        told: called after each batch, in the computing thread.
        queued: called with the number of items waiting or in progress, before and after each batch.
    """

    def __init__(
        self,
        limits: ServerLimits,
        *,
        told: Callable[[Batch], None] | None = None,
        queued: Callable[[int], None] | None = None,
    ) -> None:
        self._limits, self._told, self._queued, self._deadlines = limits, told, queued, Deadlines()
        self._waiting: deque[_Job] = deque()
        self._changed = threading.Condition()
        self._held = 0  # items waiting or in progress
        self._per_second = 0.0
        self._is_closed = False
        self._thread = threading.Thread(target=self._work, name="textkin-model", daemon=True)
        self._thread.start()

    @property
    def held(self) -> int:
        """The number of items waiting or in progress."""
        return self._held

    async def run(
        self, key: Hashable, work: Work, items: Sequence[Any], *, characters: int, deadline: float
    ) -> tuple[Any, ...]:
        """Apply ``work`` to items, batched with those of other requests.

        Args:
            key: items of one key may be computed together.
            work: called in another thread, with items of this and other requests.
            items: texts, or pairs.
            characters: their total number of characters.
            deadline: the time after which the answer is useless, by the event loop's clock.

        Raises:
            RequestError: too much is waiting, or the deadline has passed.
        """
        loop = asyncio.get_running_loop()
        tokens = characters // _CHARACTERS + len(items)
        job = _Job(key, work, items, tokens, loop, loop.create_future())
        with self._changed:
            if self._is_closed:
                raise RequestError("the server is stopping", trouble=Trouble.UNHEALTHY)
            if self._held + len(items) > self._limits.waiting_texts:
                raise overloaded(
                    f"{self._held:,} texts are waiting, and {len(items):,} more would pass the limit of "
                    f"{self._limits.waiting_texts:,}",
                    retry_after=self._seconds_left(),
                )
            self._held += len(items)
            self._waiting.append(job)
            self._changed.notify()
        try:
            with self._deadlines.at(deadline):
                return await job.answer
        except TimeoutError:
            raise RequestError(
                f"no answer within {self._limits.seconds:g} s",
                trouble=Trouble.TIMEOUT,
                fix="send fewer texts at once, or try again later",
                retry_after=self._seconds_left(),
            ) from None
        finally:
            job.is_dropped = True  # disconnected or expired requests aren't computed

    def close(self) -> None:
        """Compute the waiting items, then stop."""
        with self._changed:
            self._is_closed = True
            self._changed.notify()
        self._thread.join()

    def _seconds_left(self) -> int:
        """The estimated seconds for the held items, at the speed of the last batches."""
        if not self._per_second:
            return 1
        return max(1, min(_LONGEST_WAIT, math.ceil(self._held / self._per_second)))

    def _work(self) -> None:
        settle()
        while jobs := self._next():
            self._tell_held()
            alive = [job for job in jobs if not job.is_dropped]
            started = time.perf_counter()
            if alive:
                self._compute(alive)
            took = time.perf_counter() - started
            items = sum(len(job.items) for job in alive)
            with self._changed:
                self._held -= sum(len(job.items) for job in jobs)
                if items and took:
                    now = items / took
                    before = self._per_second or now
                    self._per_second = _AVERAGED * before + (1 - _AVERAGED) * now
            self._tell_held()
            if alive and self._told is not None:
                waited = tuple(started - job.came for job in alive)
                self._told(Batch(len(alive), items, sum(job.tokens for job in alive), waited, took))

    def _tell_held(self) -> None:
        if self._queued is not None:
            self._queued(self._held)

    def _next(self) -> list[_Job]:
        """The oldest job, and those with its key that fit next to it; none when finished."""
        with self._changed:
            while not self._waiting:
                if self._is_closed:
                    return []
                self._changed.wait()
            first = self._waiting.popleft()
            found, tokens, later = [first], first.tokens, deque[_Job]()
            while self._waiting:
                job = self._waiting.popleft()
                if job.key != first.key or tokens + job.tokens > self._limits.batch_tokens:
                    later.append(job)
                    if job.key == first.key:
                        break  # in order
                    continue
                found.append(job)
                tokens += job.tokens
            self._waiting.extendleft(reversed(later))
            return found

    def _compute(self, jobs: Sequence[_Job]) -> None:
        try:
            columns = jobs[0].work([item for job in jobs for item in job.items])
        except Exception as error:
            if len(jobs) > 1:  # one of them may be at fault, not the others
                for job in jobs:
                    self._compute([job])
                return
            _tell([(jobs[0], error)])
            return
        start, told = 0, []
        for job in jobs:
            stop = start + len(job.items)
            told.append((job, tuple(column[start:stop] for column in columns)))
            start = stop
        _tell(told)


def _tell(answers: Iterable[tuple[_Job, Any]]) -> None:
    """Pass results or errors to the waiting event loops, one call per loop."""
    by_loop: dict[asyncio.AbstractEventLoop, list[tuple[_Job, Any]]] = {}
    for job, answer in answers:
        by_loop.setdefault(job.loop, []).append((job, answer))
    for loop, told in by_loop.items():
        if not loop.is_closed():
            loop.call_soon_threadsafe(_set, told)


def _set(answers: Sequence[tuple[_Job, Any]]) -> None:
    for job, answer in answers:
        if job.answer.done():  # cancelled
            continue
        if isinstance(answer, Exception):
            job.answer.set_exception(answer)
        else:
            job.answer.set_result(answer)


_Thing = TypeVar("_Thing")
_Found = TypeVar("_Found")
_MOST = 1_000


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
        self._thread = ThreadPoolExecutor(1, "textkin-turns", spell_as, (Spelling("json"),))
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
