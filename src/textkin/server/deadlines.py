"""Deadlines with one shared timer: individual timers cost a short request a tenth of its time."""

from __future__ import annotations

import asyncio
from types import TracebackType
from typing import Self, final

_EVERY = 0.1  # seconds between two checks for overdue deadlines


@final
class Deadlines:
    """Ends overdue blocks, at most a tenth of a second late."""

    def __init__(self) -> None:
        self._open: dict[asyncio.AbstractEventLoop, set[Deadline]] = {}

    def at(self, when: float) -> Deadline:
        """A block with a deadline by the event loop's clock, after which it raises TimeoutError."""
        return Deadline(self._open, when)


@final
class Deadline:
    """A single deadline; like ``asyncio.timeout_at`` except for the timer."""

    __slots__ = ("_before", "_is_over", "_loop", "_open", "_task", "_when")

    def __init__(self, of_loops: dict[asyncio.AbstractEventLoop, set[Deadline]], when: float) -> None:
        self._open, self._when, self._is_over = of_loops, when, False
        self._loop = asyncio.get_running_loop()
        self._task: asyncio.Task[object] | None = asyncio.current_task()
        self._before = 0 if self._task is None else self._task.cancelling()

    def __enter__(self) -> Self:
        beside = self._open.get(self._loop)
        if beside is None:
            beside = self._open[self._loop] = set()
            self._loop.call_later(_EVERY, _look, self._open, self._loop)
        beside.add(self)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._open.get(self._loop, set()).discard(self)
        if not self._is_over or self._task is None:
            return
        if self._task.uncancel() <= self._before and kind is asyncio.CancelledError:
            raise TimeoutError from error  # nobody else has cancelled it

    def end_if_over(self, now: float) -> bool:
        """End the block if it is overdue."""
        self._is_over = self._when <= now
        if self._is_over and self._task is not None:
            self._task.cancel()
        return self._is_over


def _look(of_loops: dict[asyncio.AbstractEventLoop, set[Deadline]], loop: asyncio.AbstractEventLoop) -> None:
    """End overdue blocks, and schedule the next check while any are left."""
    now, left = loop.time(), of_loops[loop]
    left -= {one for one in left if one.end_if_over(now)}
    if left:
        loop.call_later(_EVERY, _look, of_loops, loop)
    else:
        del of_loops[loop]
