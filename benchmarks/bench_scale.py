"""Cost of millions of texts: encode, mine, deduplicate, add to a collection, search.

    python benchmarks/bench_scale.py SENTENCES.txt [--sizes 100000 300000 1000000] [--held 3000000]

SENTENCES.txt has one sentence per line. A text is two of them, drawn with a seed; each twentieth is an
earlier text with a word left out. Each command runs in a process of its own. Printed are its processor
seconds and its peak memory, mapped files included. What a command takes for forty texts is its start. To the
rest the sum of a linear and a quadratic term is fitted, and compared with what the held size takes.

Mining is by cells, and tells its recall itself. Here it is the share of the texts with a word left out that
are found together with their original, of those that have a cosine of the threshold or more.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from scipy.optimize import nnls

from setting import show_setting

THRESHOLD, RECALL = 0.9, 0.98
EACH = 20  # each so-many-th text is another with a word left out
QUERIES = 1_000
PARTS = ("encode", "mine", "dedupe", "add", "search")
_FEW = 40  # texts, which take hardly more than the start of a process
_PIECE = 100_000  # texts that are drawn together
# The peak that ``wait4`` tells is at least that of the process that started the command.
_RUN = """
import atexit, sys
out = sys.argv.pop(1)
def tell():
    with open("/proc/self/status") as lines, open(out, "w") as file:
        file.write(next(line.split()[1] for line in lines if line.startswith("VmHWM")))
atexit.register(tell)
from textkin.cli import main
main()
"""


@dataclass(frozen=True, slots=True)
class Cost:
    """What a command cost: processor and clock seconds, peak memory in MiB."""

    processor: float
    clock: float
    memory: float


def texts(sentences: Sequence[str], count: int) -> Iterator[str]:
    """Draw texts; the first n of more are the same for every count.

    The text with number i, one of each ``EACH``, is the one before it with a word left out.
    """
    for start in range(0, count, _PIECE):
        rng = np.random.default_rng([0, start])
        firsts, seconds = rng.integers(len(sentences), size=(2, _PIECE)).tolist()
        places = rng.random(_PIECE).tolist()
        text = ""
        for number in range(min(_PIECE, count - start)):
            if number % EACH == EACH - 1:
                words = text.split()
                del words[int(places[number] * len(words))]
                text = " ".join(words)
            else:
                text = f"{sentences[firsts[number]]} {sentences[seconds[number]]}"
            yield text


def cost_of(arguments: Sequence[str], folder: Path) -> Cost:
    """Run a command of textkin.

    Raises:
        CalledProcessError: it failed.
    """
    peak = folder / "peak"
    command = [sys.executable, "-c", _RUN, str(peak), *arguments]
    start = time.perf_counter()
    running = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    _, status, used = os.wait4(running.pid, 0)
    clock = time.perf_counter() - start
    running.returncode = os.waitstatus_to_exitcode(status)
    if running.returncode:
        raise subprocess.CalledProcessError(running.returncode, command)
    return Cost(used.ru_utime + used.ru_stime, clock, int(peak.read_text(encoding="utf-8")) / 1024)


def commands(folder: Path) -> dict[str, list[str]]:
    """The commands by name, in the order in which they need each other."""
    source, vectors = str(folder / "texts.txt"), str(folder / "vectors.npy")
    collection, queries = str(folder / "texts.kin"), str(folder / "queries.txt")
    given = ["--embeddings", vectors, "--threshold", str(THRESHOLD)]
    by_cells = ["--recall", str(RECALL), "--ids-only", "--out", str(folder / "pairs.tsv")]
    return {
        "encode": ["encode", source, "--out", vectors],
        "mine": ["mine", source, *given, *by_cells],
        "dedupe": ["dedupe", source, *given, "--out", str(folder / "deduped")],
        "add": ["collection", "add", collection, source],
        "search": ["search", collection, queries, "-k", "10", "--out", str(folder / "found.trec")],
    }


def planted_recall(folder: Path) -> float:
    """The share of the planted pairs from the threshold on that mining found."""
    vectors = np.load(folder / "vectors.npy", mmap_mode="r")
    changed = np.arange(EACH - 1, len(vectors), EACH)
    similar = np.concatenate(
        [
            np.einsum("ij,ij->i", vectors[some], vectors[some - 1])
            for some in np.array_split(changed, len(changed) // _PIECE + 1)
        ]
    )
    wanted = set(changed[similar >= THRESHOLD].tolist())
    found = set()
    with (folder / "pairs.tsv").open(encoding="utf-8") as lines:
        next(lines)
        for line in lines:
            a, b = sorted(int(cell) - 1 for cell in line.split("\t")[1:])  # numbers of lines
            if b == a + 1 and b in wanted:
                found.add(b)
    return len(found) / len(wanted)


def fitted(sizes: Sequence[int], seconds: Sequence[float]) -> tuple[float, float]:
    """The seconds of a million texts, and of the pairs among them, that are nearest in ratio."""
    millions, spent = np.array(sizes) / 1e6, np.array(seconds)
    (linear, square), _ = nnls(
        np.stack((millions, millions**2), axis=1) / spent[:, None], np.ones(len(sizes))
    )
    return float(linear), float(square)


def measured(sentences: Sequence[str], count: int, parts: Sequence[str]) -> dict[str, Cost]:
    """Run commands on so many texts, and print what they cost."""
    costs = {}
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        with (folder / "texts.txt").open("w", encoding="utf-8") as out:
            out.writelines(f"{text}\n" for text in texts(sentences, count))
        queries = "".join(f"{sentence}\n" for sentence in sentences[:QUERIES])
        (folder / "queries.txt").write_text(queries, encoding="utf-8")
        for called in parts:
            arguments = commands(folder)[called]
            cost = costs[called] = cost_of(arguments, folder)
            told = (
                f"processor {cost.processor:,.1f} s, clock {cost.clock:,.1f} s, peak {cost.memory:,.0f} MiB"
            )
            print(f"{count:,} texts, {called}: {told}", flush=True)
        if "mine" in parts:
            print(f"{count:,} texts, mine: recall of planted pairs {planted_recall(folder):.4f}", flush=True)
    return costs


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("sentences", type=Path)
    parser.add_argument("--sizes", type=int, nargs="+", default=[100_000, 300_000, 1_000_000])
    parser.add_argument("--held", type=int, default=3_000_000)
    parser.add_argument(
        "--parts", nargs="+", choices=PARTS, default=PARTS, help="what needs others comes later"
    )
    options = parser.parse_args()
    show_setting("numpy", "numba")
    lines = options.sentences.read_text(encoding="utf-8").splitlines()
    sentences = list(dict.fromkeys(line for line in lines if line.strip()))
    sizes = [_FEW, *options.sizes, options.held]
    of_size = {size: measured(sentences, size, options.parts) for size in sizes}
    for called, held in of_size[options.held].items():
        start = of_size[_FEW][called].processor
        spent = [max(of_size[size][called].processor - start, 0.01) for size in options.sizes]
        linear, square = fitted(options.sizes, spent)
        millions = options.held / 1e6
        expected = start + linear * millions + square * millions**2
        print(
            f"{called}: {start:.1f} + {linear:.1f} m + {square:.1f} m**2 processor s for m million texts; "
            f"for {millions:g} {expected:,.0f}, measured {held.processor:,.0f} "
            f"({held.processor / expected:.2f} times)"
        )


if __name__ == "__main__":
    main()
