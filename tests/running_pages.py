"""Pages of Markdown as programs: their commands, Python and files, and their shown output.

A comment on the line above a block excludes a step, with the reason: ``<!-- parsed only: ... -->`` for
commands, ``<!-- not run: ... -->`` for anything, ``<!-- figures near: ... -->`` for output, whose numbers may
then differ by .03 or by 5 %, as those of a training do from processor to processor.
"""

import contextlib
import io
import os
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.cli.conftest import parse
from textkin.cli import main

BLOCK = re.compile(
    r"(?:^<!-- (?P<exception>parsed only|not run|figures near): [^>]+ -->\n)?"
    r"^```(?P<kind>\w*)\n(?P<text>.*?)^```$",
    re.MULTILINE | re.DOTALL,
)
FILE = re.compile(r"# (\S+\.\w+)\n")
NUMBER = re.compile(r"\d[\d,]*\.?\d*|\.\d+")
SHELL = re.compile(r" [|<>] |^(?!textkin )")


@dataclass(frozen=True)
class Block:
    """A block of code, with the exclusion in a comment above it."""

    kind: str
    text: str
    exception: str | None
    line: int

    @property
    def commands(self) -> list[str]:
        """The command lines, with continuations joined, without comments."""
        lines = self.text.replace("\\\n", " ").split("\n")
        return [line for line in (re.sub(r"\s+# .*", "", line).strip() for line in lines) if line]


def blocks(text: str) -> Iterator[Block]:
    """The blocks of a page that begin a line."""
    for found in BLOCK.finditer(text):
        yield Block(
            found["kind"], found["text"], found["exception"], text.count("\n", 0, found.start("text")) + 1
        )


def run_page(text: str) -> Iterator[str]:
    """Run a page in the working folder; return its differences from the shown output, by line."""
    said: str = ""
    names: dict[str, Any] = {"__name__": "page"}
    for block in blocks(text):
        if block.exception == "not run":
            said = ""
        elif block.exception == "parsed only":
            said = ""
            for line in block.commands:
                parse_if_ours(line)
        elif block.kind in ("console", "bash"):
            said = "".join(run(line) for line in block.commands)
        elif file := block.kind in ("python", "toml") and FILE.match(block.text):
            Path(file[1]).write_text(block.text, encoding="utf-8")
        elif block.kind == "python":
            said = run_python(block.text, names)
        elif block.kind in ("", "text") and said:
            missing = first_missing(block.text, said, loosely=block.exception == "figures near")
            if missing:
                yield f"line {block.line}: {missing!r} is not in what was said:\n{said}"


def parse_if_ours(line: str) -> None:
    """Parse a command of textkin; others are skipped."""
    if line.startswith("textkin "):
        parse(line)


def run(line: str) -> str:
    """Run a command, in this process if it is textkin's and needs no shell; return its output."""
    if SHELL.search(line):
        path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
        done = subprocess.run(
            ["bash", "-c", line], capture_output=True, text=True, env=os.environ | {"PATH": path}, check=False
        )
        code, out, err = done.returncode, done.stdout, done.stderr
    else:
        with (
            contextlib.redirect_stdout(io.StringIO()) as output,
            contextlib.redirect_stderr(io.StringIO()) as errors,
        ):
            code = main(shlex.split(line)[1:])
        out, err = output.getvalue(), errors.getvalue()
    assert code == 0, f"{line}: exit code {code}\n{out}{err}"
    return f"{out}\n{err}\n"


def run_python(text: str, names: dict[str, Any]) -> str:
    """Run Python with the page's names; return its output."""
    with contextlib.redirect_stdout(io.StringIO()) as output:
        exec(compile(text, "<page>", "exec"), names)
    return output.getvalue()


def first_missing(shown: str, said: str, *, loosely: bool = False) -> str | None:
    """The first shown word missing from the output, in order; columns and lines may be omitted.

    A number may differ by one in its last decimal, or loosely by .03 or 5 %. Rules and times don't count.
    """
    rest = iter(words(said))
    for word in words(shown):
        if not any(alike(word, other, loosely) for other in rest):
            return word
    return None


def words(text: str) -> list[str]:
    """The words of output, without times."""
    text = re.sub(r"\d+(\.\d+)? (s|min|ms)\b(?! *\()", "", text)
    return [word for word in text.split() if word.strip(".─")]


def alike(shown: str, said: str, loosely: bool) -> bool:
    """True if two words are equal, or equal except for similar numbers."""
    if shown == said:
        return True
    if NUMBER.sub("0", shown) != NUMBER.sub("0", said):
        return False
    pairs = zip(NUMBER.findall(shown), NUMBER.findall(said), strict=True)
    return all(near(ours, theirs, loosely) for ours, theirs in pairs)


def near(shown: str, said: str, loosely: bool) -> bool:
    ours, theirs = float(shown.replace(",", "")), float(said.replace(",", ""))
    if loosely:
        return abs(ours - theirs) <= max(0.03, 0.05 * ours)
    decimals = len(shown.partition(".")[2])
    if not decimals or decimals != len(said.partition(".")[2]):
        return shown == said
    return abs(ours - theirs) < 1.5 * 10**-decimals
