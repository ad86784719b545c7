"""Judging pairs until a precision is proven, as the page asks for it."""

from __future__ import annotations

from typing import Literal, final

from textkin.server.call import Call, Reply
from textkin.server.request_errors import RequestError, Trouble
from textkin.server.route import Route, StrictBody
from textkin.server.served_labels import ServedLabels
from textkin.server.service import Service
from textkin.verbs.label.session import Question


@final
class LabelBody(StrictBody):
    """What ``POST /label`` takes: the pair as it was asked about, and what a person says of it."""

    row: int
    among: int
    answer: Literal["same", "different", "unsure"]
    by: str = ""
    note: str = ""


@final
class PersonBody(StrictBody):
    """What ``GET /label`` takes in its query, and ``POST /label/undo``: who asks."""

    by: str = ""


@final
class SettleBody(StrictBody):
    """What ``POST /label/settle`` takes: a pair on which people disagree, and what counts from now on."""

    row: int
    answer: Literal["same", "different", "unsure"]
    by: str = ""
    note: str = ""


async def now(service: Service, body: PersonBody, call: Call) -> Reply:
    """Give the pair to judge, and say what is proven so far."""
    return Reply(await _labels(service).now(call, body.by))


async def answer(service: Service, body: LabelBody, call: Call) -> Reply:
    """Keep a judgement; the answer comes when it is on the disk."""
    asked = Question(body.row, body.among, "", "")
    return Reply(await _labels(service).answer(call, asked, body.answer, by=body.by, note=body.note))


async def settle(service: Service, body: SettleBody, call: Call) -> Reply:
    """End a disagreement; the answer comes when it is on the disk."""
    return Reply(await _labels(service).settle(call, body.row, body.answer, by=body.by, note=body.note))


async def undo(service: Service, body: PersonBody, call: Call) -> Reply:
    """Take a person's last judgement back."""
    return Reply(await _labels(service).undo(call, body.by))


def _labels(service: Service) -> ServedLabels:
    if service.labels is None:
        raise RequestError(
            "no pairs are judged here",
            status=404,
            trouble=Trouble.NOT_FOUND,
            fix="start the page: `label()` with `page`",
        )
    return service.labels


ROUTES = (
    Route(method="GET", path="/label", body=PersonBody, answer=now),
    Route(method="POST", path="/label", body=LabelBody, answer=answer, writes=True),
    Route(method="POST", path="/label/settle", body=SettleBody, answer=settle, writes=True),
    Route(method="POST", path="/label/undo", body=PersonBody, answer=undo, writes=True),
)
