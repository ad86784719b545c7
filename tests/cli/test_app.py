"""The frame of all commands: help, errors in one line, exit codes, interruptions, closed pipes."""

from __future__ import annotations

import errno
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

import textkin as tk
from tests.cli.conftest import Textkin, parse, write_pairs
from textkin import __version__
from textkin.base import errors
from textkin.base.errors import TextkinError
from textkin.base.spelling import Spelling
from textkin.cli import app, main
from textkin.cli.command import _parsed
from textkin.cli.commands import FRONT, GROUPS, listed

COMMAND = [sys.executable, "-m", "textkin"]
NAMES = list(listed())


def failing(monkeypatch: pytest.MonkeyPatch, error: BaseException) -> None:
    """Make ``doctor`` raise."""

    def command() -> None:
        raise error

    monkeypatch.setattr(app, "function_of", lambda _: command)
    monkeypatch.delenv("TEXTKIN_DEBUG", raising=False)


def test_help_describes_the_front_and_names_the_others(textkin: Textkin) -> None:
    found = textkin("--help").out
    described = re.findall(r"^  ([a-z-]+)", found.split("Commands:\n")[1].split("\n\n")[0], re.MULTILINE)
    others = found.split("More commands:")[1].split(".\n\n")[0].replace(",", " ").split()
    assert (sorted(described), sorted(described + others)) == (sorted(FRONT), sorted(NAMES))
    assert len(found.split()) < 200


def test_help_all_lists_the_commands_in_their_order(textkin: Textkin) -> None:
    found = textkin("--help-all")
    assert found.code == 0 and found.err == ""
    listed = re.findall(r"^  ([a-z-]+)", found.out.split("Commands:\n")[1].split("\n\n")[0], re.MULTILINE)
    assert listed == NAMES
    assert textkin().out == textkin("-h").out == textkin("--help").out


@pytest.mark.slow
def test_a_command_imports_no_other() -> None:
    code = (
        "import sys; from textkin.cli.app import build; build(['data', 'lint', 'a.tsv']); print(*sys.modules)"
    )
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert (
        "textkin.verbs.data.lint" in loaded.split()
        and "textkin.verbs.experiments.study" not in loaded.split()
    )


def test_version(textkin: Textkin) -> None:
    assert textkin("--version").out == textkin("-V").out == f"textkin {__version__}\n"


def commands() -> dict[str, list[str]]:
    """The examples of each command and subcommand."""
    return {" ".join(one.path): app.examples(*one.path) for one in app.commands()}


@pytest.mark.parametrize("name", commands())
def test_help_of_a_command_ends_in_its_examples(textkin: Textkin, name: str) -> None:
    found = textkin(*name.split(), "--help")
    assert found.code == 0
    assert "--json" in found.out
    examples = found.out.split("Examples:\n")[1].splitlines()
    assert examples and all(line.startswith(f"  textkin {name}") for line in examples)


def test_every_example_is_one_of_a_command() -> None:
    lines = (Path(app.__file__).parent / "examples.txt").read_text(encoding="utf-8").split("\n")
    assert sorted(filter(None, lines)) == sorted(line for found in commands().values() for line in found)


@pytest.mark.parametrize(
    "name",
    ["calibrate", "compare", "data negatives", "dedupe", "label", "match", "mine", "search", "study"],
)
def test_help_of_the_large_commands_is_short(textkin: Textkin, name: str) -> None:
    short, whole = textkin(*name.split(), "--help").out, textkin(*name.split(), "--help-all").out
    assert len(short.split()) < 250 and len(short) < len(whole)


@pytest.mark.parametrize("group", GROUPS)
def test_help_of_a_group_lists_its_commands(textkin: Textkin, group: str) -> None:
    found = textkin(group, "--help")
    shown = found.out.split("Commands:\n")[1].split("\n\n")[0]
    names = list(listed(group))
    assert re.findall(r"^  ([a-z-]+)", shown, re.MULTILINE) == names
    assert f"Examples:\n  textkin {group} {names[0]} " in found.out
    assert textkin(group).code == 2


@pytest.mark.parametrize("words", ["DATA --agreement A B", "--agreement DATA A B", "DATA A --agreement B"])
def test_an_option_may_stand_between_arguments(words: str) -> None:
    _, found = _parsed(["compare", *words.split()], None, {})
    assert (found["data"], [*found["models"]], found["agreement"]) == (Path("DATA"), ["A", "B"], True)


