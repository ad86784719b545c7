"""The app for assistants, built at its first request: its package would take a third of a server's start."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from starlette.types import ASGIApp, Receive, Scope, Send

from textkin.server.service import Service

MCP = "/mcp"


class AssistantsApp:
    """The tools of :mod:`textkin.server.mcp_tools` over HTTP.

    Args:
        service: the service, with at least one collection.
    """

    def __init__(self, service: Service) -> None:
        self._service = service
        self._app: ASGIApp | None = None
        self._turn, self._ended = asyncio.Lock(), asyncio.Event()
        self._running: asyncio.Task[None] | None = None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer an assistant's request."""
        async with self._turn:
            app = self._app = self._app or await self._begun()
        await app(scope, receive, send)

    @asynccontextmanager
    async def lifespan(self, app: Any) -> AsyncIterator[None]:
        """Stop what the first request has begun."""
        yield
        self._ended.set()
        if self._running is not None:
            await self._running

    async def _begun(self) -> ASGIApp:
        """The package's app, whose own lifespan is held by a task: it must end where it began."""
        app = await asyncio.to_thread(_built, self._service)
        begun = asyncio.get_running_loop().create_future()

        async def run() -> None:
            try:
                async with app.router.lifespan_context(app):
                    begun.set_result(None)
                    await self._ended.wait()
            except BaseException as error:
                if begun.done():
                    raise
                begun.set_exception(error)

        self._running = asyncio.create_task(run())
        await begun
        made: ASGIApp = app
        return made


def _built(service: Service) -> Any:
    from textkin.server.mcp_tools import agent_server

    return agent_server(service).streamable_http_app(
        streamable_http_path=MCP,
        json_response=True,
        stateless_http=True,
        max_request_body_size=service.limits.body_bytes,
        host="0.0.0.0",  # the hosts of requests are checked before
    )
