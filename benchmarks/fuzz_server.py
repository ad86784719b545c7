"""Malformed requests on every route of servers: none may cause a 500, a hang, or an exit.

Run: ``python benchmarks/fuzz_server.py [--requests 100000] [--seed 0] [--workers N] [--only label]`` Valid
bodies of every route are mutated: values of other types, numbers out of range, texts of any bytes, fields
that are missing, nested or unknown; and the bytes themselves: truncated, doubled, in another encoding. A
route without a body below gets one from /openapi.json. Some requests have other methods, headers and paths,
some aren't HTTP at all, some are huge, and some stop halfway. One in ten has no key, a wrong one, or a
read-only one, and must be rejected accordingly.

``textkin serve`` has a collection, a deduplication, a phrase index and keys; ``textkin label --page``, which
gets requests for its routes at the same time, has pairs. At the end each must answer a valid request.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlencode
from urllib.request import Request, urlopen

import textkin as tk
from setting import show_setting
from textkin.data.readers.texts import Texts
from textkin.server.keys import add_key
from textkin.server.routes import all_routes
from textkin.verbs.phrases.indexing import index_phrases

_PATIENCE = 45  # seconds for an answer; a server gives up waiting for a body after 30 at most
_HOST = "host: localhost\r\n"

BODIES: dict[str, list[Any]] = {
    "POST /": [{"inputs": "a"}, {"inputs": {"source_sentence": "a", "sentences": ["b"]}}],
    "POST /v1/embeddings": [{"input": ["a", "b"], "model": "default", "encoding_format": "base64"}],
    "POST /embed": [{"inputs": ["a"], "truncate": True, "normalize": True, "dimensions": 4}],
    "POST /embed_all": [{"inputs": "a b"}],
    "POST /similarity": [{"inputs": {"source_sentence": "a", "sentences": ["b"]}, "parameters": {}}],
    "POST /predict": [{"inputs": [["a", "b"]], "raw_scores": False}],
    "POST /tokenize": [{"inputs": "a b", "add_special_tokens": True}],
    "POST /decode": [{"ids": [[1, 2], [3]], "skip_special_tokens": True}],
    "POST /rerank": [
        {"query": "a", "texts": ["b"]},
        {"query": "a", "documents": [{"text": "b"}], "top_n": 1},
    ],
    "POST /v2/rerank": [{"query": "a", "documents": ["b"], "model": "default"}],
    "POST /score": [{"pairs": [["a", "b"]]}],
    "POST /explain": [{"a": "x y", "b": "y z"}, {"query": "a", "ids": ["1"]}],
    "POST /answer": [{"question": "a", "passages": ["b"]}],
    "POST /choose": [{"questions": [{"question": "a", "choices": ["b", "c"]}]}],
    "POST /search": [{"query": "a", "k": 2, "mode": "hybrid", "where": "n >= 1"}],
    "POST /match": [{"texts": ["a", {"text": "b", "id": "c"}], "threshold": 0.8, "guards": ["numbers"]}],
    "POST /match/add": [{"texts": [{"text": "b", "metadata": {"n": 1}}], "threshold": 0.8}],
    "POST /documents": [{"documents": [{"text": "b", "id": "c", "metadata": {"n": [1, "x"]}}]}],
    "DELETE /documents": [{"ids": ["zz"]}, {"where": "n = 99"}],
    "POST /label": [{"row": 1, "among": 2, "answer": "same"}, {"row": 3, "among": 4, "answer": "unsure"}],
    "POST /phrases/search": [{"question": "Where can I park?", "k": 3}, {"questions": ["a", "b"]}],
    "POST /dedupe": [
        {"run": "groups", "do": "accept", "group": "0"},
        {"run": "groups", "do": "split", "group": "0", "texts": ["1"], "by": "me"},
        {"run": "groups", "do": "merge", "group": "0", "into": "3"},
    ],
    "POST /dedupe/undo": [{"run": "groups"}],
    "POST /mcp": [{"jsonrpc": "2.0", "id": 1, "method": "tools/list"}],
}
QUERIES: dict[str, list[dict[str, str]]] = {
    "GET /runs/report": [{"run": "groups/report.html"}, {"run": "../x"}],
    "GET /dedupe": [{"run": "groups", "order": "risk", "threshold": "0.9", "start": "0", "count": "3"}],
    "GET /dedupe/group": [{"run": "groups", "group": "0"}],
    "GET /dedupe/export": [{"run": "groups", "format": "jsonl"}],
    "GET /documents": [{"id": "1"}],
}
PATHS = (
    "/info",
    "/health",
    "/metrics",
    "/docs",
    "/openapi.json",
    "/v1/models",
    "/documents?id=1",
    "/about",
    "/x",
)
ODD: tuple[Any, ...] = (
    *(None, True, -1, 0, 1.5, 2**63, -(2**70), 1e308, float("nan"), float("inf"), "", " ", "\0", "\ud800"),
    *(
        "é" * 50,
        "x" * 5_000,
        "\u202e\u0000",
        "' OR 1=1 --",
        "../../etc/passwd",
        "{{7*7}}",
        [],
        {},
        [[]],
        [None],
    ),
    *([[[[[[1]]]]]], {"a": {"b": {"c": 1}}}, ["a"] * 3_000, [1] * 50, {"": ""}, "n = (", "text contains '"),
)


def bodies_of(schema: dict[str, Any]) -> dict[str, list[Any]]:
    """The bodies above, and one for each other route of a description; None for routes with a query."""
    found = dict(BODIES)
    for path, methods in schema["paths"].items():
        for method, told in methods.items():
            content = told.get("requestBody", {}).get("content", {}).get("application/json")
            made = None if method == "get" else made_of(content["schema"], schema) if content else {}
            found.setdefault(f"{method.upper()} {path}", [made])
    return found


def made_of(one: dict[str, Any], schema: dict[str, Any]) -> Any:
    """A value of the type in a part of the description."""
    if "$ref" in one:
        return made_of(schema["components"]["schemas"][one["$ref"].rsplit("/", 1)[1]], schema)
    for several in ("anyOf", "oneOf", "allOf"):
        if several in one:
            return made_of(one[several][0], schema)
    if "enum" in one or "const" in one:
        return one.get("const", one.get("enum", [None])[0])
    kind = one.get("type")
    if kind == "array":
        each = one.get("prefixItems") or [one.get("items", {})] * max(1, one.get("minItems", 1))
        return [made_of(part, schema) for part in each]
    if kind == "object":
        return {name: made_of(part, schema) for name, part in one.get("properties", {}).items()}
    return {"string": "a b", "integer": 1, "number": 0.5, "boolean": True}.get(str(kind))


def changed(value: Any, chance: random.Random) -> Any:
    """A body with a different value in one place."""
    if isinstance(value, dict) and value and chance.random() < 0.8:
        name = chance.choice(list(value))
        kind = chance.random()
        if kind < 0.15:
            return {key: one for key, one in value.items() if key != name}
        if kind < 0.25:
            return {**value, chance.choice(["extra", "", "\0", "__proto__"]): chance.choice(ODD)}
        return {**value, name: changed(value[name], chance)}
    if isinstance(value, list) and value and chance.random() < 0.7:
        place = chance.randrange(len(value))
        return [*value[:place], changed(value[place], chance), *value[place + 1 :]]
    return chance.choice(ODD)


def spoilt(raw: bytes, chance: random.Random) -> bytes:
    """A body's bytes, some of them changed."""
    kind = chance.randrange(7)
    if kind == 0:
        return raw[: chance.randrange(len(raw) + 1)]
    if kind == 1:
        return raw * 2
    if kind == 2:
        return raw.decode().encode("utf-16")
    if kind == 3:
        return b"[" * chance.randrange(1, 30_000) + raw
    if kind == 4:
        place = chance.randrange(len(raw) + 1)
        return raw[:place] + chance.randbytes(3) + raw[place:]
    if kind == 5:
        return chance.randbytes(chance.randrange(200))
    return raw.replace(b'"', b"'")


