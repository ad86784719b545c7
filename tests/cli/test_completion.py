"""Completions, and the scripts in the installed shells."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.conftest import Textkin
from textkin.cli.commands import COMMANDS, listed
from textkin.cli.completion_candidates import complete
from textkin.networks.recipes.files import bundled_recipes


def words(*given: str) -> list[str]:
    return complete(given, "bash").splitlines()


def test_commands() -> None:
    assert words("") == list(listed())
    assert words("collection", "") == list(listed("collection"))
    assert words("-q", "collection", "rem") == ["remove"]
    assert words("mi") == ["mine"]
    assert words("-q", "de") == ["demo", "dedupe"]
    assert words("phrases", "embed") == ["embed-contexts", "embed-questions"]
    assert words("no-such", "") == list(listed())


def test_options() -> None:
    assert words("mine", "texts.txt", "--thr") == ["--threshold"]
    assert {"-q", "--config", "--help", "--out"} <= set(words("mine", "-"))
    assert words("phrases", "search", "--mo") == ["--model"]
    assert words("--ver") == ["--verbose", "--version"]


def test_values_behind_an_equals_sign() -> None:
    given = ("compare", "data.tsv", "default")
    assert words(*given, "--questions", "=", "an") == ["answered"]  # as bash splits it
    assert words(*given, "--questions", "=") == ["answered", "mixed", "all"]
    assert complete((*given, "--questions=an"), "fish") == "--questions=answered\n"
    assert words("compare", "d.tsv", "--questions", "=", "all", "mini") == ["minilm"]
    assert words("compare", "data.tsv", "--run", "x", "=") == []  # a file


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        (("mine", "texts.txt", "--unknown", ""), {"withhold", "accept"}),
        (("mine", "texts.txt", "--dtype", "b"), {"bf16"}),
        (("mine", "texts.txt", "--model", "mini"), {"minilm"}),
        (("score", "--model", "mini"), {"minilm"}),
        (("compare", "test.tsv", "bm25", "tfidf-"), {"tfidf-char"}),
        (("lint", "--format", "tri"), {"triplets"}),
        (("score", "--analyser", "germ"), {"german"}),
        (("dedupe", "texts.txt", "--guards", "n"), {"numbers", "negation", "names", "none"}),
        (("match", "c.kin", "--guards", "con"), {"content"}),
        (("completion", ""), {"bash", "zsh", "fish"}),
        (("train", ""), set(bundled_recipes())),
        (("recipes", "mini"), {name for name in bundled_recipes() if name.startswith("mini")}),
    ],
)
def test_values(given: tuple[str, ...], expected: set[str]) -> None:
    assert set(words(*given)) == expected


@pytest.mark.parametrize("given", [("mine", ""), ("mine", "t.txt", "--out", ""), ("score", "one", "")])
def test_files_and_texts_are_left_to_the_shell(given: tuple[str, ...]) -> None:
    assert words(*given) == []


def test_what_a_word_means_is_shown_where_the_shell_can() -> None:
    assert complete(["dedu"], "fish") == f"dedupe\t{COMMANDS['dedupe'].summary}\n"
    assert complete(["dedu"], "zsh") == f"dedupe:{COMMANDS['dedupe'].summary}\n"
    assert complete(["score", "--model", "tfidf:engl"], "zsh") == "tfidf\\:english\n"


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_scripts_ask_the_program(textkin: Textkin, shell: str) -> None:
    found = textkin("completion", shell)
    assert found.code == 0 and f"_TEXTKIN_COMPLETE={shell} " in found.out


@pytest.mark.slow
def test_the_script_completes_in_bash(textkin: Textkin, tmp_path: Path) -> None:
    bash = shutil.which("bash")
    if bash is None:
        pytest.skip("needs bash")
    program = tmp_path / "textkin"
    program.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m textkin "$@"\n')
    program.chmod(0o755)
    script = textkin("completion", "bash").out + (
        '\nCOMP_WORDS=(textkin mine --dtype b); COMP_CWORD=3; _textkin; echo "${COMPREPLY[@]}"'
        '\nCOMP_WORDS=(textkin de); COMP_CWORD=1; _textkin; echo "${COMPREPLY[@]}"'
        '\nCOMP_WORDS=(textkin mine ""); COMP_CWORD=2; _textkin; echo "[${COMPREPLY[@]}]"\n'
    )
    environment = {**os.environ, "PATH": f"{tmp_path}{os.pathsep}{os.environ['PATH']}"}
    told = subprocess.run(
        [bash, "--norc"], input=script, capture_output=True, text=True, env=environment, check=True
    )
    assert told.stdout == "bf16\ndemo dedupe\n[]\n"
