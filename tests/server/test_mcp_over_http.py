"""The app for assistants is built at its first request, once, and ended with the server."""

import asyncio
from contextlib import asynccontextmanager
from types import SimpleNamespace

import pytest

from textkin.server import mcp_over_http
from textkin.server.mcp_over_http import AssistantsApp
from textkin.server.mcp_tools import _found


class Package:
    """What the package builds: an app with a lifespan of its own."""

    def __init__(self, events, *, fails=False):
        self._events, self._fails = events, fails
        self.router = SimpleNamespace(lifespan_context=self.lifespan)

    @asynccontextmanager
    async def lifespan(self, app):
        if self._fails:
            raise OSError("no room")
        begun = asyncio.current_task()
        self._events.append("begun")
        yield
        assert asyncio.current_task() is begun  # the package demands it
        self._events.append("ended")

    async def __call__(self, scope, receive, send):
        self._events.append(scope["path"])


def served(monkeypatch, *fails):
    """Two requests at once within the server's lifespan, for each way in which building may end."""
    events, ways = [], iter(fails)
    monkeypatch.setattr(
        mcp_over_http, "_built", lambda service: events.append("built") or Package(events, fails=next(ways))
    )

    async def serve():
        app = AssistantsApp(None)
        async with app.lifespan(None):
            events.append("listening")
            asked = [app({"path": path}, None, None) for path in ("one", "two")]
            return await asyncio.gather(*asked, return_exceptions=True)

    return asyncio.run(serve()), events


def test_a_document_without_an_address_has_a_valid_one():
    found = [_found(SimpleNamespace(name="my notes"), one, "text", {}).url for one in ("q1", "a b/c?d#<e>")]
    assert found == ["textkin://my%20notes/q1", "textkin://my%20notes/a%20b%2Fc%3Fd%23%3Ce%3E"]
    own = _found(SimpleNamespace(name="notes"), "q1", "text", {"url": "https://e.x/1"})
    assert own.url == "https://e.x/1"


def test_it_is_built_once_at_the_first_request(monkeypatch):
    _, events = served(monkeypatch, False)
    assert events == ["listening", "built", "begun", "one", "two", "ended"]


def test_what_fails_is_tried_again(monkeypatch):
    (failed, answered), events = served(monkeypatch, True, False)
    assert isinstance(failed, OSError) and answered is None
    assert events == ["listening", "built", "built", "begun", "two", "ended"]


def test_nothing_is_built_where_nobody_asks(monkeypatch):
    monkeypatch.setattr(mcp_over_http, "_built", pytest.fail)

    async def serve():
        async with AssistantsApp(None).lifespan(None):
            pass

    asyncio.run(serve())