@dataclass(frozen=True)
class Asked:
    """A request.

    Attributes:
        server: the server it is for.
        raw: its bytes, or the first of them if the client sends no more.
        is_barred: True if its key doesn't permit it.
    """

    server: str
    raw: bytes
    is_barred: bool = False


@dataclass(frozen=True)
class Target:
    """The requests for a server.

    Attributes:
        name: the server's name.
        port: its port.
        bodies: bodies by route.
        key: a key for everything; "" if none is needed.
        reader: a read-only key.
        closed: the routes that need a key.
        writing: the routes that need a key with write access.
    """

    name: str
    port: int
    bodies: dict[str, list[Any]]
    key: str = ""
    reader: str = ""
    closed: frozenset[str] = frozenset()
    writing: frozenset[str] = frozenset()

    def request(self, chance: random.Random) -> Asked:
        """A request that is most probably invalid."""
        if chance.random() < 1 / 2_000:
            return Asked(self.name, heavy(chance, self.key))
        authorization, is_wrong, only_reads = self._key(chance)
        if chance.random() < 0.05:
            path = chance.choice(PATHS) + chance.choice(
                ["", "?", "&id=%ff", "%00", "/../..", "?collection=x&k=%"]
            )
            method = chance.choice(["GET", "PUT", "HEAD", "OPTIONS", "PATCH", "GET"])
            return Asked(self.name, f"{method} {path} HTTP/1.1\r\n{_HOST}{authorization}\r\n".encode())
        route = chance.choice(list(self.bodies))
        is_barred = (is_wrong and route in self.closed) or (only_reads and route in self.writing)
        return Asked(self.name, made_request(route, self.bodies[route], authorization, chance), is_barred)

    def _key(self, chance: random.Random) -> tuple[str, bool, bool]:
        """A header, True if routes with keys must reject it, and True if its key is read-only."""
        right = f"authorization: Bearer {self.key}\r\n"
        if not self.key:
            return "", False, False
        kind = chance.random()
        if kind < 0.9:
            return right, False, False
        if kind < 0.95:
            return right.replace(self.key, self.reader), False, True
        wrong = ["", "x", self.key[:-1], self.key + "x", self.key.lower(), "null", "é", "a" * 5_000]
        return right.replace(self.key, chance.choice(wrong)), True, False


