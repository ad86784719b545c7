"""A client of a service in this process, without a socket."""

from __future__ import annotations

import asyncio
import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx

from textkin.base.hub import DEFAULT, located
from textkin.server.application import application
from textkin.server.log import ServerLog
from textkin.server.service import Service

TEXTS = ("Where can I park?", "When do you open?", "How do I reset my password?")


@dataclass
class Client:
    """Sends requests to an application; each call in its own event loop."""

    application: Any
    service: Service

    def ask(self, method: str, path: str, **arguments: Any) -> Any:
        """The answer to one request."""
        return self.all((method, path, arguments))[0]

    def post(self, path: str, body: Any, **arguments: Any) -> Any:
        """The answer to posted JSON."""
        return self.ask("POST", path, json=body, **arguments)

    def all(self, *requests: tuple[str, str, dict[str, Any]]) -> list[Any]:
        """The answers to simultaneous requests."""

        async def asked() -> list[Any]:
            transport = httpx.ASGITransport(self.application, raise_app_exceptions=True)
            async with httpx.AsyncClient(transport=transport, base_url="http://testserver") as client:
                return await asyncio.gather(
                    *(client.request(method, path, **more) for method, path, more in requests)
                )

        return asyncio.run(asked())


def client_of(service: Service, **arguments: Any) -> Client:
    """A client of a service."""
    log = arguments.pop("log", ServerLog("nothing"))
    return Client(application(service, log=log, **arguments), service)


def another_folder(out: Path) -> str:
    """A copy of the built-in encoder without its passport, for another model to be opened in its place."""
    return str(shutil.copytree(located(DEFAULT), out, ignore=shutil.ignore_patterns("passport.json")))
