"""The queue of models: batching, rejection, cancellation."""

from __future__ import annotations

import asyncio
import threading
from typing import Any

import numpy as np
import pytest

from textkin.server.batching import Batch, Batcher
from textkin.server.call import ServerLimits
from textkin.server.request_errors import RequestError

LATER = 1e9


class Gate:
    """Work that waits until it is released, and records its input."""

    def __init__(self) -> None:
        self.go, self.begun = threading.Event(), threading.Event()
        self.batches: list[list[Any]] = []

    def __call__(self, items: list[Any]) -> tuple[Any, ...]:
        self.begun.set()
        assert self.go.wait(10)
        self.batches.append(items)
        if "wrong" in items:
            raise ValueError("wrong")
        return np.array([len(one) for one in items]), [one.upper() for one in items]


async def begun(gate: Gate) -> None:
    await asyncio.to_thread(gate.begun.wait, 10)


def closed(batcher: Batcher, gate: Gate) -> None:
    gate.go.set()
    batcher.close()


def test_what_comes_while_one_computes_goes_together_and_each_gets_its_own() -> None:
    gate, told = Gate(), list[Batch]()
    batcher = Batcher(ServerLimits(), told=told.append)

    async def main() -> None:
        first = asyncio.ensure_future(batcher.run("k", gate, ["a"], characters=1, deadline=LATER))
        await begun(gate)
        rest = [
            asyncio.ensure_future(batcher.run("k", gate, items, characters=9, deadline=LATER))
            for items in (["bb", "ccc"], ["d"], ["eeee"])
        ]
        await asyncio.sleep(0.01)
        assert batcher.held == 5
        gate.go.set()
        assert [np.asarray(one[0]).tolist() for one in await asyncio.gather(first, *rest)] == [
            [1],
            [2, 3],
            [1],
            [4],
        ]
        assert rest[0].result()[1] == ["BB", "CCC"]

    asyncio.run(main())
    closed(batcher, gate)
    assert gate.batches == [["a"], ["bb", "ccc", "d", "eeee"]]
    assert [(one.requests, one.items) for one in told] == [(1, 1), (3, 4)]
    assert batcher.held == 0


def test_a_batch_has_few_enough_tokens_and_one_key_and_keeps_the_order() -> None:
    gate = Gate()
    batcher = Batcher(ServerLimits(batch_tokens=10))

    async def main() -> None:
        waiting = [asyncio.ensure_future(batcher.run("k", gate, ["x"], characters=0, deadline=LATER))]
        await begun(gate)
        for key, text in (("k", "1"), ("other", "2"), ("k", "3"), ("k", "4"), ("k", "5")):
            # 4 characters a token, and one token more a text: 5 tokens each
            job = batcher.run(key, gate, [text], characters=16, deadline=LATER)
            waiting.append(asyncio.ensure_future(job))
            await asyncio.sleep(0)
        gate.go.set()
        await asyncio.gather(*waiting)

    asyncio.run(main())
    closed(batcher, gate)
    assert gate.batches == [["x"], ["1", "3"], ["2"], ["4", "5"]]


def test_the_limit_counts_texts_not_requests_and_says_when_to_come_back() -> None:
    gate = Gate()
    batcher = Batcher(ServerLimits(texts=5, waiting_texts=5))

    async def main() -> None:
        first = asyncio.ensure_future(batcher.run("k", gate, ["a"] * 3, characters=3, deadline=LATER))
        await begun(gate)
        with pytest.raises(RequestError) as refused:
            await batcher.run("k", gate, ["b"] * 3, characters=3, deadline=LATER)
        assert refused.value.status == 429 and "limit of 5" in str(refused.value)
        assert int(refused.value.headers["retry-after"]) >= 1
        second = asyncio.ensure_future(batcher.run("k", gate, ["c"] * 2, characters=2, deadline=LATER))
        gate.go.set()
        await asyncio.gather(first, second)

    asyncio.run(main())
    closed(batcher, gate)


def test_nobody_computes_for_those_who_have_gone_or_waited_too_long() -> None:
    gate = Gate()
    batcher = Batcher(ServerLimits())

    async def main() -> None:
        first = asyncio.ensure_future(batcher.run("k", gate, ["a"], characters=1, deadline=LATER))
        await begun(gate)
        gone = asyncio.ensure_future(batcher.run("k", gate, ["gone"], characters=1, deadline=LATER))
        await asyncio.sleep(0)
        gone.cancel()
        now = asyncio.get_running_loop().time()
        with pytest.raises(RequestError) as late:
            await batcher.run("k", gate, ["late"], characters=1, deadline=now + 0.02)
        assert late.value.status == 503
        gate.go.set()
        await first

    asyncio.run(main())
    closed(batcher, gate)
    assert gate.batches == [["a"]]
    assert batcher.held == 0


def test_an_error_is_told_to_the_request_at_fault_alone() -> None:
    gate = Gate()
    batcher = Batcher(ServerLimits())

    async def main() -> list[Any]:
        first = asyncio.ensure_future(batcher.run("k", gate, ["a"], characters=1, deadline=LATER))
        await begun(gate)
        both = [
            asyncio.ensure_future(batcher.run("k", gate, [text], characters=1, deadline=LATER))
            for text in ("right", "wrong")
        ]
        await asyncio.sleep(0)
        gate.go.set()
        await first
        return await asyncio.gather(*both, return_exceptions=True)

    right, wrong = asyncio.run(main())
    closed(batcher, gate)
    assert right[1] == ["RIGHT"] and isinstance(wrong, ValueError)


def test_what_waits_when_it_closes_is_computed_and_nothing_more_is_taken() -> None:
    gate = Gate()
    batcher = Batcher(ServerLimits())

    async def main() -> None:
        first = asyncio.ensure_future(batcher.run("k", gate, ["a"], characters=1, deadline=LATER))
        await begun(gate)
        second = asyncio.ensure_future(batcher.run("k", gate, ["b"], characters=1, deadline=LATER))
        await asyncio.sleep(0)
        closing = asyncio.ensure_future(asyncio.to_thread(batcher.close))
        await asyncio.sleep(0.05)
        with pytest.raises(RequestError) as refused:
            await batcher.run("k", gate, ["c"], characters=1, deadline=LATER)
        assert refused.value.status == 503
        gate.go.set()
        await asyncio.gather(first, second, closing)

    asyncio.run(main())
    assert gate.batches == [["a"], ["b"]]
