"""Crash tests of commands: a killed and repeated command must give undisturbed results.

Run: ``python benchmarks/kills.py [--kills 200] [--seed 0] [--commands study train ...] [--small]``

Each command first runs undisturbed. Then it is killed, by SIGKILL, SIGTERM or SIGINT: half of the kills come
after a random time, half just before a random step that changes the folder of results (a file is opened for
writing, renamed, removed, locked, ...). It is started again in the same folder, where it may be killed once
more, and finally runs to the end. Then every file must equal that of the undisturbed run, except for times
and their hashes; there must be no further file, hidden or not, and TMPDIR must be empty. SIGTERM and SIGINT
must leave no temporary file even before the next run. The exit code is 1 if anything differs.

Processes are forked from one that has imported textkin, which saves start-up time; imports write nothing.
"""

from __future__ import annotations

import argparse
import atexit
import json
import os
import random
import re
import shutil
import signal
import sys
import tempfile
import time
import traceback
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import sha256
from itertools import islice
from pathlib import Path
from typing import Any

from setting import show_setting
from textkin.cli import main as textkin
from textkin.data import samples
from textkin.data.readers.datasets.squad_parts import split_squad
from textkin.verbs.experiments.sample_files import write_pairs

_SIDES = (
    "study --models data/tiny.toml --train data/train.tsv --dev data/dev.tsv --test data/test.tsv "
    "--seeds 2 --resamples 50 --rounds 100 --out out"
)
COMMANDS = {
    "study": "study data/pairs.tsv --models data/tiny.toml --seeds 1 --resamples 50 --rounds 100 --out out",
    "train": "train data/tiny.toml --train data/train.tsv --dev data/dev.tsv --out out",
    "compare": "compare data/dev.tsv default tfidf --resamples 50 --rounds 100 --out out",
    "encode": "encode data/texts.txt --out out/v.npy",
    "mine": "mine data/texts.txt --threshold 0.97 --out out/pairs.tsv",
    "dedupe": "dedupe data/texts.txt --threshold 0.97 --sample 20 --out out",
    "hash": "hash data/texts.txt --out out/codes.npy --sample 50",
    "phrases embed contexts": "phrases embed data/contexts.json --model tfidf --out out/contexts",
    "phrases embed questions": "phrases embed data/questions.json --model tfidf --out out/asked.zip",
    "phrases index": "phrases index data/texts.txt --model tfidf --out out",
    "train spans": "train data/spans.toml --train data/town.json --dev data/town.json --out out",
    "study of sides": _SIDES,
    "study of sides --jobs": f"{_SIDES} --jobs 2",
}
SIGNALS = (signal.SIGKILL, signal.SIGKILL, signal.SIGTERM, signal.SIGINT)
STEPS = frozenset(
    {"open", "os.rename", "os.remove", "os.mkdir", "os.rmdir", "os.truncate", "os.link", "fcntl.flock"}
)
MOST_KILLS = 3  # of one folder
TEMPORARY = ("*.textkin-tmp", "*.textkin-old")
RECIPE = """
name = "tiny"

[model]
architecture = "siamese"

[model.arguments]
cell = "mean"
dim = 16

[[objectives]]
loss = "logistic"
rows = "pairs"
batch_size = 64

[training]
epochs = 4
"""
SPANS = """
base = "spans-piqa"
name = "spans"

[model.arguments]
dim = 8
hidden = 4

[training]
epochs = 3
"""
_TIME = re.compile(r"\b\d+(\.\d+)? s\b|\b\d+ min\b( \d+ s)?|\b\d+ h\b")


@dataclass(frozen=True)
class Kill:
    """A signal, and its time: after some seconds, or before the n-th step."""

    number: signal.Signals
    seconds: float | None = None
    step: int | None = None

    def __str__(self) -> str:
        when = f"after {self.seconds:.2f} s" if self.step is None else f"before step {self.step}"
        return f"{self.number.name} {when}"


@dataclass(frozen=True)
class Undisturbed:
    """The result of a command, its duration, and the number of steps that changed its folder."""

    files: dict[str, bytes]
    seconds: float
    steps: int


