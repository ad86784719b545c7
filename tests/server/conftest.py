"""A service in this process; without a server's packages, its tests are skipped, and one says so."""

from __future__ import annotations

from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import textkin as tk

if TYPE_CHECKING:
    from tests.server.asking import Client
    from tests.server.process import Served
    from textkin.server.service import Service

MISSING = [
    name
    for name in ("httpx", "orjson", "prometheus_client", "starlette", "uvicorn")
    if find_spec(name) is None
]
_ANYWHERE = "test_what_is_needed.py"
collect_ignore = [
    path.name for path in Path(__file__).parent.glob("test_*.py") if MISSING and path.name != _ANYWHERE
]
collect_ignore_glob = ["routes/*.py"] if MISSING else []


@pytest.fixture(scope="session")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A collection that tests don't change."""
    from tests.server.asking import TEXTS

    place = tmp_path_factory.mktemp("server") / "notes.kin"
    with tk.open_collection(place, create=True) as notes:
        notes.add(TEXTS, ids=["a", "b", "c"], metadata=[{"url": "http://example.org/a"}, {}, {"n": 1}])
    return place


@pytest.fixture(scope="session")
def service(folder: Path) -> Iterator[Service]:
    """The built-in encoder with a collection."""
    from textkin.server.open_service import Served, open_service

    made = open_service(Served(models=("default",), collections=(str(folder),)))
    yield made
    made.close()


@pytest.fixture(scope="session")
def client(service: Service) -> Client:
    """A client of that service."""
    from tests.server.asking import client_of
    from textkin.server.middleware import Access

    return client_of(service, access=Access())


@pytest.fixture
def open_page(browser: Any, server: Served) -> Iterator[Any]:
    """Opens a view; checks at the end that no other origin was contacted, and nothing failed."""
    from tests.server.browsing import SIZES

    contexts: list[Any] = []
    troubles: list[str] = []

    def opened(view: str = "", *, url: str | None = None, **options: Any) -> Any:
        context = browser.new_context(**{"viewport": SIZES["wide"], **options})
        contexts.append(context)
        page = context.new_page()
        base = url or server.url
        own = (base, f"blob:{base}", "data:", "about:")
        page.on("request", lambda one: None if one.url.startswith(own) else troubles.append(one.url))
        page.on("pageerror", lambda error: troubles.append(str(error)))
        page.on(
            "console",
            lambda one: (
                troubles.append(one.text) if one.type == "error" and "status of 4" not in one.text else None
            ),
        )
        page.goto(f"{base}/{view}")
        page.wait_for_selector("#about:not(:has-text('Asking'))")
        return page

    yield opened
    for context in contexts:
        context.close()
    assert troubles == []
