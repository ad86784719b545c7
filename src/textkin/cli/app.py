"""The list of commands.

A command is a module with a function ``command``, whose docstring is its help, and ``EXAMPLES``, which stand
below the help. A module with ``COMMANDS`` has several of them, by their names.
"""

from __future__ import annotations

from collections.abc import Sequence
from types import ModuleType
from typing import Annotated

import typer

from textkin import __version__
from textkin.cli import (
    agree,
    answer,
    calibrate,
    choose,
    classify,
    compare,
    contest,
    convert,
    dedupe,
    demo,
    distil,
    doctor,
    encode,
    ensemble,
    evaluate,
    export,
    hash,
    lint,
    measure,
    mine,
    negatives,
    phrases,
    recipes,
    score,
    split,
    study,
    train,
    verify,
)
from textkin.cli.output import emit_text

COMMANDS = (
    demo,
    study,
    lint,
    split,
    convert,
    negatives,
    train,
    distil,
    evaluate,
    compare,
    agree,
    ensemble,
    contest,
    calibrate,
    score,
    classify,
    answer,
    choose,
    encode,
    mine,
    dedupe,
    hash,
    export,
    measure,
    recipes,
    verify,
    doctor,
    phrases,
)
"""In the order in which a newcomer meets them; those with commands of their own come last in the help."""

_SETTINGS = {"help_option_names": ["-h", "--help"]}
_EXIT_CODES = """
0 done                     5 no such model, or a broken one
1 lint found errors        6 training can't go on
2 wrong arguments          7 output can't be written
3 bad data                 8 a recomputed figure differs
4 wrong recipe             9 an optional package is missing
"""


def build(arguments: Sequence[str] | None = None) -> typer.Typer:
    """Everything that ``textkin`` can do.

    Args:
        arguments: what the user wrote. Only the command in it gets its parameters, because typer takes long
            to look at those of all commands. None for all commands.
    """
    app = typer.Typer(add_completion=False, rich_markup_mode=None)
    epilog = _verbatim("Exit codes:", _EXIT_CODES)
    app.callback(epilog=epilog, context_settings=_SETTINGS)(_textkin)
    for module in COMMANDS:
        name = module.__name__.rpartition(".")[2]
        if hasattr(module, "COMMANDS"):
            app.add_typer(_group(module, arguments), name=name)
            continue
        app.command(
            name,
            help=module.command.__doc__,
            epilog=_verbatim("Examples:", module.EXAMPLES),
            context_settings=_SETTINGS,
        )(module.command if arguments is None or name in arguments else _not_asked_for)
    return app


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
            help=command.__doc__,
            epilog=_verbatim("Examples:", examples),
            context_settings=_SETTINGS,
        )(command if arguments is None or name in arguments else _not_asked_for)
    return group


def _not_asked_for() -> None:
    """Stand in the help's list of commands."""


def _show_version(wanted: bool) -> None:
    if wanted:
        emit_text(f"textkin {__version__}")
        raise typer.Exit


def _textkin(
    version: Annotated[
        bool, typer.Option("--version", is_eager=True, callback=_show_version, help="Print the version.")
    ] = False,
) -> None:
    """Find the kin of a text: train, test and use text-similarity models on your own data, offline."""


def _verbatim(title: str, text: str) -> str:
    """A paragraph that the help does not wrap."""
    return "\n".join(["\b", title, *(f"  {line}" for line in text.strip().splitlines())])
