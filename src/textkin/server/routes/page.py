"""The page for browsers, and what it has to know. The files hold no data, so they need no key."""

from __future__ import annotations

from typing import Any

from textkin.server.call import Call, Reply
from textkin.server.page import POLICY, page_file, page_style
from textkin.server.route import NoBody, Route
from textkin.server.served_model import ServedModel
from textkin.server.service import Service

_POLICY = {"content-security-policy": POLICY}


async def page(service: Service, body: NoBody, call: Call) -> Reply:
    """Give the page for browsers."""
    del service, body, call
    return Reply(page_file("index.html"), media_type="text/html; charset=utf-8", headers=_POLICY)


async def style(service: Service, body: NoBody, call: Call) -> Reply:
    """Give the page's style."""
    del service, body, call
    return Reply(page_style(), media_type="text/css; charset=utf-8")


async def script(service: Service, body: NoBody, call: Call) -> Reply:
    """Give the page's script."""
    del service, body, call
    return Reply(page_file("page.js"), media_type="text/javascript; charset=utf-8")


async def about(service: Service, body: NoBody, call: Call) -> Reply:
    """Say what is served, and what each model can do."""
    del body
    return Reply(
        {
            "models": [_model(one) for one in service.models.values()],
            "collections": [
                {
                    "collection": one.name,
                    "entries": await one.entries(call),
                    "model": one.model,
                    "passport": one.passport,
                }
                for one in service.collections.values()
            ],
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
    Route(method="GET", path="/page/page.js", answer=script, is_open=True),
    Route(method="GET", path="/about", answer=about),
)
