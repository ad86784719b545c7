"""Labelling routes of the web page: label pairs until a precision is proven."""

from typing import Literal

from textkin.server.call import Call, Reply
from textkin.server.request_errors import RequestError, Trouble
from textkin.server.route import Route, StrictBody
from textkin.server.served_labels import ServedLabels
from textkin.server.service import Service
from textkin.verbs.label.session import Question


class LabelBody(StrictBody):
    """The body of ``POST /label``: the pair in the order shown, and a person's label."""

    row: int
    among: int
    answer: Literal["same", "different", "unsure"]
    by: str = ""
    note: str = ""


class PersonBody(StrictBody):
    """The query of ``GET /label``, and the body of ``POST /label/undo``: the person."""

    by: str = ""


class SettleBody(StrictBody):
    """The body of ``POST /label/settle``: a disputed pair, and its final label."""

    row: int
    answer: Literal["same", "different", "unsure"]
    by: str = ""
    note: str = ""


async def now(service: Service, body: PersonBody, call: Call) -> Reply:
    """Return the next pair to label, and the progress so far."""
    return Reply(await _labels(service).now(call, body.by))


async def answer(service: Service, body: LabelBody, call: Call) -> Reply:
    """Store a label; it is durable when the answer comes."""
    asked = Question(body.row, body.among, "", "")
    return Reply(await _labels(service).answer(call, asked, body.answer, by=body.by, note=body.note))


async def settle(service: Service, body: SettleBody, call: Call) -> Reply:
    """Settle a disagreement; it is durable when the answer comes."""
    return Reply(await _labels(service).settle(call, body.row, body.answer, by=body.by, note=body.note))


async def undo(service: Service, body: PersonBody, call: Call) -> Reply:
    """Undo a person's last label."""
    return Reply(await _labels(service).undo(call, body.by))


def _labels(service: Service) -> ServedLabels:
    if service.labels is None:
        raise RequestError(
            "no pairs are labelled here",
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
