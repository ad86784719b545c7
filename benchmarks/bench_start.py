"""Start-up cost of the first commands in processor seconds, compared with their imports.

Run: ``python benchmarks/bench_start.py [--turns 9] [--texts 300]`` Each turn runs every command once in its
own process. The minimum of user and system time counts, as other load only adds to it. The ratio to the
libraries' own imports is the result.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
from pathlib import Path

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


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--turns", type=int, default=9)
    parser.add_argument("--texts", type=int, default=300)
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


if __name__ == "__main__":
    main()
