"""Memory of a server with several worker processes, compared with one process.

Run: ``python benchmarks/bench_workers.py TEXTS [--model minilm] [--workers 1 2 4]`` TEXTS has one text per
line; some of them go into a collection. Each server embeds, searches and adds over many connections, so that
every worker has opened all it needs. Memory is the proportional set size (PSS) of all its processes: a page
shared by several of them counts once.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import urllib.request
from collections.abc import Sequence
from pathlib import Path

import textkin as tk
from bench_serve import server
from setting import show_setting

_ENTRIES, _ROUNDS = 2_000, 40


def ask(port: int, path: str, body: dict[str, object]) -> None:
    """Send a request over a new connection."""
    request = urllib.request.Request(
        f"http://127.0.0.1:{port}{path}", json.dumps(body).encode(), {"content-type": "application/json"}
    )
    with urllib.request.urlopen(request, timeout=300) as answer:
        answer.read()


def processes(pid: int) -> list[int]:
    """A process and its descendants."""
    return [pid, *map(int, Path(f"/proc/{pid}/task/{pid}/children").read_text().split())]


def shared_out(pid: int) -> float:
    """MB of a process; shared pages are divided among their processes."""
    lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("Pss:")) * 1.024 / 1_000


def measured(command: Sequence[str], port: int, texts: Sequence[str]) -> list[float]:
    """MB of each process of a server after a mixed load."""
    with server([*command, "--port", str(port), "--log", "nothing"], port) as pid:
        for turn in range(_ROUNDS):
            some = texts[turn * 8 : turn * 8 + 8]
            ask(port, "/embed", {"inputs": some})
            ask(port, "/search", {"queries": some, "k": 5})
            ask(port, "/documents", {"documents": [{"id": str(turn), "text": some[0]}]})
        return [shared_out(one) for one in processes(pid)]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("texts", type=Path)
    parser.add_argument("--model", default="minilm")
    parser.add_argument("--workers", type=int, nargs="*", default=[1, 2, 4])
    parser.add_argument("--port", type=int, default=8196)
    options = parser.parse_args()
    show_setting("torch", "uvicorn", "numpy")
    lines = options.texts.read_text(encoding="utf-8").splitlines()
    texts = list(dict.fromkeys(line for line in lines if line.strip()))[:_ENTRIES]
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder) / "notes.kin"
        with tk.open_collection(place, create=True, model=options.model) as notes:
            notes.add(texts)
        command = [sys.executable, "-m", "textkin", "serve", options.model, str(place)]
        one = None
        for count in options.workers:
            found = measured([*command, "--workers", str(count)], options.port, texts)
            one = sum(found) if count == 1 else one
            beside = "" if one is None else f", {sum(found) / (count * one):.2f} of {count} servers"
            each = ", ".join(f"{megabytes:,.0f}" for megabytes in found)
            print(f"{count} workers: {sum(found):,.0f} MB ({each}){beside}")


if __name__ == "__main__":
    main()
