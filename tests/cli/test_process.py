"""Closed and full streams, arguments that aren't text, signals."""

from __future__ import annotations

import os
import shlex
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import textkin as tk
from tests.cli.conftest import Textkin, write_pairs
from textkin.cli import app, main

COMMAND = shlex.join([sys.executable, "-m", "textkin"])


def in_shell(arguments: str, streams: str, folder: Path) -> subprocess.CompletedProcess[bytes]:
    """Run a command in a shell, which can close streams."""
    line = f"exec {COMMAND} {arguments} {streams}"
    return subprocess.run(["bash", "-c", line], cwd=folder, capture_output=True, check=False)


@pytest.mark.slow
@pytest.mark.parametrize("streams", ["2>&-", "2>/dev/full"])
def test_progress_that_nobody_can_read_decides_no_result(streams: str, texts: Path) -> None:
    found = in_shell(f"encode {texts} default --out v.npy", streams, texts.parent)
    assert found.returncode == 0
    assert b"v.npy" in found.stdout
    assert np.load(texts.parent / "v.npy").shape[0] == 5


@pytest.mark.slow
def test_an_error_that_nobody_can_read_has_its_exit_code(tmp_path: Path) -> None:
    assert in_shell("data lint none.tsv", ">&- 2>&-", tmp_path).returncode == 3


@pytest.mark.slow
@pytest.mark.parametrize(
    ("arguments", "streams"),
    [
        ("data lint pairs.tsv", ">&-"),
        ("score hi hello", ">&-"),
        ("encode t --out v.npy", "<&- >&- 2>&-"),
    ],
)
def test_a_closed_standard_output_is_a_closed_pipe(arguments: str, streams: str, tmp_path: Path) -> None:
    write_pairs(tmp_path / "pairs.tsv", stop=3)
    (tmp_path / "t").write_text("one text\n")
    found = in_shell(arguments, streams, tmp_path)
    assert found.returncode == 141
    assert b"error" not in found.stderr
    if arguments.startswith("encode"):
        assert np.load(tmp_path / "v.npy").shape[0] == 1  # and not a stream's output


@pytest.mark.slow
@pytest.mark.parametrize(
    ("arguments", "streams", "code"),
    [
        ("search c.kin -", "<&-", 0),
        ("search c.kin -", "0>w", 3),
        ("match c.kin - --threshold 0.9", "<&-", 0),
        ("match c.kin - --threshold 0.9", "0>w", 3),
        ("serve --mcp c.kin", "<&-", 0),
        ("serve --mcp c.kin", "0>w", 2),
        ("serve --mcp c.kin", "<&- >&-", 2),
        ("label pairs.tsv --out l.jsonl", "<&-", 0),
        ("label pairs.tsv --out l.jsonl", "0>w", 3),
        ("collection add c.kin -", "<&-", 3),
        ("collection add c.kin -", "0>w", 3),
        ("dedupe - --out d", "<&-", 3),
    ],
)
def test_a_closed_standard_input_is_empty(arguments: str, streams: str, code: int, tmp_path: Path) -> None:
    with tk.open_collection(tmp_path / "c.kin", create=True) as notes:
        notes.add(["Where can I park?"])
    (tmp_path / "pairs.tsv").write_text("text_a\ttext_b\tscore\nWhere to park?\tWhere can I park?\t0.95\n")
    found = in_shell(arguments, streams, tmp_path)
    assert found.returncode == code, found.stderr


def test_an_argument_that_is_no_utf8_is_refused(textkin: Textkin) -> None:
    found = textkin("data", "lint", os.fsdecode(b"caf\xe9.tsv"))
    assert found.code == 2
    assert found.error == "the argument 'caf\\\\xe9.tsv' is not UTF-8; rename the file"


ENDED = """
import signal, sys
from pathlib import Path

from textkin.base.files import atomic_text, resumable
from textkin.cli import app, main

number = signal.Signals(int(sys.argv[1]))

def command():
    with resumable(Path("part")), atomic_text(Path("out")):
        Path("part").touch()
        try:
            signal.raise_signal(number)
        finally:
            if number != signal.SIGINT:
                signal.raise_signal(number)  # terminating a group sends it twice

app.function_of = lambda _: command
# Shells make background processes ignore SIGINT.
signal.signal(signal.SIGINT, signal.default_int_handler)
signal.signal(signal.SIGHUP, signal.SIG_DFL)
code = main(["doctor"])
assert [signal.getsignal(each) for each in (signal.SIGTERM, signal.SIGHUP)] == [signal.SIG_DFL] * 2
sys.exit(code)
"""


@pytest.mark.slow
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP, signal.SIGINT])
def test_signals_end_a_command_in_order(number: signal.Signals, tmp_path: Path) -> None:
    found = subprocess.run(
        [sys.executable, "-c", ENDED, str(number.value)], cwd=tmp_path, capture_output=True, text=True
    )
    kept = "part keeps what is done, and the same call goes on from there"
    assert (found.returncode, found.stderr) == (128 + number, f"textkin: interrupted; {kept}\n")
    assert [item.name for item in tmp_path.iterdir()] == ["part"]


def test_what_a_process_was_told_to_ignore_it_ignores(monkeypatch: pytest.MonkeyPatch) -> None:
    done = []

    def command() -> None:
        done.append(signal.raise_signal(signal.SIGHUP))

    monkeypatch.setattr(app, "function_of", lambda _: command)
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        assert main(["doctor"]) == 0
    finally:
        signal.signal(signal.SIGHUP, before)
    assert done == [None]
