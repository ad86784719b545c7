"""The middleware of every route: limits, keys, hosts, errors of each API, headers, metrics, the log."""

from __future__ import annotations

import asyncio
import errno
import io
import json
import time
from pathlib import Path
from typing import Any

import pytest

from tests.server.asking import Client, client_of
from textkin.base.errors import ModelError, OutputError, UsageError
from textkin.collection.open_collection import open_collection
from textkin.server.batching import Batcher
from textkin.server.call import ServerLimits
from textkin.server.endpoint import Traffic
from textkin.server.keys import add_key, read_keys
from textkin.server.log import ServerLog
from textkin.server.middleware import Access
from textkin.server.open_service import Served, open_service
from textkin.server.request_errors import Dialect, body_of, refusal_of
from textkin.server.service import Service

JSON = {"content-type": "application/json"}


def test_answers_have_the_headers_of_all_and_those_of_texts(client: Client) -> None:
    found = client.post("/embed", {"inputs": ["one text", "two"]}, headers={"x-request-id": "mine-1"})
    assert found.headers["x-request-id"] == "mine-1"
    assert found.headers["x-content-type-options"] == "nosniff"
    assert found.headers["x-compute-characters"] == "11" and found.headers["x-textkin-truncated"] == "0"
    assert int(found.headers["x-compute-tokens"]) >= 3
    other = client.ask("GET", "/health", headers={"x-request-id": "no id\u00e9".encode()})
    assert other.headers["x-request-id"] != "no id" and "x-compute-type" not in other.headers


@pytest.mark.parametrize(
    ("body", "status"),
    [
        (b"", 400),
        (b"{", 400),
        (b"[" * 100_000, 400),
        (b'{"inputs": ' + b"[" * 10_000 + b"]" * 10_000 + b"}", 400),
        (b'{"inputs": NaN}', 422),
        (b'{"inputs": "\\ud800"}', 400),
        (b'\xff\xfe{"inputs": "a"}', 400),
        (b'{"inputs": 3}', 422),
        (b'{"inputs": [["a"]]}', 422),
        (b'{"inputs": ""}', 400),
        (b'{"inputs": "a", "truncate": "perhaps"}', 422),
        (b'{"inputs": "a", "dimensions": 1e400}', 422),
        (b'{"inputs": "a", "dimensions": 100000000000000000000000}', 422),
        (b'"text"', 422),
        (b"null", 422),
        (b"\x00", 400),
    ],
)
def test_a_malformed_body_is_refused_with_a_sentence(client: Client, body: bytes, status: int) -> None:
    found = client.ask("POST", "/embed", content=body, headers=JSON)
    assert found.status_code == status, found.text
    assert found.json()["error"] and found.json()["error_type"] in ("Validation", "Empty")


def test_each_dialect_has_its_errors(client: Client) -> None:
    openai = client.post("/v1/embeddings", {"input": "a", "model": "minilmm"})
    assert openai.status_code == 404
    assert openai.json()["error"]["code"] == "model_not_found" and openai.json()["error"]["param"] == "model"
    assert client.post("/v2/rerank", {"query": "a", "documents": []}).json().keys() == {"message"}
    assert client.post("/embed", {"inputs": []}).json()["error_type"] == "Empty"
    assert client.ask("GET", "/nowhere").status_code == 404
    wrong = client.ask("PUT", "/documents")
    assert (wrong.status_code, set(wrong.headers["allow"].split(", "))) == (405, {"POST", "DELETE", "GET"})
    assert client.ask("GET", "/embed").headers["allow"] == "POST"
    assert client.ask("GET", "/nowhere?a=1").status_code == 404
    assert client.ask("DELETE", "/info?a=1").status_code == 405
    assert (
        client.ask("POST", "/embed", content=b"{}", headers={"content-type": "text/plain"}).status_code == 415
    )
    packed = {"content-type": "application/json", "content-encoding": "gzip"}
    answer = client.ask("POST", "/embed", content=b"\x1f\x8b", headers=packed)
    assert answer.status_code == 415 and "compressed" in answer.json()["error"]


def test_an_unknown_field_of_a_route_of_ours_is_an_error_and_of_others_is_not(client: Client) -> None:
    assert client.post("/score", {"pairs": [["a", "b"]], "modle": "x"}).status_code == 422
    assert client.post("/embed", {"inputs": "a", "anything": 1}).status_code == 200


@pytest.mark.parametrize("path", ["/embed", "/nowhere"])
def test_a_websocket_is_closed(client: Client, path: str) -> None:
    said: list[Any] = []

    async def receive() -> Any:
        return {"type": "websocket.connect"}

    async def send(message: Any) -> None:
        said.append(message["type"])

    scope = {"type": "websocket", "path": path, "headers": [], "query_string": b""}
    asyncio.run(client.application(scope, receive, send))
    assert said == ["websocket.close"]


