"""Malformed requests on every route of a server: none may be answered by 500, hang, or end the server.

Run: ``python benchmarks/fuzz_server.py [--requests 100000] [--seed 0] [--clients 16] [--workers N]``
Bodies that every route takes are changed: values of other kinds, numbers out of range, texts of any bytes,
fields that are missing, nested or unknown; and the bytes themselves: cut, doubled, of another encoding. A
route without a body below gets one that /openapi.json allows. Some requests have other methods, headers and
paths, and some are no HTTP at all. At the end a good request must be answered. The server has a collection, a
deduplication and an index of phrases; with ``--label`` it is that of ``textkin label --page``.
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
from collections.abc import Sequence
from pathlib import Path
from typing import Any
from urllib.parse import urlencode
from urllib.request import urlopen

import textkin as tk
from setting import show_setting
from textkin.readers.texts import Texts
from textkin.tasks.answer.phrases import index_phrases

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
    """The bodies above, and one for each other route of a description; None where it takes a query."""
    found = dict(BODIES)
    for path, methods in schema["paths"].items():
        for method, told in methods.items():
            content = told.get("requestBody", {}).get("content", {}).get("application/json")
            made = None if method == "get" else made_of(content["schema"], schema) if content else {}
            found.setdefault(f"{method.upper()} {path}", [made])
    return found


def made_of(one: dict[str, Any], schema: dict[str, Any]) -> Any:
    """A value that a part of the description allows, to its kind."""
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
    """A body with something else in one place."""
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
    """A body's bytes, some of them otherwise."""
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


def request(chance: random.Random, bodies: dict[str, list[Any]]) -> tuple[str, bytes]:
    """A route, and a request that most probably has something wrong."""
    if chance.random() < 0.05:
        path = chance.choice(PATHS) + chance.choice(
            ["", "?", "&id=%ff", "%00", "/../..", "?collection=x&k=%"]
        )
        method = chance.choice(["GET", "PUT", "HEAD", "OPTIONS", "PATCH", "GET"])
        return f"{method} other", f"{method} {path} HTTP/1.1\r\nhost: localhost\r\n\r\n".encode()
    route = chance.choice(list(bodies))
    method, path = route.split()
    body = chance.choice(bodies[route])
    if body is None:
        asked = dict(chance.choice(QUERIES.get(route, [{"id": "1", "k": "1"}])))
        for name in list(asked):
            if chance.random() < 0.3:
                asked[name] = chance.choice(
                    ["1", "-1", "x" * 300, "\0", "\u202e", "nan", "../..", "", "1e999"]
                )
        return route, f"{method} {path}?{urlencode(asked)} HTTP/1.1\r\nhost: localhost\r\n\r\n".encode()
    for _ in range(chance.randrange(4)):
        body = changed(body, chance)
    raw = json.dumps(body).encode()
    if chance.random() < 0.2:
        raw = spoilt(raw, chance)
    kind = chance.choice(["application/json"] * 9 + ["text/plain", "", "application/json; charset=x"])
    more = chance.choice([""] * 8 + ["origin: http://evil\r\n", "x-request-id: " + "y" * 300 + "\r\n"])
    head = f"{method} {path} HTTP/1.1\r\nhost: localhost\r\ncontent-type: {kind}\r\naccept: */*\r\n{more}"
    return route, head.encode() + b"content-length: %d\r\n\r\n" % len(raw) + raw


