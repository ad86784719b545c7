"""Deadlines: overdue blocks end, other cancellations are preserved, and one timer serves all."""

from __future__ import annotations

import asyncio

import pytest

from textkin.server.call import Deadlines


@pytest.mark.slow
def test_what_is_overdue_ends_and_what_is_not_goes_on() -> None:
    async def work() -> None:
        deadlines, now = Deadlines(), asyncio.get_running_loop().time()
        with deadlines.at(now + 60):
            with pytest.raises(TimeoutError), deadlines.at(now + 0.01):
                await asyncio.sleep(30)
            await asyncio.sleep(0)
        with deadlines.at(now + 0.01):
            pass
        await asyncio.sleep(0.15)  # no block is cancelled after its end

    asyncio.run(work())


def test_a_deadline_around_another_that_ends_at_once_is_the_one_that_is_told() -> None:
    async def work() -> str:
        deadlines, now = Deadlines(), asyncio.get_running_loop().time()
        try:
            with deadlines.at(now):
                try:
                    with deadlines.at(now):
                        await asyncio.sleep(30)
                except TimeoutError:
                    return "inner"
        except TimeoutError:
            return "outer"
        return "neither"

    assert asyncio.run(work()) == "outer"  # as with asyncio.timeout: two cancelled, so the inner passes it on


def test_who_is_cancelled_by_others_is_not_overdue() -> None:
    async def work() -> None:
        deadlines = Deadlines()

        async def wait() -> None:
            with deadlines.at(asyncio.get_running_loop().time() + 60):
                await asyncio.sleep(30)

        waiting = asyncio.ensure_future(wait())
        await asyncio.sleep(0)
        waiting.cancel()
        with pytest.raises(asyncio.CancelledError):
            await waiting

    asyncio.run(work())


def test_a_thousand_deadlines_take_one_timer(monkeypatch: pytest.MonkeyPatch) -> None:
    async def work() -> int:
        loop, deadlines, timers = asyncio.get_running_loop(), Deadlines(), 0
        later = loop.call_later

        def counted(*given: object) -> asyncio.TimerHandle:
            nonlocal timers
            timers += 1
            return later(*given)  # type: ignore[arg-type]

        monkeypatch.setattr(loop, "call_later", counted)
        done = asyncio.Event()

        async def wait() -> None:
            with deadlines.at(loop.time() + 60):
                await done.wait()

        waiting = [asyncio.ensure_future(wait()) for _ in range(1_000)]
        await asyncio.sleep(0)
        done.set()
        await asyncio.gather(*waiting)
        return timers

    assert asyncio.run(work()) == 1
