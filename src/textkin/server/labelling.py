"""Judging pairs in the browser: one session, one answer at a time."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any, final

from textkin.server.call import Call
from textkin.server.problems import RequestError
from textkin.tasks.label.answers import LabelAnswer
from textkin.tasks.label.session import LabelSession, Question, fields_of


@final
class Labelling:
    """A session of ``textkin label`` that requests take turns at.

    Args:
        session: it is used by nobody else.
    """

    def __init__(self, session: LabelSession) -> None:
        self._session = session
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="textkin-labels")

    @property
    def goal(self) -> float:
        """The precision that is to be proven."""
        return self._session.goal.precision

    async def now(self, call: Call) -> dict[str, Any]:
        """Where the session stands, and the pair to judge."""
        return await self._run(call, self._told)

    async def answer(
        self, call: Call, question: Question, answer: str, *, by: str, note: str
    ) -> dict[str, Any]:
        """Keep an answer; when this returns, it is on the disk."""

        def work() -> dict[str, Any]:
            self._session.answer(question, LabelAnswer(answer), by=by, note=note)
            return self._told()

        return await self._run(call, work)

    async def undo(self, call: Call) -> dict[str, Any]:
        """Take the last answer back."""

        def work() -> dict[str, Any]:
            if not self._session.undo():
                raise RequestError("there is no answer to take back")
            return self._told()

        return await self._run(call, work)

    def close(self) -> None:
        """Finish what waits."""
        self._thread.shutdown()

    def _told(self) -> dict[str, Any]:
        question = self._session.next()
        asked = None
        if question is not None:
            asked = {
                "row": question.row,
                "among": question.among,
                "first": question.first,
                "second": question.second,
            }
        return {"goal": self.goal, "question": asked, "state": fields_of(self._session.state())}

    async def _run(self, call: Call, work: Callable[[], dict[str, Any]]) -> dict[str, Any]:
        async with asyncio.timeout_at(call.deadline):
            return await asyncio.wrap_future(self._thread.submit(work))