def test_a_message_names_a_verbs_command() -> None:
    for command in app.commands():
        name = command.function.__name__
        if getattr(tk, name, None) is command.function:
            assert Spelling("command").verb(name) == command.words


@pytest.mark.parametrize("examples", commands().values(), ids=commands())
def test_the_examples_can_be_parsed(
    examples: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for example in examples:
        parse(example)


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (["nosuch"], "no command 'nosuch'; choose one of: demo, "),
        (["--nosuch"], "no option --nosuch; see: textkin --help"),
        (["split", "a.tsv"], "no command 'split'; did you mean 'data split'?"),
        (["docto"], "no command 'docto'; did you mean 'doctor'?"),
        (["evaluat"], "no command 'evaluat'; did you mean 'compare'?"),
        (["mine", "a.txt", "minilm"], "one argument too many: 'minilm'; a model is named: --model minilm; "),
        (["add", "c.kin", "a.txt"], "no command 'add'; did you mean 'collection add'?"),
        (["add", "--help"], "no command 'add'; did you mean 'collection add'?"),
        (["collection", "ad"], "no command 'ad'; did you mean 'add'?"),
        (["collection"], "the command is missing; see: textkin collection --help"),
        (["collection", "add", "c.kin"], "TEXTS is missing; see: textkin collection add --help"),
        (["data", "lint"], "FILES is missing; see: textkin data lint --help"),
        (["data", "lint", "a.tsv", "--quoting", "x"], "--quoting is 'x'; choose one of: auto, csv, none"),
        (["data", "lint", "a.tsv", "--quotin", "x"], "no option --quotin; did you mean '--quoting'?"),
        (["phrases", "search", "p", "--probe", "4"], "no option --probe; see: textkin phrases search --help"),
        (["study", "a.tsv"], "--out is missing; see: textkin study --help"),
        (["data", "split", "a.tsv", "b.tsv", "--out", "s"], "one argument too many: 'b.tsv'"),
        (["data", "split", "a.tsv", "--out", "s", "--out", "t"], "--out is given twice"),
        (
            ["data", "split", "a.tsv", "--out", "s", "--seed", "-1"],
            "--seed is -1, expected a number",
        ),
        (["data", "split", "a.tsv", "--out", "s", "--seed", "x"], "--seed: 'x' is not a whole number"),
        (["data", "split", "a.tsv", "--out", "s", "--seed", "1.5"], "--seed: '1.5' is not a whole number"),
    ],
)
def test_a_wrong_argument_is_one_line_and_exit_code_2(
    textkin: Textkin, arguments: list[str], expected: str
) -> None:
    found = textkin(*arguments)
    assert found.code == 2
    assert expected in found.error


def test_every_textkin_error_is_one_line_with_its_exit_code(
    textkin: Textkin, monkeypatch: pytest.MonkeyPatch
) -> None:
    kinds = [
        kind for kind in vars(errors).values() if isinstance(kind, type) and issubclass(kind, TextkinError)
    ]
    assert len(kinds) == 12
    for kind in kinds:
        error = (
            kind("pack", extra="x") if kind is errors.MissingExtraError else kind("two\nlines", fix="mend it")
        )
        failing(monkeypatch, error)
        found = textkin("doctor")
        assert found.code == kind.exit_code
        assert found.error == str(error).replace("\n", " ")


def test_a_defect_is_one_line_and_exit_code_70(textkin: Textkin, monkeypatch: pytest.MonkeyPatch) -> None:
    failing(monkeypatch, ZeroDivisionError("odd"))
    found = textkin("doctor")
    assert found.code == 70
    assert found.error.startswith(
        "this is a defect of textkin: ZeroDivisionError: odd; run again with TEXTKIN_DEBUG=1"
    )


def test_a_defect_shows_its_traceback_when_asked(textkin: Textkin, monkeypatch: pytest.MonkeyPatch) -> None:
    failing(monkeypatch, ZeroDivisionError("odd"))
    monkeypatch.setenv("TEXTKIN_DEBUG", "1")
    found = textkin("doctor")
    assert found.code == 70
    assert "Traceback" in found.err and "in command" in found.err


def test_an_interrupt_is_one_line_and_exit_code_130(
    textkin: Textkin, monkeypatch: pytest.MonkeyPatch
) -> None:
    failing(monkeypatch, KeyboardInterrupt())
    found = textkin("doctor")
    assert (found.code, found.out, found.err) == (130, "", "textkin: interrupted\n")


