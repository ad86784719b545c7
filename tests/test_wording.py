"""What the library says names no interface: it doesn't know which one its user called."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from importlib import import_module

import pytest

from tests.import_graph import ROOT
from textkin.base.options import options_of
from textkin.base.spelling import Spelling
from textkin.cli.commands import COMMANDS, DIALOGUES

FLAG = re.compile(r"(?<![\w-])--[a-z][a-z-]+")
COMMAND = re.compile(rf"\btextkin (?:{'|'.join(COMMANDS)}) (?:[A-Z]{{2,}}|-)")
MARKED = re.compile(r"`([a-z_.]+)\(\)`(?: with `([a-z_]+)(?:=[^`]*)?`)?|`([a-z][a-z0-9_]*)(?:=[^`]*)?`")
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


OF_METHODS = {"callback", "prompt", "prompt_name", "reading", "run", "search", "truncate"}
"""Arguments of Python's methods, and fields of requests, which no command has."""


@pytest.mark.slow
def test_messages_name_options_and_commands_that_there_are() -> None:
    options = {command: _options(place) for command, place in COMMANDS.items()}
    for command, place in DIALOGUES.items():
        options[command] |= _options(place)
    known = set[str]().union(*options.values()) | OF_METHODS
    wrong = []
    for path in ROOT.rglob("*.py"):
        for text in _texts(path.read_text(encoding="utf-8")):
            for verb, named, option in MARKED.findall(text):
                of_verb = options.get(Spelling("command").verb(verb).removeprefix("textkin "))
                if (verb and of_verb is None) or named not in {*(of_verb or ()), ""}:
                    wrong.append(f"{path.name}: {verb}() with {named or 'nothing'}")
                if option and option not in known:
                    wrong.append(f"{path.name}: {option}")
    assert wrong == []


def _options(place: str) -> set[str]:
    """The options of a command by their names in Python, and as their flags have them."""
    module, function = place.split(":")
    found = options_of(getattr(import_module(module), function))
    flags = {flag.removeprefix("--").replace("-", "_") for one in found for flag in one.flags}
    return {one.name for one in found} | flags


def _texts(source: str) -> Iterator[str]:
    """The texts of a file, without docstrings."""
    tree = ast.parse(source)
    alone = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in alone:
            yield node.value
