"""One table of textkin's speeds on this machine, with their goals and the figures on record.

Run: ``python3 dev.py bench --all [--texts FILE] [--only PART ...]``

Each benchmark of ``goals.toml`` runs in a process of its own, on little data: on questions made of halves of
the bundled ones, or on FILE, one text a line. Ratios are to the peer named, in the same run. They are rougher
than those on record, and of less data. A peer that isn't installed, or a benchmark that fails, is named in
its rows.
"""

from __future__ import annotations

import argparse
import json
import re
import shlex
import subprocess
import sys
import tempfile
import time
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
from results import ROOT
from results.entries import Subject, WrongResult, cell, read_results

from textkin.data import samples

GOALS = ROOT / "benchmarks" / "goals.toml"
HEAD = ("work", "beside", "here", "goal", "on record")
_COUNT, _CORPUS = 100_000, 20_000  # texts, and those of the BEIR folder
_QUERIES = 300
_RANGE = r"(?: \([\d.]+ to [\d.]+\))?"
_FIGURES = {"least": rf"(?:ratio|x) ([\d.]+){_RANGE}", "most": rf"([\d.]+) s{_RANGE}"}
_MISSING = re.compile(r"(?:No module named|No package metadata was found for) '?([\w-]+)")


def main() -> int:
    """Run the benchmarks and print the table; 1 if one failed."""
    parser = argparse.ArgumentParser(
        prog="dev.py bench --all", description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--texts", type=Path, help="one a line")
    parser.add_argument("--only", nargs="+", default=[], help="benchmarks by name, such as bench_join")
    asked = parser.parse_args()
    known, rows = read_results(), list[tuple[str, ...]]()
    with tempfile.TemporaryDirectory() as folder:
        places = prepared(Path(folder), made_up() if asked.texts is None else read(asked.texts))
        for run in runs():
            command = shlex.split(run["bench"].format(**places))
            if not asked.only or command[0] in asked.only:
                start = time.monotonic()
                rows += rows_of(run, output(command), known)
                print(f"{time.monotonic() - start:4.0f} s {run['bench']}", file=sys.stderr, flush=True)
    print("\n".join(table([HEAD, *rows])))
    return int(any(row[2].startswith("failed") for row in rows))


def runs() -> list[Mapping[str, Any]]:
    """The benchmarks with their rows."""
    return list(tomllib.loads(GOALS.read_text(encoding="utf-8"))["run"])


def made_up() -> list[str]:
    """Questions that begin as one of the sample and end as another."""
    known = [text.split() for _, _, text in samples.rows("questions.tsv")]
    whole = dict.fromkeys(
        " ".join(one[: len(one) // 2] + other[len(other) // 2 :]) for one, other in product(known, known)
    )
    return [str(text) for text in np.random.default_rng(0).permutation(list(whole))[:_COUNT]]


def read(path: Path) -> list[str]:
    """The distinct texts of a file that are counted."""
    return [text for text in dict.fromkeys(path.read_text(encoding="utf-8").splitlines()) if text][:_COUNT]


def prepared(folder: Path, texts: Sequence[str]) -> dict[str, Path]:
    """What commands name in braces: texts, their vectors by the built-in encoder, a BEIR folder of them."""
    from textkin.kinds.systems import load_encoder

    places = {name: folder / name for name in ("texts", "vectors.npy", "beir")}
    places["texts"].write_text("".join(f"{text}\n" for text in texts), encoding="utf-8")
    np.save(places["vectors.npy"], load_encoder().encode(texts))
    (places["beir"] / "qrels").mkdir(parents=True)
    for name, some in (("corpus", texts[:_CORPUS]), ("queries", texts[:_QUERIES])):
        lines = (json.dumps({"_id": f"{name}{place}", "text": text}) for place, text in enumerate(some))
        (places["beir"] / f"{name}.jsonl").write_text("".join(f"{line}\n" for line in lines))
    judged = "".join(f"queries{place}\tcorpus{place}\t1\n" for place in range(min(_QUERIES, len(texts))))
    (places["beir"] / "qrels" / "test.tsv").write_text(judged)
    return {"texts": places["texts"], "vectors": places["vectors.npy"], "beir": places["beir"]}


def output(command: Sequence[str]) -> str:
    """What a benchmark prints, errors last."""
    script, *options = command
    called = [sys.executable, str(ROOT / "benchmarks" / f"{script}.py"), *options]
    done = subprocess.run(called, cwd=ROOT, capture_output=True, text=True, check=False)
    return f"{done.stdout}\n{done.stderr if done.returncode else ''}"


def rows_of(run: Mapping[str, Any], printed: str, known: Sequence[Subject]) -> Iterator[tuple[str, ...]]:
    """The rows of one benchmark."""
    for row in run["row"]:
        bound = "most" if "most" in row else "least"
        found = re.search(rf"^ *{re.escape(row['line'])}.*?{_FIGURES[bound]}", printed, re.MULTILINE)
        if found:
            here = found[0][found.start(1) - found.start() :]
        elif missing := _MISSING.search(printed):
            here = f"{missing[1]} is not installed"
        else:
            here = f"failed: {(printed.strip() or 'nothing was printed').splitlines()[-1][:60]}"
        goal = ""
        if bound in row:
            missed = found and (
                float(found[1]) < row["least"] if bound == "least" else float(found[1]) > row["most"]
            )
            goal = f"{row[bound]} s" if bound == "most" else f"{row[bound]}"
            goal = f"at {bound} {goal}{', missed' if missed else ''}"
        yield (
            row["work"],
            row.get("peer", run.get("peer", "")),
            here,
            goal,
            on_record(row.get("record", ""), known),
        )


def on_record(place: str, known: Sequence[Subject]) -> str:
    """The figure at "page / entry / row / column"; "" without a place."""
    if not place:
        return ""
    page, title, row, column = place.split(" / ")
    for subject in known:
        for entry in subject.entries:
            if (subject.name, entry.title) == (page, title) and (figure := cell(entry.tables, row, column)):
                return figure
    raise WrongResult(f"{place} leads to no figure")


def table(rows: Sequence[Sequence[str]]) -> Iterator[str]:
    """The rows with columns of one width."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        yield "  ".join(text.ljust(width) for text, width in zip(row, widths, strict=True)).rstrip()


if __name__ == "__main__":
    sys.exit(main())