@dataclass(frozen=True)
class Place:
    """The environment of a command: its folder, TMPDIR, and its output."""

    folder: Path
    temporary: Path
    printed: Path

    @classmethod
    def made(cls, root: Path, name: str, data: Path) -> Place:
        """A new one, with the data."""
        place = cls(root / name, root / f"{name}.tmpdir", root / f"{name}.log")
        for folder in (place.folder, place.temporary):
            folder.mkdir()
        (place.folder / "data").symlink_to(data)
        return place

    def files(self) -> dict[str, bytes]:
        """The files, without time-dependent contents."""
        found = (item for item in sorted(self.folder.rglob("*")) if "data" not in item.parts[-2:])
        return {
            item.relative_to(self.folder).as_posix(): b"folder" if item.is_dir() else timeless(item)
            for item in found
        }

    def temporaries(self) -> list[str]:
        """Temporary files, which no ended process may leave."""
        hidden = [item for pattern in TEMPORARY for item in self.folder.rglob(pattern)]
        return [str(item.relative_to(item.parents[1])) for item in (*hidden, *self.temporary.iterdir())]


def timeless(path: Path) -> bytes:
    """A file's content without times, and without the hashes of files that contain times."""
    if path.name == "hashes.json":
        hashes = json.loads(path.read_text())
        wrong = [name for name, told in hashes.items() if sha256_of(path.parent / name) != told]
        return json.dumps([sorted(hashes), wrong]).encode()
    if path.suffix == ".json":
        return json.dumps(without_seconds(json.loads(path.read_text())), sort_keys=True).encode()
    if path.suffix == ".jsonl":
        lines = path.read_text().splitlines()
        return json.dumps([without_seconds(json.loads(line)) for line in lines], sort_keys=True).encode()
    if path.suffix in (".md", ".html"):
        return _TIME.sub("TIME", path.read_text()).encode()
    return path.read_bytes()


def sha256_of(path: Path) -> str:
    return sha256(path.read_bytes()).hexdigest()


def without_seconds(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: without_seconds(item) for key, item in value.items() if key != "seconds"}
    if isinstance(value, list):
        return [without_seconds(item) for item in value]
    return value


def write_data(folder: Path, *, texts: int, pairs: int) -> None:
    """The bundled sample as pairs, in four files, and questions with numbers as texts."""
    folder.mkdir()
    write_pairs(folder / "all.tsv")
    header, *rows = (folder / "all.tsv").read_text().splitlines()
    random.Random(0).shuffle(rows)
    sides = {"pairs": rows[:pairs], "train": rows[:pairs], "dev": rows[-400:-200], "test": rows[-200:]}
    for name, side in sides.items():
        (folder / f"{name}.tsv").write_text("\n".join([header, *side]) + "\n")
    (folder / "all.tsv").unlink()
    (folder / "tiny.toml").write_text(RECIPE)
    shutil.copyfile(samples.path("town.json"), folder / "town.json")
    split_squad(folder / "town.json", folder / "contexts.json", folder / "questions.json")
    (folder / "spans.toml").write_text(SPANS)
    inbox = samples.path("inbox.txt").read_text().splitlines()
    numbered = (f"{line} {number}" for number in range(texts) for line in inbox)
    (folder / "texts.txt").write_text("\n".join(islice(numbered, texts)) + "\n")


