"""The web page and its data. The files contain no data, so they need no key."""

from collections.abc import Awaitable, Callable
from typing import Any

from textkin.server.call import Call, Reply
from textkin.server.page import SCRIPTS, page_file, page_policy, page_style, report_style
from textkin.server.route import NoBody, Route
from textkin.server.routes.collections import about_collections
from textkin.server.routes.phrases import about_index
from textkin.server.served_model import ServedModel
from textkin.server.service import Service


async def page(service: Service, body: NoBody, call: Call) -> Reply:
    """Return the web page."""
    headers = {"content-security-policy": page_policy()}
    return Reply(page_file("index.html"), media_type="text/html; charset=utf-8", headers=headers)


async def style(service: Service, body: NoBody, call: Call) -> Reply:
    """Return the page's style."""
    return Reply(page_style(), media_type="text/css; charset=utf-8")


async def style_of_reports(service: Service, body: NoBody, call: Call) -> Reply:
    """Return the style of reports."""
    return Reply(report_style(), media_type="text/css; charset=utf-8")


def _script(name: str) -> Callable[[Service, NoBody, Call], Awaitable[Reply]]:
    async def script(service: Service, body: NoBody, call: Call) -> Reply:
        """Return a script of the page."""
        return Reply(page_file(name), media_type="text/javascript; charset=utf-8")

    return script


async def about(service: Service, body: NoBody, call: Call) -> Reply:
    """Describe the served models and collections, and the abilities of each model."""
    return Reply(
        {
            "models": [_model(one) for one in service.models.values()],
            "collections": await about_collections(service, call),
            "phrases": [about_index(one) for one in service.phrases.values()],
            "runs": service.runs is not None,
            "link": service.link,
            "read_only": service.read_only,
            "label": None if service.labels is None else service.labels.goal,
        }
    )


def _model(model: ServedModel) -> dict[str, Any]:
    can = {
        "vectors": model.encoder,
        "scores": model.scorer,
        "classes": model.classifier,
        "answers": model.reader,
    }
    return {
        "name": model.name,
        "passport": model.sha256,
        "max_tokens": model.max_tokens,
        "precision": model.precision,
        "can": [name for name, able in can.items() if able is not None],
    }


ROUTES = (
    Route(method="GET", path="/", answer=page, is_open=True),
    Route(method="GET", path="/page/page.css", answer=style, is_open=True),
    Route(method="GET", path="/page/report.css", answer=style_of_reports, is_open=True),
    *(Route(method="GET", path=f"/page/{name}", answer=_script(name), is_open=True) for name in SCRIPTS),
    Route(method="GET", path="/about", answer=about),
)
