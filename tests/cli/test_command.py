"""Common parts of all commands: ``-`` for standard input and output, and verbosity."""

from __future__ import annotations

import logging
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.conftest import Textkin, write_pairs
from tests.giving_input import standard_input
from textkin import __version__
from textkin.cli.app import commands
from textkin.cli.command import OUTPUTS

TEXTS = b"Can I pay by card?\nWhen do you open?\nCan I pay with a card?\nWho was Emma?\n"
COMMAND = [sys.executable, "-m", "textkin"]


@pytest.mark.parametrize(
    "arguments",
    [
        ("mine", "-", "--threshold", "0.5", "--out", "-"),
        ("cluster", "-", "--threshold", "0.5", "--out", "-"),
    ],
)
def test_texts_in_and_a_table_out(textkin: Textkin, tmp_path: Path, arguments: tuple[str, ...]) -> None:
    file, table = tmp_path / "texts.txt", tmp_path / "table.tsv"
    file.write_bytes(TEXTS)
    names = iter([str(file), str(table)])
    by_files = textkin(*(next(names) if one == "-" else one for one in arguments))
    with standard_input(TEXTS):
        piped = textkin(*arguments)
    assert (by_files.code, piped.code) == (0, 0)
    assert piped.out == table.read_text(encoding="utf-8") and piped.out.count("\n") > 1
    assert "written to standard output" in piped.err, "what stands on standard output otherwise"


def test_pairs_in_and_scores_out(textkin: Textkin, tmp_path: Path) -> None:
    pairs, out = write_pairs(tmp_path / "pairs.tsv"), tmp_path / "scored.tsv"
    assert textkin("score", "--model", "tfidf", "--pairs", pairs, "--out", out).code == 0
    with standard_input(pairs.read_bytes()):
        piped = textkin("score", "--model", "tfidf", "--pairs", "-", "--out", "-", "-q")
    assert (piped.code, piped.err) == (0, "")
    assert piped.out == out.read_text(encoding="utf-8")


def test_a_split_of_what_was_piped_in_is_that_of_the_file(textkin: Textkin, tmp_path: Path) -> None:
    pairs = write_pairs(tmp_path / "pairs.tsv")
    assert textkin("data", "split", pairs, "--out", tmp_path / "a").code == 0
    with standard_input(pairs.read_bytes()):
        assert textkin("data", "split", "-", "--out", tmp_path / "b").code == 0
    for name in ("train.tsv", "dev.tsv", "test.tsv"):
        assert (tmp_path / "a" / name).read_bytes() == (tmp_path / "b" / name).read_bytes()


@pytest.mark.slow
def test_a_collection_is_fed_and_asked(textkin: Textkin, tmp_path: Path) -> None:
    collection = tmp_path / "c.kin"
    with standard_input(TEXTS):
        assert textkin("collection", "add", collection, "-").code == 0
    with standard_input(b"opening hours\n"):
        run = textkin("search", collection, "-", "--out", "-", "-k", "1")
    assert run.out.count("\n") == 1 and run.out.startswith("1 Q0 ")
    entries = textkin("collection", "export", collection, "--out", "-").out.splitlines()
    assert len(entries) == 4 and all(line.startswith('{"id": ') for line in entries)
    matching = ("match", collection, "-", "--threshold", "0.9", "--out", "-")
    with standard_input(TEXTS):
        assert textkin(*matching).out.count("\n") == 5
    with standard_input(TEXTS):
        assert "a stopped call goes on" in textkin(*matching, "--add").error


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("mine", "-", "--against", "-", "--out", "x.tsv"), "standard input (-) is named 2 times, by"),
        (("compare", "p.tsv", "tfidf", "--table", "-", "--report", "-"), "standard output (-) is named 2"),
        (("mine", "t.txt", "--out", "-", "--json"), "--json and --out - both want standard output"),
        (("encode", "t.txt", "--out", "-"), "--out is '-'"),
        (("dedupe", "t.txt", "--out", "-"), "--out is '-'"),
        (("score", "a", "b", "--decision", "-"), "--decision can't be standard input"),
        (("label", "-"), "standard input (-) can't be used here"),
        (("mine", "t.txt", "--out", "t.txt", "-q", "-v"), "--quiet and --verbose can't be combined"),
    ],
)
def test_what_can_not_be_is_told(
    textkin: Textkin, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, arguments: tuple[str, ...], words: str
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("t.txt").write_bytes(TEXTS)
    write_pairs(Path("p.tsv"))
    with standard_input(TEXTS):
        found = textkin(*arguments)
    assert found.code == 2 and words in found.error
    assert sorted(path.name for path in tmp_path.iterdir()) == ["p.tsv", "t.txt"]


def test_broken_input_is_named_with_its_line(textkin: Textkin) -> None:
    with standard_input(b"a\tb\nc\td\xff\n"):
        found = textkin("score", "--model", "tfidf", "--pairs", "-")
    assert found.code == 3 and found.error.startswith("standard input:2: byte 0xff")
    with standard_input(b"one word\tother word\nc\t\nmy word\tword\n"):
        found = textkin("score", "--model", "tfidf", "--pairs", "-", "-q")
    assert "standard input: 3 rows, 2 kept; skipped 1" in found.err, "skips are told by quiet commands too"


@pytest.mark.slow
def test_a_reader_that_has_enough_is_no_error(tmp_path: Path) -> None:
    """As in ``textkin ... | head -1``."""
    pairs = tmp_path / "pairs.tsv"
    pairs.write_text("".join(f"how is {number} so\thow is {number} then\n" for number in range(20_000)))
    with (
        pairs.open("rb") as stream,
        subprocess.Popen(
            [*COMMAND, "score", "--model", "tfidf", "--pairs", "-", "--out", "-"],
            stdin=stream,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        ) as process,
    ):
        assert process.stdout is not None and process.stderr is not None
        assert process.stdout.readline() == b"row\ttext_a\ttext_b\tscore\n"
        process.stdout.close()
        assert b"rror" not in process.stderr.read()
    assert process.returncode == 141


@pytest.mark.slow
def test_quiet_and_verbose_mean_the_same_everywhere(textkin: Textkin, tmp_path: Path) -> None:
    texts = tmp_path / "texts.txt"
    texts.write_bytes(TEXTS)
    call = ("mine", texts, "--out", tmp_path / "pairs.tsv")
    usual, quiet, verbose = (textkin(*call, *more) for more in ((), ("-q",), ("-v",)))
    assert quiet.err == "" and quiet.out != ""
    assert "ignores word order" in usual.err and "in all: " not in usual.err
    for words in (f"textkin: {texts}: 4 rows, 4 kept", "textkin: model default, from ", "in all: "):
        assert words in verbose.err
    assert textkin("-q", *call).err == "", "before the command as well"
    assert logging.getLogger("textkin").level == 0, "and the next call is as usual"


def test_the_version_wherever_it_is_asked_for(textkin: Textkin) -> None:
    for arguments in (("-V",), ("mine", "-V"), ("phrases", "search", "--version")):
        assert textkin(*arguments).out == f"textkin {__version__}\n"


def test_what_is_written_is_known_by_its_name() -> None:
    """This prevents two outputs from sharing standard output, and an input from being taken for an output."""
    starts = ("Write", "File to write", "The table to", "The table as", "Also write", "Where the")
    written = {
        option.name
        for command in commands()
        for option in command.options
        if option.kind is Path and option.option.help.startswith(starts)
    }
    assert written - {"contexts", "questions"} <= OUTPUTS  # phrases split writes both