async def ask(port: int, raw: bytes) -> int:
    """The status of an answer; 0 where the server closes without one."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    try:
        writer.write(raw.replace(b"\r\n\r\n", b"\r\nconnection: close\r\n\r\n", 1))
        answer = await reader.read(-1)
    except ConnectionError:
        return 0
    finally:
        writer.close()
    return int(answer[9:12]) if answer.startswith(b"HTTP/1.1 ") else 0


async def attack(
    port: int, options: argparse.Namespace, bodies: dict[str, list[Any]]
) -> tuple[Counter[str], list[bytes]]:
    """What so many requests are answered by, and those that were answered by 500 or not in time."""
    chance, statuses, bad = random.Random(options.seed), Counter[str](), list[bytes]()
    left = iter(range(options.requests))

    async def client() -> None:
        for number in left:
            if number % 500 == 0:
                raw = chance.randbytes(chance.randrange(1, 400)) + b"\r\n\r\n"  # no HTTP
            else:
                _, raw = request(chance, bodies)
            try:
                status = await asyncio.wait_for(ask(port, raw), 30)
            except TimeoutError:
                status = -1
            statuses[str(status)] += 1
            if status in (-1, 500):
                bad.append(raw)

    await asyncio.gather(*(client() for _ in range(options.clients)))
    return statuses, bad


async def again(port: int, asked: Sequence[bytes]) -> list[bytes]:
    """Those requests that are answered by 500, or not in time, by themselves, too.

    On a machine that is busy with other things an answer may be late for no fault of the server.
    """
    found = []
    for raw in asked:
        try:
            status = await asyncio.wait_for(ask(port, raw), 30)
        except TimeoutError:
            status = -1
        found += [raw] if status in (-1, 500) else []
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--requests", type=int, default=100_000)
    parser.add_argument("--clients", type=int, default=16)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--port", type=int, default=8198)
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--label", action="store_true", help="ask the server of textkin label --page")
    options = parser.parse_args()
    show_setting("uvicorn", "pydantic")
    with tempfile.TemporaryDirectory() as folder:
        served = (
            label_command(Path(folder)) if options.label else serve_command(Path(folder), options.workers)
        )
        command = [sys.executable, "-m", "textkin", *served, "--port", str(options.port)]
        quiet = subprocess.DEVNULL if options.label else None  # which logs what it refuses
        server = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=quiet, text=True)
        assert server.stdout is not None  # noqa: S101
        server.stdout.readline()
        with urlopen(f"http://127.0.0.1:{options.port}/openapi.json") as answer:
            bodies = bodies_of(json.load(answer))
        if options.label:
            bodies = {route: made for route, made in bodies.items() if "label" in route}
        start = time.perf_counter()
        statuses, bad = asyncio.run(attack(options.port, options, bodies))
        took = time.perf_counter() - start
        still = asyncio.run(again(options.port, bad))
        good = request_of_all_good(label=options.label)
        alive = asyncio.run(ask(options.port, good))
        server.send_signal(signal.SIGTERM)
        code = server.wait()
    told = dict(sorted(statuses.items()))
    print(f"{len(bodies)} routes, {options.requests:,} requests in {took:.0f} s, seed {options.seed}: {told}")
    print(f"answered by 500, or not within 30 s: {len(bad)}; so again when asked alone: {len(still)}")
    print(f"then a good request: {alive}, exit code {code}")
    for raw in [*still, *bad][:10]:
        print(raw[:600])
    sys.exit(bool(still) or statuses["500"] > 0 or alive != 200 or code != 0)


def serve_command(folder: Path, workers: int) -> list[str]:
    """What serves all that a server can have, which is made in a folder."""
    texts = ["Where can I park?", "When do you open?", "Where can I park my car?", "Is it open on Sunday?"]
    with tk.open_collection(folder / "notes.kin", create=True) as notes:
        notes.add(texts[:2], ids=["1", "2"], metadata=[{"n": 1}, {}])
    lines = folder / "texts.jsonl"
    lines.write_text("".join(json.dumps({"text": one}) + "\n" for one in texts * 3), encoding="utf-8")
    tk.dedupe(lines, out=folder / "runs" / "groups", options=tk.DedupeOptions(threshold=0.7))
    index_phrases(Texts(tuple("abcd"), tuple(texts)), folder / "town.phrases", "tfidf")
    made = ["--collection", "notes.kin", "--runs", "runs", "--phrases", "town.phrases"]
    places = [one if one.startswith("--") else str(folder / one) for one in made]
    return ["serve", "default", *places, "--workers", str(workers), "--log", "nothing"]


def label_command(folder: Path) -> list[str]:
    """What serves pairs to judge, which are made in a folder."""
    pairs = folder / "pairs.tsv"
    rows = [f"{0.5 + number / 2_000:.4f}\ttext {number}\tother {number}" for number in range(1_000)]
    pairs.write_text("\n".join(["score\ttext_a\ttext_b", *rows]) + "\n", encoding="utf-8")
    return ["label", str(pairs), "--goal", "precision=0.95", "--page"]


def request_of_all_good(*, label: bool) -> bytes:
    """A request that is right."""
    if label:
        return b"GET /label HTTP/1.1\r\nhost: localhost\r\n\r\n"
    body = b'{"query": "park"}'
    head = b"POST /search HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n"
    return head + b"content-length: %d\r\n\r\n" % len(body) + body


if __name__ == "__main__":
    main()