def test_a_path_of_a_proxy_is_removed(service: Service) -> None:
    below = client_of(service, root_path="/textkin")
    assert below.ask("GET", "/textkin").headers["location"] == "/textkin/"
    statuses = [below.ask("GET", f"{path}live").status_code for path in ("/textkin/", "/", "/textkin")]
    assert statuses == [200, 200, 404]
    assert b'src="page/page.js"' in below.ask("GET", "/textkin/").content


def test_limits_name_themselves(folder: Path) -> None:
    limits = ServerLimits(texts=3, waiting_texts=3, body_bytes=2_000, requests=2)
    service = open_service(Served(models=("default",)), limits)
    asking = client_of(service)
    assert "of 3 at most" in asking.post("/embed", {"inputs": list("abcd")}).text
    large = asking.post("/embed", {"inputs": "x" * 3_000})
    assert large.status_code == 413 and "2,000 bytes" in large.text and large.headers["connection"] == "close"

    def parts() -> Any:
        async def sent() -> Any:
            for _ in range(50):
                yield b"x" * 100

        return sent()

    chunked = asking.ask("POST", "/embed", content=parts(), headers=JSON)
    assert chunked.status_code == 413
    found = asking.all(*[("POST", "/embed", {"json": {"inputs": "a"}})] * 8)
    assert {one.status_code for one in found} == {200, 429}
    assert {one.headers["retry-after"] for one in found if one.status_code == 429} == {"1"}
    service.close()


def test_the_traffic_is_none_after_all_kinds_of_ends(service: Service) -> None:
    traffic = Traffic()
    client = client_of(service, traffic=traffic)
    client.post("/embed", {"inputs": "a"})
    client.ask("POST", "/embed", content=b"{", headers=JSON)
    client.ask("POST", "/embed", content=b"x" * 9_000_000, headers=JSON)
    assert (traffic.requests, traffic.bytes) == (0, 0)


def test_keys_guard_all_but_health_metrics_and_the_description(service: Service, tmp_path: Path) -> None:
    keys = tmp_path / "keys.toml"
    full, reads = add_key(keys, "full"), add_key(keys, "reads", read_only=True, texts_per_minute=2)
    guarded = open_service(Served(models=("default",)), keys=read_keys(keys))
    asking = client_of(guarded)
    for path in ("/health", "/ping", "/metrics", "/docs"):
        assert asking.ask("GET", path).status_code == 200
    for path in ("/info", "/v1/models", "/openapi.json", "/collections"):
        assert asking.ask("GET", path).status_code == 401
        assert asking.ask("GET", path, headers={"authorization": full}).status_code in (200, 404)
    body, header = {"inputs": ["a", "b"]}, {"authorization": f"Bearer {reads}"}
    assert asking.post("/embed", body).status_code == 401
    assert asking.post("/embed", body, headers=header).status_code == 200
    assert asking.post("/embed", body, headers=header).status_code == 429
    add = {"documents": [{"text": "a"}]}
    assert asking.post("/documents", add, headers=header).status_code == 403
    guarded.close()


def test_a_read_only_server_changes_nothing(folder: Path) -> None:
    service = open_service(Served(models=("default",), collections=(str(folder),)), read_only=True)
    asking = client_of(service)
    assert asking.post("/documents", {"documents": [{"text": "new"}]}).status_code == 403
    assert asking.post("/match/add", {"texts": ["new"], "threshold": 0.9}).status_code == 403
    assert asking.ask("DELETE", "/documents", json={"ids": ["a"]}).status_code == 403
    assert asking.ask("GET", "/documents?id=a").status_code == 200
    service.close()


def test_pages_elsewhere_and_other_names_are_turned_away(service: Service) -> None:
    asking = client_of(service, access=Access(hosts=("testserver",), origins=("https://friend.example",)))
    body = {"inputs": "a"}
    assert asking.post("/embed", body, headers={"host": "evil.example"}).status_code == 421
    assert asking.post("/embed", body, headers={"origin": "https://evil.example"}).status_code == 403
    assert asking.post("/embed", body, headers={"origin": "http://testserver"}).status_code == 200
    friend = asking.post("/embed", body, headers={"origin": "https://friend.example"})
    assert friend.status_code == 200
    assert friend.headers["access-control-allow-origin"] == "https://friend.example"
    asked = asking.ask(
        "OPTIONS",
        "/embed",
        headers={"origin": "https://friend.example", "access-control-request-method": "POST"},
    )
    assert asking.ask("OPTIONS", "/documents?id=a", headers=asked.request.headers).status_code == 204
    assert asked.status_code == 204 and "authorization" in asked.headers["access-control-allow-headers"]
    assert asking.ask("OPTIONS", "/embed", headers={"origin": "https://evil.example"}).status_code == 403


