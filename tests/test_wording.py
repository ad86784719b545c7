"""What the library says names no interface: it doesn't know which one its user called."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

import pytest

from tests.import_graph import ROOT
from textkin.cli.commands import COMMANDS

FLAG = re.compile(r"(?<![\w-])--[a-z][a-z-]+")
COMMAND = re.compile(rf"\btextkin (?:{'|'.join(COMMANDS)}) (?:[A-Z]{{2,}}|-)")
OTHERS = {"--force-reinstall"}  # of pip
SPELLS = "base/spelling.py"  # it says how flags are written


def _found(source: str, pattern: re.Pattern[str]) -> Iterator[str]:
    """What a pattern finds in the texts of a file, docstrings included."""
    if pattern.search(source):
        for node in ast.walk(ast.parse(source)):
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                yield from pattern.findall(node.value)


@pytest.mark.slow
@pytest.mark.parametrize("pattern", [FLAG, COMMAND], ids=["flags", "commands"])
def test_the_library_spells_no_options_of_the_command_line(pattern: re.Pattern[str]) -> None:
    said = [
        f"{name}: {found}"
        for path in ROOT.rglob("*.py")
        if (name := path.relative_to(ROOT).as_posix()) != SPELLS and not name.startswith("cli/")
        for found in _found(path.read_text(encoding="utf-8"), pattern)
        if found not in OTHERS
    ]
    assert said == []


def test_a_flag_would_be_found() -> None:
    source = 'x = 1 --one\nfix = f"give --min-cosine {x}, or run textkin calibrate MODEL"'
    assert list(_found(source, FLAG)) == ["--min-cosine"]
    assert list(_found(source, COMMAND)) == ["textkin calibrate MODEL"]
