"""Memory growth and durability of a server under minutes of mixed requests.

Run: ``python benchmarks/soak_serve.py TEXTS [--minutes 30] [--clients 64] [--kinds KIND ...]`` TEXTS has one
text per line. Clients embed 1 to 64 texts at once, search, match, rerank, and add documents to a collection
with a bounded number of ids, so that only a leak can grow for long. Some send invalid requests, some hang up.
The server's memory is read every few seconds; its slope is the Theil-Sen estimate over the second half, with
its 95 % interval. At the end every acknowledged document must be there.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import random
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from scipy.stats import theilslopes

import textkin as tk
from bench_serve import server
from setting import show_setting

_IDS = 2_000  # documents; those with the same id replace each other
_EVERY = 2.0  # seconds between two measurements of memory
_SHOWN = 12  # lines of the table
_CONFIDENCE = 0.95
_SHARES = {"embed": 8, "search": 4, "match": 2, "rerank": 2, "add": 2, "remove": 1, "wrong": 1, "gone": 1}


@dataclass
class Seen:
    """The observations of clients and of the memory monitor.

    Attributes:
        answers: counts by kind and status.
        texts: the number of texts in answered requests.
        held: acknowledged ids that weren't removed afterwards.
        memory: seconds, resident MB, and anonymous MB among these.
    """

    answers: Counter[str] = field(default_factory=Counter)
    texts: int = 0
    held: set[str] = field(default_factory=set)
    memory: list[tuple[float, float, float]] = field(default_factory=list)


def body_of(kind: str, texts: Sequence[str], ids: range, chance: random.Random) -> tuple[str, str, Any]:
    """Method, path and body of a request of a given kind."""
    some = chance.sample(texts, chance.choice((1, 1, 4, 16, 64)))
    if kind == "search":
        return "POST", "/search", {"queries": some[:16], "k": 5}
    if kind == "match":
        return "POST", "/match", {"texts": some[:16], "threshold": 0.8}
    if kind == "rerank":
        return "POST", "/rerank", {"query": some[0], "texts": some}
    if kind == "add":
        chosen = [str(one) for one in chance.sample(ids, 8)]
        documents = [{"id": one, "text": chance.choice(texts), "metadata": {"n": 1}} for one in chosen]
        return "POST", "/documents", {"documents": documents}
    if kind == "remove":
        return "DELETE", "/documents", {"ids": [str(one) for one in chance.sample(ids, 2)]}
    if kind == "wrong":
        return chance.choice(
            [("POST", "/embed", {"inputs": 3}), ("POST", f"/{chance.random()}", {}), ("POST", "/search", {})]
        )
    return "POST", "/embed", {"inputs": some}


def raw_of(method: str, path: str, body: Any) -> bytes:
    """The bytes of a request."""
    sent = json.dumps(body).encode()
    head = f"{method} {path} HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n"
    return head.encode() + b"content-length: %d\r\n\r\n" % len(sent) + sent


async def answer_of(reader: asyncio.StreamReader) -> tuple[int, bool]:
    """The status of an answer, which is read completely, and True if the connection ends with it."""
    head = (await reader.readuntil(b"\r\n\r\n")).lower()
    length = int(head.partition(b"content-length:")[2].partition(b"\r\n")[0])
    await reader.readexactly(length)
    return int(head[9:12]), b"\r\nconnection: close" in head


async def client(
    number: int, port: int, texts: Sequence[str], seen: Seen, until: float, options: argparse.Namespace
) -> None:
    """Send requests until the end; this client's own document ids tell it which to expect."""
    chance = random.Random(options.seed * 10_000 + number)
    each = max(8, _IDS // options.clients)
    ids = range(number * each, (number + 1) * each)
    weights = [_SHARES[kind] for kind in options.kinds]
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    while time.perf_counter() < until:
        (kind,) = chance.choices(options.kinds, weights)
        method, path, body = body_of(kind, texts, ids, chance)
        writer.write(raw_of(method, path, body))
        if kind == "gone":
            await asyncio.sleep(chance.random() / 10)
            writer.transport.abort()
            reader, writer = await asyncio.open_connection("127.0.0.1", port)
            continue
        status, is_last = await asyncio.wait_for(answer_of(reader), 120)
        if is_last:  # of 413: one of the texts exceeds the model's limit
            writer.close()
            reader, writer = await asyncio.open_connection("127.0.0.1", port)
        seen.answers[f"{kind} {status}"] += 1
        seen.texts += sum(len(one) for one in body.values() if isinstance(one, list))
        if kind == "add" and status == 200:
            seen.held |= {one["id"] for one in body["documents"]}
        if kind == "remove" and status != 429:  # requests without an answer in time may have been executed
            seen.held -= set(body["ids"])
    writer.close()


async def watch(pid: int, seen: Seen, until: float) -> None:
    """Measure the memory repeatedly."""
    start = time.perf_counter()
    while time.perf_counter() < until:
        seen.memory.append((time.perf_counter() - start, *resident(pid)))
        await asyncio.sleep(_EVERY)


def resident(pid: int) -> tuple[float, float]:
    """Resident MB of a process: all, and anonymous ones."""
    found = {}
    for line in Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()[1:]:
        name, value, *_ = line.split()
        found[name] = int(value) / 1_000 * 1.024
    return found["Rss:"], found["Anonymous:"]


async def soak(port: int, pid: int, texts: Sequence[str], options: argparse.Namespace) -> Seen:
    """Run all clients and the memory monitor until the end."""
    seen, until = Seen(), time.perf_counter() + options.minutes * 60
    asking = [client(number, port, texts, seen, until, options) for number in range(options.clients)]
    await asyncio.gather(watch(pid, seen, until), *asking)
    return seen


def tell(seen: Seen) -> None:
    """Print the memory over time, and its slope."""
    times, whole, own = np.array(seen.memory).T
    print(f"{'minute':>8} {'resident MB':>12} {'anonymous MB':>13}")
    for place in np.linspace(0, len(times) - 1, _SHOWN).astype(int):
        print(f"{times[place] / 60:8.1f} {whole[place]:12,.0f} {own[place]:13,.0f}")
    late = times >= times[-1] / 2
    slope, _, low, high = theilslopes(whole[late], times[late] / 3_600, _CONFIDENCE)
    print(f"slope of the second half: {slope:+,.1f} MB an hour ({low:+,.1f} to {high:+,.1f})")
    quarters = [part.max() for part in np.array_split(whole, 4)]
    print("most of each quarter, MB: " + ", ".join(f"{one:,.0f}" for one in quarters))
    answers = dict(sorted(seen.answers.items()))
    print(f"{sum(answers.values()):,} answers for {seen.texts:,} texts: {answers}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("texts", type=Path)
    parser.add_argument("--model", default="minilm")
    parser.add_argument("--minutes", type=float, default=30)
    parser.add_argument("--clients", type=int, default=64)
    parser.add_argument("--kinds", nargs="*", default=list(_SHARES), choices=list(_SHARES))
    parser.add_argument("--most", type=int, default=50_000, help="texts of the file")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--port", type=int, default=8197)
    options = parser.parse_args()
    show_setting("torch", "uvicorn", "numpy")
    lines = options.texts.read_text(encoding="utf-8").splitlines()
    texts = list(dict.fromkeys(line for line in lines if line.strip()))[: options.most]
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder) / "notes.kin"
        with tk.open_collection(place, create=True, model=options.model) as notes:
            notes.add(texts[:200], ids=[f"first-{place}" for place in range(200)])
        command = [sys.executable, "-m", "textkin", "serve", options.model, str(place)]
        with server([*command, "--port", str(options.port), "--log", "nothing"], options.port) as pid:
            seen = asyncio.run(soak(options.port, pid, texts, options))
        tell(seen)
        with tk.open_collection(place) as notes:
            lost = seen.held - {one.entry_id for one in notes.store.entries()}
    print(f"{len(seen.held):,} ids were acknowledged last as added; lost: {len(lost)}")
    failed = sum(count for name, count in seen.answers.items() if name.endswith(" 500"))
    sys.exit(bool(lost or failed))


if __name__ == "__main__":
    main()