def start(command: str, place: Place, kill: Kill | None) -> int:
    """Fork a process that runs a command, and return its pid."""
    sys.stdout.flush()
    process = os.fork()
    if process:
        return process
    code = 99
    try:
        os.chdir(place.folder)
        os.environ["TMPDIR"] = str(place.temporary)
        tempfile.tempdir = None
        printed = os.open(place.printed, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
        os.dup2(printed, 1)
        os.dup2(printed, 2)
        arguments = command.split()
        sys.argv = ["textkin", *arguments]
        steps = Steps(place, kill)
        sys.addaudithook(steps)
        code = textkin(arguments)
        if kill is None:
            (place.printed.with_suffix(".steps")).write_text(str(steps.done))
        sys.stdout.flush()
        atexit._run_exitfuncs()
    except BaseException:
        traceback.print_exc()
    finally:
        os._exit(code)


class Steps:
    """Counts the steps that change a folder, and sends the signal before the requested one."""

    def __init__(self, place: Place, kill: Kill | None) -> None:
        self.done, self._place, self._kill = 0, place, kill

    def __call__(self, event: str, arguments: tuple[Any, ...]) -> None:
        """Handle Python's audit event."""
        if event in STEPS and changes(event, arguments, self._place):
            self.done += 1
            if self._kill is not None and self._kill.step == self.done:
                os.kill(os.getpid(), self._kill.number)


def changes(event: str, arguments: tuple[Any, ...], place: Place) -> bool:
    if event == "fcntl.flock":
        return True
    if event == "open" and not (isinstance(arguments[2], int) and arguments[2] & (os.O_WRONLY | os.O_RDWR)):
        return False
    path = arguments[0]
    if not isinstance(path, str | bytes | os.PathLike):
        return False
    name = os.path.abspath(os.fsdecode(path))  # noqa: PTH100 - a path of any sort, in a hook
    return name.startswith((str(place.folder), str(place.temporary)))


def run(command: str, place: Place, kill: Kill | None = None) -> int:
    """Run a command, kill it or not, and return its exit code, or the negated signal."""
    process = start(command, place, kill)
    if kill is not None and kill.seconds is not None:
        ends = time.monotonic() + kill.seconds
        while time.monotonic() < ends:
            done, status = os.waitpid(process, os.WNOHANG)
            if done:
                return os.waitstatus_to_exitcode(status)
            time.sleep(0.002)
        os.kill(process, kill.number)
    return os.waitstatus_to_exitcode(os.waitpid(process, 0)[1])


def undisturbed(command: str, place: Place) -> Undisturbed:
    begun = time.monotonic()
    if (code := run(command, place)) != 0:
        raise SystemExit(f"{command} ended with {code}: {place.printed.read_text()[-500:]}")
    seconds = time.monotonic() - begun
    if left := place.temporaries():
        raise SystemExit(f"{command} left {left}")
    steps = int(place.printed.with_suffix(".steps").read_text())
    return Undisturbed(place.files(), seconds, steps)


def drawn(rng: random.Random, of: Undisturbed) -> Kill:
    number = rng.choice(SIGNALS)
    if rng.random() < 0.5:
        return Kill(number, seconds=rng.uniform(0, of.seconds))
    return Kill(number, step=rng.randint(1, of.steps))


def objections(kill: Kill, code: int, place: Place, before: Sequence[str]) -> list[str]:
    """Problems right after a kill, given the temporary files before it."""
    if kill.number == signal.SIGKILL:
        return []
    found = [f"left {name}" for name in place.temporaries() if name not in before]
    if code not in (0, 128 + kill.number, -kill.number):
        found.append(f"exit code {code}: {place.printed.read_text()[-300:]}")
    return found


def differences(place: Place, expected: Undisturbed) -> list[str]:
    """Problems after the last run."""
    files, whole = place.files(), expected.files
    return [
        *(f"left {name}" for name in sorted(files.keys() - whole.keys())),
        *(f"lacks {name}" for name in sorted(whole.keys() - files.keys())),
        *(f"differs in {name}" for name in sorted(files.keys() & whole.keys()) if files[name] != whole[name]),
        *(f"left {item.name} in TMPDIR" for item in place.temporary.iterdir()),
    ]


def trial(command: str, place: Place, kills: Sequence[Kill], expected: Undisturbed) -> tuple[int, list[str]]:
    """Kill a command several times, then let it end; return the number of kills, and the problems."""
    done, wrong = 0, []
    for kill in kills:
        before = place.temporaries()
        code = run(command, place, kill)
        done += code != 0
        wrong += [f"{kill}: {one}" for one in objections(kill, code, place, before)]
    if (code := run(command, place)) != 0:
        wrong.append(f"run again: exit code {code}: {place.printed.read_text()[-300:]}")
    return done, wrong + differences(place, expected)


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--kills", type=int, default=200)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--commands", nargs="+", default=list(COMMANDS), choices=list(COMMANDS))
    parser.add_argument("--small", action="store_true", help="few texts and pairs, as the tests do")
    options = parser.parse_args()
    rng = random.Random(options.seed)
    if not options.small:
        show_setting()
    # No TemporaryDirectory: its clean-up at exit would also be run by forked processes.
    kept = tempfile.mkdtemp()
    root = Path(kept).resolve()
    data = root / "data"
    write_data(data, texts=500 if options.small else 4_000, pairs=400 if options.small else 800)
    whole = {
        name: undisturbed(COMMANDS[name], Place.made(root, f"whole-{place}", data))
        for place, name in enumerate(options.commands)
    }
    counts: Counter[str] = Counter()
    problems = 0
    for number in range(10 * options.kills):
        if counts.total() >= options.kills:
            break
        name = options.commands[number % len(options.commands)]
        kills = [drawn(rng, whole[name]) for _ in range(rng.randint(1, MOST_KILLS))]
        place = Place.made(root, f"trial-{number}", data)
        done, wrong = trial(COMMANDS[name], place, kills, whole[name])
        counts[name] += done
        for one in wrong:
            print(f"{name} ({', '.join(map(str, kills))}): {one}", flush=True)
        problems += bool(wrong)
        if not wrong:
            shutil.rmtree(place.folder)
    for name in options.commands:
        print(f"{name:15} {counts[name]:4} kills; {whole[name].seconds:.1f} s and {whole[name].steps} steps")
    print(f"{counts.total()} kills, {problems} commands that gave another result or left something")
    if not problems:
        shutil.rmtree(root)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
