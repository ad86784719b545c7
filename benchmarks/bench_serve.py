"""Throughput of an encoder behind HTTP, and client latency, by the number of clients.

Run: ``python benchmarks/bench_serve.py TEXTS [--model minilm] [--clients 1000] [--each 32] [--seconds 60]``
TEXTS has one text per line. The server, ``textkin serve``, and the clients, one process of plain sockets,
share this machine's cores; the encoder's own speed is measured before each full load and after the last, on
the same texts and cores without requests, and fractions are relative to the mean of before and after.

Answers of a batch come together, so a fixed window would contain one batch more or less by chance. The window
therefore lies between two pauses: the longest ones in the first and the last fifth of the time.

Processor time per text is that of server and clients, compared with the encoder alone: other load hardly
affects it. With ``--peer`` a plain FastAPI app around sentence-transformers' ``encode`` is measured, too (pip
install fastapi).
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from setting import show_setting

_START = 600  # seconds for a server to start on a busy machine
_PAUSE = 4  # seconds between two requests of a client at partial load
_ALONE = 10_000  # texts per call of the encoder

PEER = """
import sys, uvicorn
from fastapi import FastAPI
from pydantic import BaseModel
from sentence_transformers import SentenceTransformer

model, app = SentenceTransformer(sys.argv[1], device="cpu"), FastAPI()

class Body(BaseModel):
    inputs: list[str]

@app.post("/embed")
def embed(body: Body) -> list[list[float]]:
    return model.encode(body.inputs).tolist()

@app.get("/health")
def health() -> str:
    return "ok"

