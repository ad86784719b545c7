"""Routes for a folder of runs: their list, their reports, and reviews of deduplications."""

from typing import Annotated, Literal

from pydantic import Field

from textkin.server.call import Call, Reply
from textkin.server.request_errors import RequestError, Trouble
from textkin.server.route import NoBody, Route, StrictBody
from textkin.server.served_runs import SHOWN, ServedRuns, exported, told_group, told_review
from textkin.server.service import Service
from textkin.verbs.dedupe.review.groups import GroupOrder
from textkin.verbs.dedupe.review.review import DedupeReview

_Name = Annotated[str, Field(min_length=1)]
_Threshold = Annotated[float, Field(ge=-1, le=1)] | None

_ALONE = {"content-security-policy": "sandbox; default-src 'none'; style-src 'unsafe-inline'"}
"""The policy for an untrusted report: no scripts, no loading, no origin."""


class ReportBody(StrictBody):
    """The query of ``GET /runs/report``: a name from the list of runs."""

    run: _Name


class GroupsBody(StrictBody):
    """The query of ``GET /dedupe``: the folder of a run, and a selection of its groups."""

    run: _Name
    order: Literal["size", "risk"] = "size"
    threshold: _Threshold = None
    only_open: bool = False
    start: Annotated[int, Field(ge=0)] = 0
    count: Annotated[int, Field(ge=0, le=100)] = 20


class GroupBody(StrictBody):
    """The query of ``GET /dedupe/group``."""

    run: _Name
    group: _Name
    threshold: _Threshold = None


class DecisionBody(StrictBody):
    """The body of ``POST /dedupe``; a group is named by the id of its kept text."""

    run: _Name
    do: Literal["accept", "split", "merge"]
    group: _Name
    texts: tuple[_Name, ...] = ()
    into: _Name | None = None
    by: str = ""


class UndoBody(StrictBody):
    """The body of ``POST /dedupe/undo``."""

    run: _Name


class ExportBody(StrictBody):
    """The query of ``GET /dedupe/export``."""

    run: _Name
    format: Literal["csv", "tsv", "jsonl"] = "csv"
    threshold: _Threshold = None


async def listed(service: Service, body: NoBody, call: Call) -> Reply:
    """List studies, deduplications and measurements, newest first."""
    return Reply({"runs": await _runs(service).runs(call)})


async def report(service: Service, body: ReportBody, call: Call) -> Reply:
    """Return the report of a run as a page that runs no script and loads nothing."""
    page = await _runs(service).report(call, body.run)
    return Reply(page.encode(), media_type="text/html; charset=utf-8", headers=_ALONE)


async def groups(service: Service, body: GroupsBody, call: Call) -> Reply:
    """Return groups of a deduplication, and the evidence on a threshold."""

    def work(review: DedupeReview) -> Reply:
        found = review.groups(GroupOrder(body.order), threshold=body.threshold, only_open=body.only_open)
        several = [one for one in found if one.others]
        shown = several[body.start : body.start + body.count]
        return Reply(
            {
                **told_review(review, body.threshold),
                "start": body.start,
                "found": len(several),
                "groups": [told_group(one, most=SHOWN) for one in shown],
                "alone": [told_group(one, most=0) for one in found if not one.others][:100],
            }
        )

    return await _runs(service).review(call, body.run, work)


async def group(service: Service, body: GroupBody, call: Call) -> Reply:
    """Return all texts of a group in full."""

    def work(review: DedupeReview) -> Reply:
        return Reply(told_group(review.group(body.group, threshold=body.threshold)))

    return await _runs(service).review(call, body.run, work)


async def decide(service: Service, body: DecisionBody, call: Call) -> Reply:
    """Accept, split or merge groups; the decision is durable when the answer comes."""
    if (body.do == "merge") != (body.into is not None) or (body.texts and body.do != "split"):
        raise RequestError("'into' belongs to merge, 'texts' to split", fix="leave out the other one")

    def work(review: DedupeReview) -> Reply:
        if body.do == "accept":
            review.accept(body.group, by=body.by)
        elif body.do == "split":
            review.split(body.group, body.texts, by=body.by)
        else:
            review.merge(body.group, body.into or "", by=body.by)
        return Reply(told_review(review, None))

    return await _runs(service).review(call, body.run, work)


async def undo(service: Service, body: UndoBody, call: Call) -> Reply:
    """Undo the last decision about a deduplication."""

    def work(review: DedupeReview) -> Reply:
        if not review.undo():
            raise RequestError("there is no decision to take back")
        return Reply(told_review(review, None))

    return await _runs(service).review(call, body.run, work)


async def export(service: Service, body: ExportBody, call: Call) -> Reply:
    """Return the final list of kept and removed texts as a file."""
    kinds = {"csv": "text/csv", "tsv": "text/tab-separated-values", "jsonl": "application/jsonl"}

    def work(review: DedupeReview) -> Reply:
        content = exported(review, f".{body.format}", body.threshold)
        headers = {"content-disposition": f'attachment; filename="final.{body.format}"'}
        return Reply(content, media_type=f"{kinds[body.format]}; charset=utf-8", headers=headers)

    return await _runs(service).review(call, body.run, work)


def _runs(service: Service) -> ServedRuns:
    if service.runs is None:
        raise RequestError(
            "this server shows no runs",
            trouble=Trouble.NOT_FOUND,
            fix="start it with the folder that holds them as `runs`",
        )
    return service.runs


ROUTES = (
    Route(method="GET", path="/runs", answer=listed),
    Route(method="GET", path="/runs/report", body=ReportBody, answer=report),
    Route(method="GET", path="/dedupe", body=GroupsBody, answer=groups),
    Route(method="GET", path="/dedupe/group", body=GroupBody, answer=group),
    Route(method="POST", path="/dedupe", body=DecisionBody, answer=decide, writes=True),
    Route(method="POST", path="/dedupe/undo", body=UndoBody, answer=undo, writes=True),
    Route(method="GET", path="/dedupe/export", body=ExportBody, answer=export),
)
