"""A service in this process, asked without a socket."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("orjson", reason="textkin[server] is not installed")
pytest.importorskip("prometheus_client", reason="textkin[server] is not installed")
httpx = pytest.importorskip("httpx", reason="httpx is not installed")

import textkin as tk
from textkin.server.access import Access
from textkin.server.application import Application
from textkin.server.opening import Served, open_service
from textkin.server.requests_log import RequestsLog
from textkin.server.service import Service

TEXTS = ("Where can I park?", "When do you open?", "How do I reset my password?")


@dataclass
class Client:
    """Asks an application; each call in an event loop of its own."""

    application: Any

    def ask(self, method: str, path: str, **arguments: Any) -> Any:
        """The answer to one request."""
        return self.all((method, path, arguments))[0]

    def post(self, path: str, body: Any, **arguments: Any) -> Any:
        """The answer to JSON that is posted."""
        return self.ask("POST", path, json=body, **arguments)

    def all(self, *requests: tuple[str, str, dict[str, Any]]) -> list[Any]:
        """The answers to requests that come together."""

        async def asked() -> list[Any]:
            transport = httpx.ASGITransport(self.application, raise_app_exceptions=True)
            async with httpx.AsyncClient(transport=transport, base_url="http://testserver") as client:
                return await asyncio.gather(
                    *(client.request(method, path, **more) for method, path, more in requests)
                )

        return asyncio.run(asked())


def client_of(service: Service, **arguments: Any) -> Client:
    """A client of a service."""
    return Client(Application(service, log=RequestsLog("nothing"), **arguments))


@pytest.fixture(scope="session")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A collection that tests don't change."""
    place = tmp_path_factory.mktemp("server") / "notes.kin"
    with tk.open_collection(place, create=True) as notes:
        notes.add(TEXTS, ids=["a", "b", "c"], metadata=[{"url": "http://example.org/a"}, {}, {"n": 1}])
    return place


@pytest.fixture(scope="session")
def service(folder: Path) -> Iterator[Service]:
    """The encoder in the box with a collection."""
    made = open_service(Served(models=("default",), collections=(str(folder),)))
    yield made
    made.close()


@pytest.fixture(scope="session")
def client(service: Service) -> Client:
    """Asks that service."""
    return client_of(service, access=Access())
