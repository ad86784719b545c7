"""Limits on the source's shape, from CONTRIBUTING: parameters, options and docstrings."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

import textkin

pytestmark = pytest.mark.slow

ROOT = Path(textkin.__file__).parent
SOURCES = {path.relative_to(ROOT).as_posix(): path for path in sorted(ROOT.rglob("*.py"))}

MOST_PARAMETERS = 9
LONGEST_SUMMARY = 80

OPTIONS_OF_RECIPES = {
    # Names come from a recipe's tables, and are checked against the class or function that they are for.
    ("networks/losses/table.py", "build"),
    ("networks/architectures/table.py", "build"),
    # The arguments of a user's network, which its own constructor checks.
    ("networks/architectures/constructor_arguments.py", "__new__"),
    # Settings of a configuration class of transformers, which takes any.
    ("networks/architectures/backbone.py", "new_backbone"),
    # A function that stands for a command, whichever options it has.
    ("cli/app.py", "known"),
    # Those of compare, which checks them.
    ("verbs/evaluate/evaluate.py", "evaluate"),
    # NumPy's protocol, which passes on the options of any function.
    ("base/column_results.py", "__array_ufunc__"),
    # transformers' protocol for attention, whose networks pass what each kind needs.
    ("networks/nn/dropout_attention.py", "attention"),
}

BASES = {
    "Body",
    "DataError",
    "EmbedBodyOptions",
    "KeepsArguments",
    "LabelledKind",
    "Progress",
    "PromiseError",
    "ReadsByPipeline",
    "ScoresByCosine",
    "StrictBody",
    "Summary",
    "SystemTable",
    "TextkinError",
    "_AgainstOthers",
    "_Comparing",
    "_ExportedMatcher",
    "_ForMteb",
    "_InBatch",
    "_Section",
    "_SingleTexts",
    "_Triplets",
}
"""Classes that others derive from although all their own methods are there."""

LONG_SUMMARIES = 0.31
"""The fraction of docstrings that still begin with a longer line. Lower it as you shorten some; never raise
it.
"""

QUESTION = re.compile(r"(What|How|Whether|Which|Who|Whose|Whom|When|Where|Why|That|So)\b")
MOST_QUESTIONS = 0.01
"""The fraction of docstrings that may begin as a question or a subordinate clause."""

Function = ast.FunctionDef | ast.AsyncFunctionDef


@cache
def trees() -> list[tuple[str, ast.Module]]:
    return [(name, ast.parse(path.read_text(encoding="utf-8"))) for name, path in SOURCES.items()]


def functions(tree: ast.Module) -> Iterator[Function]:
    return (node for node in ast.walk(tree) if isinstance(node, Function))


def parameters(function: Function) -> list[str]:
    """The names of a caller's arguments."""
    given = function.args
    named = [one.arg for one in (*given.posonlyargs, *given.args, *given.kwonlyargs)]
    return named[named[:1] in (["self"], ["cls"]) :] + [one.arg for one in (given.vararg, given.kwarg) if one]


def summaries(tree: ast.Module) -> Iterator[tuple[str, str]]:
    """The first line of each docstring, with its owner."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Module | ast.ClassDef | Function) and (text := ast.get_docstring(node)):
            yield getattr(node, "name", "the module"), text.splitlines()[0]


def is_verb(function: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    return any(isinstance(one, ast.Name) and one.id == "verb" for one in function.decorator_list)


def test_only_verbs_take_more_than_eight_parameters() -> None:
    """A verb has one for each option, which every interface reads off. Everything else has dataclasses."""
    found = {
        f"{name}: {one.name}": parameters(one)
        for name, tree in trees()
        if not name.startswith("cli/")
        for one in functions(tree)
        if len(parameters(one)) > MOST_PARAMETERS and not is_verb(one)
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


def test_classes_derive_from_abstract_ones() -> None:
    classes = {
        node.name: node for _, tree in trees() for node in ast.walk(tree) if isinstance(node, ast.ClassDef)
    }
    bases = {re.sub(r"\[.*", "", ast.unparse(base)) for node in classes.values() for base in node.bases}
    abstract = re.compile(r"\(.*\b(ABC|Protocol)\b.*\):|@abstractmethod")
    found = {name for name in bases & classes.keys() if not abstract.search(ast.unparse(classes[name]))}
    assert found == BASES


def test_docstrings_begin_with_a_short_line() -> None:
    found = [(f"{name}: {of}", line) for name, tree in trees() for of, line in summaries(tree)]
    long = [f"{of}: {line}" for of, line in found if len(line) > LONGEST_SUMMARY]
    assert len(long) <= LONG_SUMMARIES * len(found), long


def test_docstrings_begin_with_a_noun_or_a_verb() -> None:
    found = [(f"{name}: {of}", line) for name, tree in trees() for of, line in summaries(tree)]
    questions = [f"{of}: {line}" for of, line in found if QUESTION.match(line)]
    assert len(questions) < MOST_QUESTIONS * len(found), questions


def test_a_question_would_be_found() -> None:
    assert QUESTION.match("What was found.")
    assert not QUESTION.match("Whatever was found.")


def test_what_is_counted() -> None:
    (function,) = functions(ast.parse("def f(self, a, /, b, *c, d, **e): return a"))
    assert parameters(function) == ["a", "b", "d", "c", "e"]