def made_request(route: str, bodies: list[Any], authorization: str, chance: random.Random) -> bytes:
    """The bytes of a request to a route."""
    method, path = route.split()
    body = chance.choice(bodies)
    head = _HOST + authorization
    if body is None:
        asked = dict(chance.choice(QUERIES.get(route, [{"id": "1", "k": "1"}])))
        for name in list(asked):
            if chance.random() < 0.3:
                asked[name] = chance.choice(
                    ["1", "-1", "x" * 300, "\0", "\u202e", "nan", "../..", "", "1e999"]
                )
        return f"{method} {path}?{urlencode(asked)} HTTP/1.1\r\n{head}\r\n".encode()
    for _ in range(chance.randrange(4)):
        body = changed(body, chance)
    raw = json.dumps(body).encode()
    if chance.random() < 0.2:
        raw = spoilt(raw, chance)
    kind = chance.choice(["application/json"] * 9 + ["text/plain", "", "application/json; charset=x"])
    head += chance.choice([""] * 8 + ["origin: http://evil\r\n", "x-request-id: " + "y" * 300 + "\r\n"])
    head = f"{method} {path} HTTP/1.1\r\n{head}content-type: {kind}\r\naccept: */*\r\n"
    return head.encode() + b"content-length: %d\r\n\r\n" % len(raw) + raw


def heavy(chance: random.Random, key: str) -> bytes:
    """A request that is huge, infinitely nested, or stops halfway and waits."""
    head = f"POST /embed HTTP/1.1\r\n{_HOST}content-type: application/json\r\nauthorization: Bearer {key}\r\n"
    kind = chance.randrange(7)
    if kind == 0:  # the head never ends
        return head.encode()[: chance.randrange(5, len(head))]
    if kind == 1:  # nor do its lines
        return head.encode() + b"x-more: " + b"y" * 200_000
    if kind == 2:  # the body does not come
        return head.encode() + b'content-length: 900\r\n\r\n{"inputs": "'
    if kind == 3:  # chunks stop
        return head.encode() + b'transfer-encoding: chunked\r\n\r\n4\r\n{"in\r\nffffff\r\n'
    texts = "a long text " * (600_000 if kind == 4 else 900_000)  # within the limit of a body, and beyond it
    raw = b"[" * 3_000_000 if kind == 5 else json.dumps({"inputs": texts}).encode()
    return head.encode() + b"content-length: %d\r\n\r\n" % len(raw) + raw