def test_a_defect_is_an_answer_and_a_line_without_texts(
    service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    stream = io.StringIO()
    asking = client_of(service, log=ServerLog("all", stream=stream))

    async def broken(*_: Any, **__: Any) -> Any:
        raise ZeroDivisionError("secret text")

    with monkeypatch.context() as patched:
        patched.setattr(Batcher, "run", broken)
        found = asking.post("/embed", {"inputs": "secret text"}, headers={"x-request-id": "r1"})
    assert found.status_code == 500 and "secret" not in found.text
    asking.post("/embed", {"inputs": "secret text"})
    lines = [json.loads(line) for line in stream.getvalue().splitlines()]
    assert [one["event"] for one in lines] == ["error", "request", "request"]
    assert lines[0]["id"] == "r1" and lines[0]["error"] == "ZeroDivisionError"
    assert lines[2]["status"] == 200 and lines[2]["characters"] == 11
    assert "secret" not in stream.getvalue()


@pytest.mark.parametrize(
    ("error", "status"),
    [
        (TimeoutError(), 503),
        (OSError(errno.ENOSPC, "no space"), 507),
        (UsageError("wrong"), 422),
        (ModelError("gone"), 424),
        (OutputError("locked"), 503),
        (RuntimeError("defect"), 500),
    ],
)
def test_what_is_raised_below_has_a_status(error: Exception, status: int) -> None:
    found = refusal_of(error)
    assert found.status == status and body_of(found, Dialect.TEI)["error"]
    assert body_of(found, Dialect.OPENAI)["error"]["type"] and body_of(found, Dialect.COHERE)["message"]


def test_figures_have_the_names_that_dashboards_know(folder: Path) -> None:
    service = open_service(Served(models=("default",)))
    asking = client_of(service)
    asking.post("/embed", {"inputs": "a"})
    asking.post("/embed", {"inputs": ["a", "b"]})
    asking.post("/embed", {"inputs": []})
    expected = {
        'te_request_count{method="single"} 1.0',
        'te_request_count{method="batch"} 2.0',
        'te_request_success{method="batch"} 1.0',
        'te_request_failure{err="empty"} 1.0',
        "te_request_duration_count 2.0",
        "te_request_input_length_sum 3.0",
        "te_batch_next_size_sum 3.0",
        "te_queue_size 0.0",
        'textkin_requests_total{route="/embed",status="200"} 2.0',
    }
    late = time.monotonic() + 10  # a batch is counted once its answers are on their way
    while missing := expected - set(asking.ask("GET", "/metrics").text.splitlines()):
        assert time.monotonic() < late, missing
        time.sleep(0.01)
    service.close()


def test_the_description_has_every_route_and_the_page_loads_nothing_from_elsewhere(client: Client) -> None:
    schema = client.ask("GET", "/openapi.json").json()
    assert schema["openapi"].startswith("3.1")
    assert {"post"} <= schema["paths"]["/embed"].keys() and {"get", "post", "delete"} == schema["paths"][
        "/documents"
    ].keys()
    page = client.ask("GET", "/docs")
    assert page.headers["content-type"].startswith("text/html")
    assert "POST /v1/embeddings" in page.text and "http://" not in page.text and "https://" not in page.text
    assert "list of {text, id?, metadata?}" in page.text and "GET /page/" not in page.text


@pytest.mark.slow
def test_queries_are_counted_by_their_size(folder: Path) -> None:
    limits = ServerLimits(query_bytes=4_096, texts=8, waiting_texts=8)
    service = open_service(Served(collections=(str(folder),)), limits)
    client = client_of(service)
    for path, body in (
        ("/search", {"query": "word " * 1_000}),
        ("/search", {"query": "\u00e4" * 2_049}),
        ("/search", {"queries": ["a", "b" * 4_097]}),
        ("/explain", {"query": "a" * 4_097, "ids": ["a"]}),
        ("/rerank", {"query": "a" * 4_097, "texts": ["a"]}),
        ("/v2/rerank", {"query": "a" * 4_097, "documents": ["a"]}),
    ):
        answer = client.post(path, body)
        assert answer.status_code == 413 and "4,096 at most" in answer.text, path
    assert client.post("/search", {"query": "a" * 4_096}).status_code == 200
    assert client.post("/search", {"queries": ["a" * 4_000, "b" * 4_000]}).status_code == 200  # of 4 each
    answer = client.post("/search", {"queries": ["a" * 4_000, "b" * 4_000, "c"]})
    assert answer.status_code == 422 and "9 texts in one request" in answer.text
    assert client.post("/match", {"texts": ["a" * 100_000], "threshold": 0.9}).status_code == 200
    service.close()


def test_match_takes_each_guard(tmp_path: Path) -> None:
    with open_collection(tmp_path / "doors.kin", create=True) as made:
        made.add(["The red door is open today", "Room 12A is locked from inside"])
    service = open_service(Served(collections=(str(tmp_path / "doors.kin"),)))
    client = client_of(service)
    texts = ["The blue door is open today", "Room 12B is locked from inside"]

    def forbidding(guards: list[str]) -> list[list[str]]:
        asked = {"texts": texts, "threshold": 0.3, "guards": guards}
        return [one["guards"] for one in client.post("/match", asked).json()["matches"]]

    assert forbidding(["content"]) == [["content"], []]
    assert forbidding(["names"]) == [[], ["names"]]
    wrong = client.post("/match", {"texts": texts, "threshold": 0.3, "guards": ["contents"]})
    assert wrong.status_code == 422 and "did you mean 'content'" in wrong.text
    service.close()
