"""The program: all commands with their help.

A command is a module with a function ``command``, whose docstring is its help, and ``EXAMPLES``, which stand
below the help. A module with ``COMMANDS`` has several of them, by their names.
"""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module
from types import ModuleType
from typing import Any, final

import typer
from typer.core import TyperGroup

from textkin.cli.command import Command, common_options
from textkin.cli.commands import COMMANDS
from textkin.cli.option_groups import spread

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
        )(spread(module.command))
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
        )(spread(command) if arguments is None or name in arguments else _not_asked_for)
    return group


def _not_asked_for() -> None:
    """Stand in the help's list of commands."""


def _textkin() -> None:
    """Find the kin of a text: train, test and use text-similarity models on your own data, offline."""


def _verbatim(title: str, text: str) -> str:
    """A paragraph that the help does not wrap."""
    return "\n".join(["\b", title, *(f"  {line}" for line in text.strip().splitlines())])