async def ask(port: int, raw: bytes) -> int:
    """The status of an answer; 0 if the server closes without one."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    try:
        writer.write(raw.replace(b"\r\n\r\n", b"\r\nconnection: close\r\n\r\n", 1))
        answer = await reader.read(-1)
    except ConnectionError:
        return 0
    finally:
        writer.close()
    return int(answer[9:12]) if answer.startswith(b"HTTP/1.1 ") else 0


@dataclass
class Answered:
    """The answers to requests.

    Attributes:
        statuses: counts by server and status; 0 for a closed connection, -1 for no answer.
        bad: requests that were answered with 500, or not in time.
        bypassed: requests that were answered although their key doesn't permit them.
    """

    statuses: Counter[tuple[str, int]]
    bad: list[Asked]
    bypassed: list[Asked]


async def attack(targets: Sequence[Target], options: argparse.Namespace) -> Answered:
    """Send a number of requests to all servers."""
    chance, told = random.Random(options.seed), Answered(Counter(), [], [])
    ports = {one.name: one.port for one in targets}
    routes = [len(one.bodies) for one in targets]
    left = iter(range(options.requests))

    async def client() -> None:
        for number in left:
            (target,) = chance.choices(targets, routes)
            asked = target.request(chance)
            if number % 500 == 0:  # not HTTP
                asked = Asked(target.name, chance.randbytes(chance.randrange(1, 400)) + b"\r\n\r\n")
            status = await in_time(ports[asked.server], asked.raw)
            told.statuses[asked.server, status] += 1
            if status in (-1, 500):
                told.bad.append(asked)
            if asked.is_barred and 200 <= status < 300:
                told.bypassed.append(asked)

    await asyncio.gather(*(client() for _ in range(options.clients)))
    return told


async def in_time(port: int, raw: bytes) -> int:
    """The status of an answer; -1 if none comes in time."""
    try:
        return await asyncio.wait_for(ask(port, raw), _PATIENCE)
    except TimeoutError:
        return -1


async def again(targets: Sequence[Target], asked: Sequence[Asked]) -> list[Asked]:
    """The requests that also fail (500, or no answer in time) when sent alone.

    On a busy machine an answer may be late through no fault of the server.
    """
    ports = {one.name: one.port for one in targets}
    return [one for one in asked if await in_time(ports[one.server], one.raw) in (-1, 500)]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--requests", type=int, default=100_000)
    parser.add_argument("--clients", type=int, default=16)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--port", type=int, default=8198, help="of textkin serve; that of label is the next")
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--only", choices=["serve", "label"], help="ask only one of the two")
    options = parser.parse_args()
    show_setting("uvicorn", "pydantic")
    with tempfile.TemporaryDirectory() as folder, ExitStack() as stack:
        targets = []
        if options.only != "label":
            targets.append(stack.enter_context(served(Path(folder), options)))
        if options.only != "serve":
            targets.append(stack.enter_context(labelled(Path(folder), options.port + 1)))
        start = time.perf_counter()
        told = asyncio.run(attack(targets, options))
        took = time.perf_counter() - start
        still = asyncio.run(again(targets, told.bad))
        alive = [asyncio.run(ask(one.port, good_request(one))) for one in targets]
    routes = sum(len(one.bodies) for one in targets)
    print(f"{routes} routes, {options.requests:,} requests in {took:.0f} s, seed {options.seed}")
    for one in targets:
        statuses = {
            status: count for (name, status), count in sorted(told.statuses.items()) if name == one.name
        }
        print(f"{one.name}: {sum(statuses.values()):,} requests, {statuses}")
    print(f"answered by 500, or not in {_PATIENCE} s: {len(told.bad)}; when asked alone, too: {len(still)}")
    print(f"answered though their key may not: {len(told.bypassed)}; then good requests: {alive}")
    for asked in [*still, *told.bad, *told.bypassed][:10]:
        print(asked.server, asked.raw[:600])
    has_failed = any(status == 500 for _, status in told.statuses)
    sys.exit(bool(still or has_failed or told.bypassed or set(alive) != {200}))


@contextmanager
def process(arguments: Sequence[str], port: int) -> Iterator[None]:
    """A server process for the duration of the block; its messages go to standard error."""
    command = [sys.executable, "-m", "textkin", *arguments, "--port", str(port)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as server:
        assert server.stdout is not None  # noqa: S101
        server.stdout.readline()
        try:
            yield
        finally:
            server.send_signal(signal.SIGTERM)
            if server.wait() != 0:
                print(f"{arguments[0]} ended with {server.returncode}")
                sys.exit(1)


@contextmanager
def served(folder: Path, options: argparse.Namespace) -> Iterator[Target]:
    """``textkin serve`` with everything it supports, for the duration of the block."""
    keys = folder / "keys.toml"
    key, reader = add_key(keys, "all"), add_key(keys, "reader", read_only=True)
    arguments = [*serve_command(folder), "--workers", str(options.workers), "--api-key-file", str(keys)]
    arguments += ["--log", "nothing", "--max-header-seconds", "5", "--max-body-seconds", "10"]
    with process(arguments, options.port):
        closed = {f"{one.method} {one.path}" for one in all_routes() if not one.is_open}
        writing = {f"{one.method} {one.path}" for one in all_routes() if one.writes}
        bodies = bodies_of(description(options.port, key))
        yield Target("serve", options.port, bodies, key, reader, frozenset(closed), frozenset(writing))


@contextmanager
def labelled(folder: Path, port: int) -> Iterator[Target]:
    """``textkin label --page``, for requests to its own routes, for the duration of the block."""
    with process(label_command(folder), port):
        bodies = bodies_of(description(port, ""))
        yield Target("label", port, {route: made for route, made in bodies.items() if "label" in route})


def description(port: int, key: str) -> Any:
    """A server's description of its routes."""
    asked = Request(f"http://127.0.0.1:{port}/openapi.json", headers={"authorization": f"Bearer {key}"})
    with urlopen(asked) as answer:
        return json.load(answer)