def test_a_command_can_choose_its_exit_code(textkin: Textkin, monkeypatch: pytest.MonkeyPatch) -> None:
    failing(monkeypatch, SystemExit(1))
    assert textkin("doctor").code == 1


def test_another_os_error_is_a_defect(textkin: Textkin, monkeypatch: pytest.MonkeyPatch) -> None:
    failing(monkeypatch, OSError(errno.ENOTCONN, "not connected"))
    assert textkin("doctor").code == 70


@pytest.mark.slow
def test_a_closed_pipe_is_quiet() -> None:
    read, write = os.pipe()
    os.close(read)
    found = subprocess.run([*COMMAND, "train", "--list"], stdout=write, stderr=subprocess.PIPE, check=False)
    os.close(write)
    assert (found.returncode, found.stderr) == (141, b"")


@pytest.mark.slow
@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no /dev/full on this system")
@pytest.mark.parametrize("arguments", [["train", "--list"], ["--help"]])
def test_a_full_disk_behind_standard_output_is_one_line(arguments: list[str]) -> None:
    with Path("/dev/full").open("w") as full:
        found = subprocess.run([*COMMAND, *arguments], stdout=full, stderr=subprocess.PIPE, check=False)
    assert found.returncode == 7
    assert found.stderr == b"textkin: error: can't write the output: No space left on device\n"


@pytest.mark.slow
def test_what_the_output_encoding_lacks_is_escaped(tmp_path: Path) -> None:
    path = write_pairs(tmp_path / "p\u00e4irs.tsv", stop=3)
    environment = {**os.environ, "PYTHONIOENCODING": "ascii"}
    for arguments in (["data", "lint", str(path)], ["data", "lint", str(path), "--json"]):
        found = subprocess.run([*COMMAND, *arguments], env=environment, capture_output=True, check=False)
        assert found.returncode == 0, found.stderr
        assert found.stdout.isascii() and b"irs.tsv" in found.stdout


def test_the_documented_exit_codes_are_those_of_the_errors(textkin: Textkin) -> None:
    """In the guide as in the help; the codes are tested above."""
    page = (Path(__file__).parents[2] / "docs/commands.md").read_text(encoding="utf-8")
    listed = page.partition("## Exit codes")[2].split("\n- ")[1:]
    documented = {int(code) for line in listed for code in line.partition(":")[0].split(",")}
    known = {
        kind.exit_code
        for kind in vars(errors).values()
        if isinstance(kind, type) and issubclass(kind, TextkinError) and kind is not TextkinError
    }
    assert documented == known | {0, 1, 11, 12, 70, 129, 130, 141, 143}
    shown = textkin("--help-all").out.partition("Exit codes:")[2]
    assert all(re.search(rf"\b{code} [a-z]", shown) for code in known | {0, 1})


@pytest.mark.parametrize(
    ("code", "arguments"),
    [
        (0, ("train", "--list")),
        (2, ("score", "one text")),
        (2, ("no-such-command",)),
        (2, ("mine", "--no-such-option")),
        (3, ("score", "--pairs", "missing.tsv")),
        (3, ("score", "--pairs", "broken.tsv")),
        (4, ("train", "no-such-recipe", "--show")),
        (4, ("train", "--list", "--config", "missing.toml")),
        (5, ("score", "a", "b", "--model", "no/such/model")),
        (7, ("score", "--pairs", "pairs.tsv", "--out", "pairs.tsv/x.tsv")),
        (10, ("mine", "texts.txt", "--precision", "0.9", "--out", "x.tsv")),
    ],
)
def test_what_leads_to_which_exit_code(
    textkin: Textkin, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, code: int, arguments: tuple[str, ...]
) -> None:
    monkeypatch.chdir(tmp_path)
    write_pairs(Path("pairs.tsv"))
    Path("texts.txt").write_text("one text\nother text\n")
    Path("broken.tsv").write_bytes(b"a\tb\nc\t\xff\n")
    found = textkin(*arguments)
    assert found.code == code
    if code:
        assert found.error


def test_texts_with_backticks_stay_as_they_are(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    texts = tmp_path / "texts.txt"
    texts.write_text("how does `precision` work\nwhen does `label()` take `long=accept`\n")
    for words in (["search", str(texts), "label"], ["match", str(texts), "does `precision` work"]):
        assert main(words) == 0
        out = capsys.readouterr().out
        assert "how does `precision` work" in out and "--precision" not in out and "textkin label" not in out
