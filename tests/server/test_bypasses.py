"""Ways around the keys: none leads to an answer."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.server.asking import client_of
from tests.server.process import Served, serving
from textkin.server.keys import add_key, read_keys
from textkin.server.open_service import Served as Wanted
from textkin.server.open_service import open_service
from textkin.server.route import NoBody
from textkin.server.routes import all_routes

pytestmark = [pytest.mark.long, pytest.mark.slow]

OPEN = {
    *("GET /", "GET /docs", "GET /health", "GET /live", "GET /metrics", "GET /ping"),
    *("GET /page/page.css", "GET /page/page.js"),
}


def test_every_route_but_those_that_are_meant_to_be_open_needs_a_key(tmp_path: Path) -> None:
    add_key(tmp_path / "keys.toml", "somebody")
    service = open_service(Wanted(models=("default",)), keys=read_keys(tmp_path / "keys.toml"))
    asking = client_of(service)
    found = set()
    for route in all_routes():
        body = {} if route.method == "GET" or route.body is NoBody else {"json": {}}
        if asking.ask(route.method, route.path, **body).status_code != 401:
            found.add(f"{route.method} {route.path}")
    if asking.ask("GET", "/docs").status_code == 200:
        found.add("GET /docs")
    assert asking.ask("GET", "/openapi.json").status_code == 401
    service.close()
    assert {one for one in found if not one.startswith("GET /page/")} <= OPEN


@pytest.fixture(scope="module")
def server(folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    place = tmp_path_factory.mktemp("keys") / "keys.toml"
    add_key(place, "somebody")
    with serving("default", folder, "--api-key-file", place, "--log", "nothing") as found:
        yield found


def asked(server: Served, raw: bytes) -> bytes:
    """A server's complete answer to bytes, until it closes or is silent."""
    found = b""
    with socket.create_connection(("127.0.0.1", server.port), timeout=30) as client:
        client.sendall(raw)
        client.shutdown(socket.SHUT_WR)
        while part := client.recv(65_536):
            found += part
    return found


TARGETS = (
    *(
        "/info",
        "//info",
        "/info/",
        "/INFO",
        "/%69nfo",
        "/%2569nfo",
        "/./info",
        "/docs/../info",
        "/health/../info",
    ),
    *("/docs/..%2finfo", "/health;/info", "/info;x=/health", "/info?/health", "/info%00", "/info%00/health"),
    *("/health%0d%0aGET%20/info", "/page/page.css/../../info", "/page/../info", "/page/..%2f..%2finfo"),
    *(
        "http://localhost/info",
        "http://localhost:1/info",
        "HTTP://user@localhost/info",
        "/mcp",
        "/mcp/",
        "/%6dcp",
    ),
    *(
        "/documents?id=a",
        "/documents?id=a#/health",
        "/openapi.json",
        "/collections",
        "/about",
        "\\info",
        "/info\\",
    ),
)
HEADERS = (
    *("", "authorization: \r\n", "authorization: Bearer\r\n", "authorization: Bearer null\r\n"),
    *("Authorization : Bearer x\r\n", "authorization: Basic Og==\r\n", "authorization: Bearer x\r\n" * 2),
    *("x-forwarded-for: 127.0.0.1\r\nx-real-ip: 127.0.0.1\r\nforwarded: for=127.0.0.1\r\n",),
    *("x-forwarded-host: localhost\r\nx-forwarded-proto: https\r\nx-forwarded-prefix: /health\r\n",),
    *("x-original-url: /health\r\nx-rewrite-url: /health\r\n", "x-http-method-override: OPTIONS\r\n"),
    *("host: localhost\r\nhost: evil\r\n", "origin: http://localhost\r\n", "x-api-key: somebody\r\n"),
)


@pytest.mark.parametrize("version", ["1.1", "1.0"])
@pytest.mark.parametrize("target", TARGETS)
def test_no_target_and_no_header_replaces_a_key(server: Served, target: str, version: str) -> None:
    for header in HEADERS:
        for method in ("GET", "HEAD", "OPTIONS"):
            head = f"{method} {target} HTTP/{version}\r\nhost: localhost\r\nconnection: close\r\n{header}\r\n"
            answer = asked(server, head.encode())
            status = int(answer[9:12]) if answer.startswith(b"HTTP/1.") else 400
            allowed = {400, 401, 403, 404, 405, 421} | ({204} if method == "OPTIONS" else set())
            assert status in allowed, (method, target, header, answer[:200])
            for told in (b"model_id", b"Where can I park", b'"paths"', b'"collections"'):
                assert told not in answer


def test_a_request_inside_a_body_is_no_request(server: Served) -> None:
    inner = b"GET /info HTTP/1.1\r\nhost: localhost\r\n\r\n"
    both = b"content-length: 4\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n" + inner
    for rest in (both, b"content-length: 0\r\ncontent-length: %d\r\n\r\n" % len(inner) + inner):
        head = b"POST /embed HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n"
        answer = asked(server, head + rest)
        assert b" 200 " not in answer and b"model_id" not in answer


def test_a_wrong_method_writes_nothing(server: Served) -> None:
    body = b'{"documents": [{"text": "sneaked in"}]}'
    for method in ("POST", "PUT", "PATCH", "post", "DELETE", "GET"):
        head = f"{method} /documents HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n"
        head += f"content-type: application/json\r\ncontent-length: {len(body)}\r\n\r\n"
        answer = asked(server, head.encode() + body)
        assert not answer.startswith(b"HTTP/1.1 2"), answer[:200]
