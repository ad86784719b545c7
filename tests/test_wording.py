"""What the library says names no interface: it doesn't know which one its user called."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.import_graph import ROOT
from textkin.cli.commands import COMMANDS

_FLAG = re.compile(r"(?<![\w-])--[a-z][a-z-]+")
_COMMAND = re.compile(rf"\btextkin (?:{'|'.join(COMMANDS)}) (?:[A-Z]{{2,}}|-)")
OTHERS = {"--force-reinstall"}  # of pip
SPELLS = {"base/spelling.py"}  # it says how flags are written


def _texts(path: Path) -> Iterator[tuple[int, str]]:
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.lineno, node.value


LIBRARY = [
    path
    for path in sorted(ROOT.rglob("*.py"))
    if "cli" not in path.relative_to(ROOT).parts[:1] and path.relative_to(ROOT).as_posix() not in SPELLS
]


def _said(pattern: re.Pattern[str]) -> list[str]:
    return [
        f"{path.relative_to(ROOT)}:{line}: {found}"
        for path in LIBRARY
        for line, text in _texts(path)
        for found in pattern.findall(text)
        if found not in OTHERS
    ]


@pytest.mark.parametrize("pattern", [_FLAG, _COMMAND], ids=["flags", "commands"])
def test_the_library_spells_no_options_of_the_command_line(pattern: re.Pattern[str]) -> None:
    assert _said(pattern) == []


def test_a_flag_would_be_found() -> None:
    assert _FLAG.findall("give --min-cosine") == ["--min-cosine"]
    assert _COMMAND.findall("run textkin calibrate MODEL") == ["textkin calibrate MODEL"]
