"""Completions, and the scripts in the installed shells."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.conftest import Textkin
from textkin.networks.recipes.files import bundled_recipes


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        (("mine", "texts.txt", "--model", "mini"), {"minilm"}),
        (("mine", "texts.txt", "-q", "--model", "mini"), {"minilm"}),
        (("score", "--model", "mini"), {"minilm"}),
        (("compare", "test.tsv", "bm25", "tfidf-"), {"tfidf-char"}),
        (("data", "lint", "--format", "tri"), {"triplets"}),
        (("score", "--analyser", "germ"), {"german"}),
        (("dedupe", "texts.txt", "--guards", "n"), {"numbers", "negation", "names", "none"}),
        (("match", "c.kin", "--guards", "con"), {"content"}),
        (("train", "mini"), {name for name in bundled_recipes() if name.startswith("mini")}),
        (("search", ""), {"tickets.kin/", "two.txt"}),
        (("search", "ti"), {"tickets.kin/"}),
    ],
)
def test_values(
    textkin: Textkin,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    given: tuple[str, ...],
    expected: set[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "tickets.kin").mkdir()
    (tmp_path / "two.txt").touch()
    told = textkin("__complete", *given)
    assert told.code == 0 and set(told.out.splitlines()[2:]) == expected


@pytest.mark.slow
@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_scripts_ask_the_program(textkin: Textkin, shell: str) -> None:
    found = textkin("--completion", shell)
    assert found.code == 0 and "__complete" in found.out and "quiet" in found.out


@pytest.mark.slow
def test_the_script_completes_in_bash(textkin: Textkin, tmp_path: Path) -> None:
    bash = shutil.which("bash")
    if bash is None:
        pytest.skip("needs bash")
    program = tmp_path / "textkin"
    program.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m textkin "$@"\n')
    program.chmod(0o755)
    words = {
        "mine --dtype b": "bf16",
        "de": "demo dedupe",
        "mine --thr": "--threshold",
        "mine --qui": "--quiet",
        "mine texts.txt --model mini": "minilm",
    }
    script = textkin("--completion", "bash").out + "".join(
        f'\nCOMP_WORDS=(textkin {line}); COMP_CWORD={len(line.split())}; _textkin; echo "${{COMPREPLY[@]}}"'
        for line in words
    )
    environment = {**os.environ, "PATH": f"{tmp_path}{os.pathsep}{os.environ['PATH']}"}
    told = subprocess.run(
        [bash, "--norc"], input=script + "\n", capture_output=True, text=True, env=environment, check=True
    )
    assert told.stdout.splitlines() == list(words.values())
