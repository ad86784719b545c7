"""Judging pairs in the browser: one session, one answer at a time."""

from __future__ import annotations

from typing import Any, final

from textkin.server.call import Call
from textkin.server.problems import RequestError
from textkin.server.turns import Turns
from textkin.tasks.label.answers import LabelAnswer
from textkin.tasks.label.session import LabelSession, Question, fields_of


@final
class Labelling:
    """A session of ``textkin label`` that requests take turns at.

    Args:
        session: it is used by nobody else.
    """

    def __init__(self, session: LabelSession) -> None:
        self._turns = Turns(lambda: session, name="the file of answers")

    @property
    def goal(self) -> float:
        """The precision that is to be proven."""
        return self._turns.thing.goal.precision

    async def now(self, call: Call) -> dict[str, Any]:
        """Where the session stands, and the pair to judge."""
        return await self._turns.run(call, _told)

    async def answer(
        self, call: Call, question: Question, answer: str, *, by: str, note: str
    ) -> dict[str, Any]:
        """Keep an answer; when this returns, it is on the disk."""

        def work(session: LabelSession) -> dict[str, Any]:
            session.answer(question, LabelAnswer(answer), by=by, note=note)
            return _told(session)

        return await self._turns.run(call, work)

    async def undo(self, call: Call) -> dict[str, Any]:
        """Take the last answer back."""

        def work(session: LabelSession) -> dict[str, Any]:
            if not session.undo():
                raise RequestError("there is no answer to take back")
            return _told(session)

        return await self._turns.run(call, work)

    def close(self) -> None:
        """Finish what waits."""
        self._turns.close()


def _told(session: LabelSession) -> dict[str, Any]:
    question = session.next()
    asked = None
    if question is not None:
        asked = {
            "row": question.row,
            "among": question.among,
            "first": question.first,
            "second": question.second,
        }
    return {"goal": session.goal.precision, "question": asked, "state": fields_of(session.state())}
