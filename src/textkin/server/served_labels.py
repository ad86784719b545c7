"""Labelling in the browser: one session, one answer at a time."""

from collections.abc import Callable
from dataclasses import asdict
from typing import Any

from textkin.measures.labels.answer_file import LabelAnswer
from textkin.report.text_diff import Spans, differing
from textkin.server.batching import SingleThread
from textkin.server.call import Call
from textkin.server.request_errors import RequestError
from textkin.verbs.label.progress import fields_of
from textkin.verbs.label.session import Dispute, LabelSession, Question


class ServedLabels:
    """A session of ``textkin label``, shared by requests in turn.

    Args:
        session: the session, used by nobody else.
        by: the name of whoever started it, for the page to offer; "" for none.
    """

    def __init__(self, session: LabelSession, by: str = "") -> None:
        self._by = by
        self._thread = SingleThread(lambda: session, name="the file of answers")

    @property
    def goal(self) -> float:
        """The precision to prove."""
        return self._thread.thing.goal.precision

    async def now(self, call: Call, by: str) -> dict[str, Any]:
        """The progress of the session, and the pair for a person to label."""
        return await self._thread.run(call, lambda session: {**_told(session, by), "starter": self._by})

    async def answer(
        self, call: Call, question: Question, answer: str, *, by: str, note: str
    ) -> dict[str, Any]:
        """Store an answer; it is durable when this returns."""
        chosen = LabelAnswer(answer)
        return await self._after(call, by, lambda session: session.answer(question, chosen, by=by, note=note))

    async def settle(self, call: Call, row: int, answer: str, *, by: str, note: str) -> dict[str, Any]:
        """Settle a disagreement; it is durable when this returns."""
        chosen = LabelAnswer(answer)
        return await self._after(call, by, lambda session: session.settle(row, chosen, by=by, note=note))

    async def undo(self, call: Call, by: str) -> dict[str, Any]:
        """Undo a person's last answer, or anybody's if none is named."""

        def work(session: LabelSession) -> None:
            if not session.undo(by or None):
                raise RequestError("there is no answer of yours to take back")

        return await self._after(call, by, work)

    async def _after(self, call: Call, by: str, change: Callable[[LabelSession], object]) -> dict[str, Any]:
        def work(session: LabelSession) -> dict[str, Any]:
            change(session)
            return _told(session, by)

        return await self._thread.run(call, work)

    def close(self) -> None:
        """Finish waiting requests."""
        self._thread.close()


def _told(session: LabelSession, by: str) -> dict[str, Any]:
    question = session.next(by)
    disputes, agreement = session.disputes(), session.agreement()
    return {
        "goal": session.goal.precision,
        "shared": session.goal.overlap > 0,
        "question": None if question is None else {**asdict(question), "marks": _marks(question)},
        "dispute": told_dispute(disputes[0]) if disputes else None,
        "agreement": None if agreement is None else agreement.fields(),
        "state": fields_of(session.state()),
    }


def told_dispute(one: Dispute) -> dict[str, Any]:
    """A disagreement as JSON values."""
    return {
        "row": one.row,
        "first": one.first,
        "second": one.second,
        "marks": _marks(one),
        "answers": [{"by": said.by, "answer": said.answer, "note": said.note} for said in one.answers],
    }


def _marks(pair: Question | Dispute) -> dict[str, Spans]:
    """The parts in which both texts of a pair differ."""
    first, second = differing(pair.first, pair.second)
    return {"first": first, "second": second}
