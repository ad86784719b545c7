"""How the source is cut: what CONTRIBUTING promises of functions, classes and docstrings."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

import textkin

ROOT = Path(textkin.__file__).parent
SOURCES = {path.relative_to(ROOT).as_posix(): path for path in sorted(ROOT.rglob("*.py"))}

MOST_PARAMETERS = 9
MOST_LINES = 60
LONGEST_SUMMARY = 80

OPTIONS_OF_RECIPES = {
    # Names come from a recipe's tables, and are checked against the class or function that they are for.
    ("networks/losses/table.py", "build"),
    ("networks/architectures/table.py", "build"),
    # Settings of a configuration class of transformers, which takes any.
    ("networks/architectures/backbone.py", "new_backbone"),
    # Commands are made by their library, which passes on what it knows of each.
    ("cli/app.py", "__init__"),
    ("cli/command.py", "__init__"),
    # Typer passes the values of a command's options, whichever it has.
    ("cli/option_groups.py", "flat"),
}

LONG_SUMMARIES = 0.31
"""This share of docstrings still begins with a longer line. Lower it as you shorten some; never raise it."""

Function = ast.FunctionDef | ast.AsyncFunctionDef


@cache
def trees() -> list[tuple[str, ast.Module]]:
    return [(name, ast.parse(path.read_text(encoding="utf-8"))) for name, path in SOURCES.items()]


def functions(tree: ast.Module) -> Iterator[Function]:
    return (node for node in ast.walk(tree) if isinstance(node, Function))


def parameters(function: Function) -> list[str]:
    """The names of what a caller gives."""
    given = function.args
    named = [one.arg for one in (*given.posonlyargs, *given.args, *given.kwonlyargs)]
    return named[named[:1] in (["self"], ["cls"]) :] + [one.arg for one in (given.vararg, given.kwarg) if one]


def lines(function: Function) -> int:
    """How many lines a body has, beside its docstring."""
    start = function.body[0].lineno
    if ast.get_docstring(function) is not None:
        start = (function.body[0].end_lineno or start) + 1
    return max(0, (function.end_lineno or start) - start + 1)


def summaries(tree: ast.Module) -> Iterator[tuple[str, str]]:
    """The first line of each docstring, with what it is of."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Module | ast.ClassDef | Function) and (text := ast.get_docstring(node)):
            yield getattr(node, "name", "the module"), text.splitlines()[0]


def test_no_function_outside_the_command_line_takes_ten_parameters() -> None:
    """A command has one for each option, since typer reads them off; everything else has dataclasses."""
    found = {
        f"{name}: {one.name}": parameters(one)
        for name, tree in trees()
        if not name.startswith("cli/")
        for one in functions(tree)
        if len(parameters(one)) > MOST_PARAMETERS
    }
    assert found == {}


def test_no_body_has_more_than_sixty_lines() -> None:
    found = {
        f"{name}: {one.name}": lines(one)
        for name, tree in trees()
        for one in functions(tree)
        if lines(one) > MOST_LINES
    }
    assert found == {}


def test_options_are_typed() -> None:
    found = {
        (name, one.name)
        for name, tree in trees()
        for one in functions(tree)
        if one.args.kwarg is not None
        and (one.args.kwarg.annotation is None or ast.unparse(one.args.kwarg.annotation) in ("Any", "object"))
    }
    assert found == OPTIONS_OF_RECIPES


def test_a_class_name_has_one_meaning() -> None:
    names = Counter(
        node.name for _, tree in trees() for node in ast.walk(tree) if isinstance(node, ast.ClassDef)
    )
    assert [name for name, count in names.items() if count > 1] == []


def test_docstrings_begin_with_a_short_line() -> None:
    found = [(f"{name}: {of}", line) for name, tree in trees() for of, line in summaries(tree)]
    long = [f"{of}: {line}" for of, line in found if len(line) > LONGEST_SUMMARY]
    assert len(long) <= LONG_SUMMARIES * len(found), long


@pytest.mark.parametrize(
    ("source", "count", "body"),
    [
        ("def f(self, a, /, b, *c, d, **e): return a", 5, 1),
        ("async def f(a):\n    '''Says.\n\n    More.\n    '''\n    x = 1\n\n    return x", 1, 3),
        ("def f():\n    '''Says.'''", 0, 0),
    ],
)
def test_what_is_counted(source: str, count: int, body: int) -> None:
    (function,) = functions(ast.parse(source))
    assert (len(parameters(function)), lines(function)) == (count, body)
