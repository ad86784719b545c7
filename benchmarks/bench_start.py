"""Start-up cost of the first commands in processor seconds, compared with their imports.

Run: ``python benchmarks/bench_start.py [--turns 9] [--texts 300] [--first]``

Each turn runs every command once in its own process. The minimum of user and system time counts, as other
load only adds to it. The ratio to the libraries' own imports is the result.

With ``--first`` a collection of these texts is searched, and then served, for the first time on a machine:
nothing is compiled. These are seconds of the clock; a server's are until it has answered a search.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
import urllib.request
from pathlib import Path

from bench_serve import server
from setting import show_setting

LIBRARIES = "import numpy, pydantic.type_adapter, tokenizers, cyclopts"
TEXTKIN = (sys.executable, "-m", "textkin")


def write_texts(path: Path, count: int) -> None:
    """Write questions that differ in a number, an opening and a subject."""
    openings = ("How do I reset", "Where can I find", "Who pays for", "Why was I sent", "When do I get")
    subjects = ("my password", "the invoice", "a broken lamp", "the second reminder", "my refund")
    path.write_text(
        "".join(
            f"{openings[n % 5]} {subjects[n // 5 % 5]} of order {n * 7919 % 10_007}?\n" for n in range(count)
        )
    )


def seconds(command: tuple[str, ...], bytecode: Path) -> float:
    """User and system time of one process, with modules compiled before, as pip does on installation."""
    own = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    process = subprocess.Popen(
        command,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        env={**own, "PYTHONPYCACHEPREFIX": str(bytecode)},
    )
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        sys.exit(f"{' '.join(command)} left with {process.returncode}")
    return used.ru_utime + used.ru_stime


def first_use(folder: Path, count: int, port: int) -> None:
    """Print how long the first search and the first server take where nothing is compiled."""
    write_texts(folder / "texts.txt", count)
    collection, loops = str(folder / "texts.kin"), iter(folder / name for name in ("added", "once", "served"))

    def begun() -> float:
        os.environ["NUMBA_CACHE_DIR"] = str(next(loops))
        return time.perf_counter()

    begun()
    seconds((*TEXTKIN, "collection", "add", collection, str(folder / "texts.txt")), folder / "bytecode")
    start = begun()
    seconds((*TEXTKIN, "search", collection, "where is my invoice"), folder / "bytecode")
    print(f"first search {time.perf_counter() - start:.2f} s")
    start = begun()
    with server([*TEXTKIN, "serve", collection, "--port", str(port), "--log", "nothing"], port):
        asked = urllib.request.Request(
            f"http://127.0.0.1:{port}/search",
            b'{"query": "where is my invoice"}',
            {"content-type": "application/json"},
        )
        urllib.request.urlopen(asked).read()
        print(f"first answer of serve {time.perf_counter() - start:.2f} s")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--turns", type=int, default=9)
    parser.add_argument("--texts", type=int, default=300)
    parser.add_argument("--first", action="store_true")
    parser.add_argument("--port", type=int, default=8198)
    options = parser.parse_args()
    show_setting("numpy", "cyclopts", "tokenizers")
    with tempfile.TemporaryDirectory() as folder:
        texts = Path(folder) / "texts.txt"
        write_texts(texts, options.texts)
        commands = {
            "the libraries' imports": (sys.executable, "-c", LIBRARIES),
            "textkin --help": (*TEXTKIN, "--help"),
            "textkin score A B": (*TEXTKIN, "score", "A", "B"),
            f"textkin mine, {options.texts} texts": (
                *(*TEXTKIN, "mine", str(texts), "--out"),
                str(Path(folder) / "pairs.tsv"),
            ),
        }
        least = dict.fromkeys(commands, float("inf"))
        for _ in range(options.turns):
            for name, command in commands.items():
                least[name] = min(least[name], seconds(command, Path(folder) / "bytecode"))
    floor = least["the libraries' imports"]
    for name, used in least.items():
        print(f"{name:32}{used:8.2f} s{used / floor:8.2f}")
    if options.first:
        with tempfile.TemporaryDirectory() as folder:
            first_use(Path(folder), options.texts, options.port)


if __name__ == "__main__":
    main()
