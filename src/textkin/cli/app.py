"""The list of commands.

A command is a module with a function ``command``, whose docstring is its help, and ``EXAMPLES``, which stand
below the help. A module with ``COMMANDS`` has several of them, by their names.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib import import_module
from types import MappingProxyType, ModuleType
from typing import Any, final

import typer
from typer.core import TyperGroup

from textkin.cli.command import Command, common_options

COMMANDS: Mapping[str, str] = MappingProxyType(
    {
        "demo": "Take the whole tour in about a minute, on bundled data.",
        "study": "Train models on your pairs and say if they are worth using.",
        "lint": "Say what is odd in files of pairs, and what they share.",
        "split": "Split pairs into train, dev and test files that share no text.",
        "convert": "Turn questions with answer spans into candidates to rank.",
        "negatives": "Mine hard negatives for the anchors of positive pairs.",
        "train": "Train one recipe; go on where it was interrupted.",
        "distil": "Turn a transformer into a static encoder, which is far faster.",
        "evaluate": "Measure a model beside honest baselines.",
        "compare": "Measure several models that exist and test their differences.",
        "agree": "Tell who decides as whom, and errs as whom.",
        "ensemble": "Combine models and baselines into one.",
        "contest": "Train recipes with several seeds, and test differences.",
        "calibrate": "Fit a model's threshold and probabilities to labelled pairs.",
        "label": "Judge pairs until a precision is proven.",
        "score": "Score two texts, or the pairs of a file.",
        "explain": "Show which words make the score of two texts.",
        "classify": "Give texts the labels of their nearest examples.",
        "answer": "Find the words in passages that answer a question.",
        "choose": "Choose an answer to each question of an exam.",
        "encode": "Encode texts: one vector a text, in the order of the file.",
        "mine": "Mine pairs of texts that say nearly the same.",
        "dedupe": "Decide which texts can go, since others say the same.",
        "cluster": "Put texts into groups that say nearly the same, and name them.",
        "hash": "Make short codes of texts: similar texts differ in few bits.",
        "add": "Add texts to a collection that remembers them.",
        "search": "Search a collection by words, by vectors, or by both.",
        "match": "Tell of a text whether somebody said this before.",
        "watch": "Tell whether matches are still as they were at calibration.",
        "remove": "Remove entries from a collection, by id or by a filter.",
        "inspect": "Tell what a collection holds; check, repair or export it.",
        "serve": "Serve models and collections by HTTP.",
        "api-key": "Make a key for those who may ask a server.",
        "mcp": "Give an assistant tools to search collections.",
        "export": "Write a model for another runtime, with proof of parity.",
        "passport": "Tell a model from all others, and keep its threshold with it.",
        "measure": "Measure TREC runs, or SQuAD predictions, with intervals.",
        "recipes": "List the bundled recipes, or show one: what to train and how.",
        "verify": "Check a study or contest: its hashes and figures.",
        "completion": "Print a script that completes commands, options and names.",
        "doctor": "Say what a bug report needs: versions, processor, folders.",
        "phrases": "Answer by phrases whose vectors know no question.",
    }
)
"""Each with its help's first sentence, in the order in which a newcomer meets them.

So the list is shown without a look at the modules, which takes longer than all else.
"""

_SETTINGS = {"help_option_names": ["-h", "--help"]}
_EXIT_CODES = """
0 done                     6 training can't go on
1 lint found errors        7 output can't be written
2 wrong arguments          8 a recomputed figure differs
3 bad data                 9 an optional package is missing
4 wrong recipe, settings   10 labels don't support the guarantee
5 no such model            11 watch says drifting, 12 broken
                           13 workers of --on ray fail
"""


@final
class _Program(TyperGroup):
    """All commands, with the options that each of them has, too."""

    def __init__(self, **named: Any) -> None:
        super().__init__(**named)
        self.params.extend(common_options())


def build(arguments: Sequence[str] | None = None) -> typer.Typer:
    """Everything that ``textkin`` can do.

    Args:
        arguments: what the user wrote. Only the command in it is imported, and gets its parameters. None for
            all commands.
    """
    app = typer.Typer(add_completion=False, rich_markup_mode=None)
    epilog = _verbatim("Exit codes:", _EXIT_CODES)
    app.callback(cls=_Program, epilog=epilog, context_settings=_SETTINGS)(_textkin)
    for name, summary in COMMANDS.items():
        if arguments is not None and name not in arguments:
            app.command(name, help=summary)(_not_asked_for)
            continue
        module = module_of(name)
        if hasattr(module, "COMMANDS"):
            app.add_typer(_group(module, arguments), name=name)
            continue
        app.command(
            name,
            cls=Command,
            help=module.command.__doc__,
            epilog=_verbatim("Examples:", module.EXAMPLES),
            context_settings=_SETTINGS,
        )(module.command)
    return app


def module_of(name: str) -> ModuleType:
    """The module of a command."""
    return import_module(f"textkin.cli.{name.replace('-', '_')}")


def _group(module: ModuleType, arguments: Sequence[str] | None) -> typer.Typer:
    """A command that has commands of its own, each with its examples."""
    group = typer.Typer(
        help=module.__doc__,
        epilog=_verbatim("Examples:", "\n".join(examples for _, examples in module.COMMANDS.values())),
        context_settings=_SETTINGS,
        rich_markup_mode=None,
    )
    for name, (command, examples) in module.COMMANDS.items():
        group.command(
            name,
            cls=Command,
            help=command.__doc__,
            epilog=_verbatim("Examples:", examples),
            context_settings=_SETTINGS,
        )(command if arguments is None or name in arguments else _not_asked_for)
    return group


def _not_asked_for() -> None:
    """Stand in the help's list of commands."""


def _textkin() -> None:
    """Find the kin of a text: train, test and use text-similarity models on your own data, offline."""


def _verbatim(title: str, text: str) -> str:
    """A paragraph that the help does not wrap."""
    return "\n".join(["\b", title, *(f"  {line}" for line in text.strip().splitlines())])