def serve_command(folder: Path) -> list[str]:
    """The command for a server with everything it supports, with data created in a folder."""
    texts = ["Where can I park?", "When do you open?", "Where can I park my car?", "Is it open on Sunday?"]
    with tk.open_collection(folder / "notes.kin", create=True) as notes:
        notes.add(texts[:2], ids=["1", "2"], metadata=[{"n": 1}, {}])
    lines = folder / "texts.jsonl"
    lines.write_text("".join(json.dumps({"text": one}) + "\n" for one in texts * 3), encoding="utf-8")
    tk.dedupe(lines, out=folder / "runs" / "groups", threshold=0.7)
    index_phrases(Texts(tuple("abcd"), tuple(texts)), folder / "town.phrases", "tfidf")
    made = ["notes.kin", "town.phrases", "--runs", "runs"]
    return ["serve", "default", *(one if one.startswith("--") else str(folder / one) for one in made)]


def label_command(folder: Path) -> list[str]:
    """The command for a server of pairs to label, with data created in a folder."""
    pairs = folder / "pairs.tsv"
    rows = [f"{0.5 + number / 2_000:.4f}\ttext {number}\tother {number}" for number in range(1_000)]
    pairs.write_text("\n".join(["score\ttext_a\ttext_b", *rows]) + "\n", encoding="utf-8")
    return ["label", str(pairs), "--precision", "0.95", "--page"]


def good_request(target: Target) -> bytes:
    """A valid request."""
    if not target.key:
        return f"GET /label HTTP/1.1\r\n{_HOST}\r\n".encode()
    body = b'{"query": "park"}'
    head = f"POST /search HTTP/1.1\r\n{_HOST}content-type: application/json\r\n"
    head += f"authorization: Bearer {target.key}\r\ncontent-length: {len(body)}\r\n\r\n"
    return head.encode() + body


if __name__ == "__main__":
    main()