uvicorn.run(app, port=int(sys.argv[2]), log_level="error", access_log=False)
"""


class Connection(asyncio.Protocol):
    """One client: asks, waits for the whole answer, asks again."""

    def __init__(self, requests: Sequence[bytes], told: Told, pause: float) -> None:
        self._requests, self._told, self._pause = requests, told, pause
        self._next = told.joined = told.joined + 1
        self._buffer, self._length = b"", -1

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)  # noqa: S101 - that of a stream
        self._transport = transport
        self._ask()

    def _ask(self) -> None:
        self._started = time.perf_counter()
        self._transport.write(self._requests[self._next % len(self._requests)])
        self._next += 1

    def data_received(self, data: bytes) -> None:
        self._buffer += data
        if self._length < 0:
            head, end, rest = self._buffer.partition(b"\r\n\r\n")
            if not end:
                return
            self._status = int(head[9:12])
            lower = head.lower()
            start = lower.index(b"content-length:") + 15
            self._length, self._buffer = int(lower[start:].split(b"\r\n", 1)[0]), rest
        if len(self._buffer) < self._length:
            return
        self._buffer, self._length = b"", -1
        self._told.answers.append((time.perf_counter(), self._started, self._status))
        if self._pause or self._status != 200:
            wait = self._pause or 0.5
            asyncio.get_running_loop().call_later(wait * np.random.default_rng().uniform(0.5, 1.5), self._ask)
        else:
            self._ask()

    def connection_lost(self, _: Exception | None) -> None:
        self._told.lost += 1


class Told:
    """The observations of clients."""

    def __init__(self) -> None:
        self.answers: list[tuple[float, float, int]] = []
        self.joined = self.lost = 0


def requests_of(
    texts: Sequence[str], each: int, port: int, path: str, field: str, more: dict[str, Any]
) -> list[bytes]:
    """Whole requests of a given number of texts each."""
    found = []
    for start in range(0, len(texts) - each + 1, each):
        body = json.dumps({field: texts[start : start + each], **more}).encode()
        head = f"POST {path} HTTP/1.1\r\nhost: localhost:{port}\r\ncontent-type: application/json\r\n"
        found.append(head.encode() + b"content-length: %d\r\n\r\n" % len(body) + body)
    return found


async def load(
    requests: Sequence[bytes], port: int, pid: int, clients: int, seconds: float, pause: float
) -> dict[str, Any]:
    """The observations of clients over some seconds, after a fifth of these as warm-up."""
    told, loop = Told(), asyncio.get_running_loop()
    used: list[tuple[float, float]] = []
    looking = asyncio.ensure_future(look(pid, used))
    made = []
    for _ in range(clients):
        made.append(
            await loop.create_connection(lambda: Connection(requests, told, pause), "127.0.0.1", port)
        )
        await asyncio.sleep(pause / clients)  # not all at once
    begin = time.perf_counter() + seconds / 5
    await asyncio.sleep(seconds * 1.2)
    end = time.perf_counter()
    lost = told.lost
    looking.cancel()
    for transport, _ in made:
        transport.abort()
    begin, end = between_batches([one[0] for one in told.answers], begin, end)
    inside = [one for one in told.answers if begin < one[0] <= end]
    at, spent = np.array(used).T
    good = np.array([one[0] - one[1] for one in inside if one[2] == 200])
    return {
        "per_second": len(good) / (end - begin),
        "processor": float(np.diff(np.interp([begin, end], at, spent))[0]) / max(1, len(good)),
        "p50": float(np.median(good)) if len(good) else float("nan"),
        "p99": float(np.percentile(good, 99)) if len(good) else float("nan"),
        "statuses": dict(Counter(str(one[2]) for one in inside)),
        "lost": lost,
    }


async def look(pid: int, used: list[tuple[float, float]]) -> None:
    """Record the processor time of the server and the clients repeatedly."""
    while True:
        used.append((time.perf_counter(), processor_seconds(pid) + time.process_time()))
        await asyncio.sleep(0.1)


def between_batches(answers: Sequence[float], begin: float, end: float) -> tuple[float, float]:
    """The times of two answers, each the last of its batch, with whole batches in between."""

    def last_before_pause(low: float, high: float, otherwise: float) -> float:
        times = np.array([one for one in answers if low <= one <= high])
        return float(times[np.argmax(np.diff(times))]) if len(times) > 1 else otherwise

    fifth = (end - begin) / 5
    return last_before_pause(begin, begin + fifth, begin), last_before_pause(end - fifth, end, end)


@contextmanager
def server(command: Sequence[str], port: int) -> Iterator[int]:
    """Start a server process; return its process id."""
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    import urllib.request

    late = time.monotonic() + _START
    try:
        while True:
            try:
                urllib.request.urlopen(f"http://127.0.0.1:{port}/health", timeout=1).read()
                break
            except OSError:
                if process.poll() is not None or time.monotonic() > late:
                    raise
                time.sleep(0.2)
        yield process.pid
    finally:
        process.send_signal(signal.SIGTERM)
        process.wait()


def processor_seconds(pid: int) -> float:
    """The processor seconds of a process, including those of ended threads."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def resident(pid: int) -> float:
    """The memory of a process in MB."""
    pages = int(Path(f"/proc/{pid}/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGESIZE") / 1e6


def alone(encoder: Any, texts: Sequence[str]) -> tuple[float, float]:
    """Texts per second of the encoder itself, and its processor time per text."""
    start, used = time.perf_counter(), time.process_time()
    encoder.encode(texts)
    return len(texts) / (time.perf_counter() - start), (time.process_time() - used) / len(texts)


def measure(
    requests: Sequence[bytes],
    port: int,
    pid: int,
    options: argparse.Namespace,
    own: Callable[[], tuple[float, float]],
) -> None:
    """Print rows for full load, in turns with the encoder alone, and, by pauses, for partial load."""
    before, floors = resident(pid), [own()]
    heads = f"{'texts/s':>8} {'alone':>8} {'of it':>6} {'CPU ms':>8} {'alone':>8} {'of it':>6}"
    print(f"{'load':>6} {heads} {'p50 ms':>9} {'p99 ms':>9}  answers")
    rates, shares = [], list[float]()
    for _ in range(options.turns):
        full = asyncio.run(load(requests, port, pid, options.clients, options.seconds, 0.0))
        floors.append(own())
        rates.append(full["per_second"])
        shares.append(full["per_second"] * options.each / float(np.mean([one[0] for one in floors[-2:]])))
        show("full", full, options.each, floors[-2:])
    for share in options.shares:
        # The number of clients that each send a request every few seconds.
        rate = float(np.median(rates)) * share
        clients = max(1, min(options.clients, round(rate * _PAUSE)))
        found = asyncio.run(load(requests, port, pid, clients, options.seconds, clients / rate))
        show(f"{share:.0%}", found, options.each, floors)
    print(f"of the encoder's speed: x {np.median(shares):.2f} ({min(shares):.2f} to {max(shares):.2f})")
    print(f"memory {before:,.0f} MB before, {resident(pid):,.0f} MB after")


def show(name: str, found: dict[str, Any], each: int, floors: Sequence[tuple[float, float]]) -> None:
    """Print a row."""
    speed, processor = np.mean(floors, axis=0)
    texts, used = found["per_second"] * each, found["processor"] / each
    cells = f"{texts:8,.0f} {speed:8,.0f} {texts / speed:6.2f} {used * 1e3:8.3f} {processor * 1e3:8.3f}"
    times = f"{processor / used:6.2f} {found['p50'] * 1e3:9,.1f} {found['p99'] * 1e3:9,.1f}"
    print(f"{name:>6} {cells} {times}  {found['statuses']}, connections lost: {found['lost']}", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("texts", type=Path)
    parser.add_argument("--model", default="minilm")
    parser.add_argument("--clients", type=int, default=1_000)
    parser.add_argument("--each", type=int, default=32, help="texts of a request")
    parser.add_argument("--most", type=int, default=20_000, help="texts of the file")
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--turns", type=int, default=3, help="of full load")
    parser.add_argument("--shares", type=float, nargs="*", default=[0.1, 0.5, 0.9])
    parser.add_argument("--base64", action="store_true", help="by /v1/embeddings")
    parser.add_argument("--peer", help="a folder for sentence-transformers")
    parser.add_argument("--port", type=int, default=8199)
    options = parser.parse_args()
    show_setting("torch", "uvicorn", "numpy")
    lines = options.texts.read_text(encoding="utf-8").splitlines()
    texts = list(dict.fromkeys(line for line in lines if line.strip()))[: options.most]
    import textkin as tk
    from textkin.vectors.batched_encoding import in_precision

    encoder, words = in_precision(tk.load_encoder(options.model), "auto", texts)
    encoder.encode(texts)

    def own() -> tuple[float, float]:
        return alone(encoder, texts[:_ALONE])

    print(f"{options.model}, {words}; {len(texts):,} texts")
    more: dict[str, Any] = {"truncate": True}  # as the encoder alone does
    path, field = "/embed", "inputs"
    if options.base64:
        path, field, more = "/v1/embeddings", "input", {"encoding_format": "base64"}
    requests = requests_of(texts, options.each, options.port, path, field, more)
    port = str(options.port)
    waiting = str(max(16_384, 2 * options.clients * options.each))
    command = [sys.executable, "-m", "textkin", "serve", options.model, "--port", port, "--log", "nothing"]
    command += ["--max-requests", "8192", "--max-waiting-texts", waiting, "--max-seconds", "600"]
    print(f"textkin serve, {options.clients:,} clients, {options.each} texts a request")
    with server(command, options.port) as pid:
        measure(requests, options.port, pid, options, own)
    if options.peer:
        print("FastAPI and sentence-transformers")
        options.shares = []
        plain = requests_of(texts, options.each, options.port, "/embed", "inputs", {})
        with server([sys.executable, "-c", PEER, options.peer, port], options.port) as pid:
            measure(plain, options.port, pid, options, own)


if __name__ == "__main__":
    main()
