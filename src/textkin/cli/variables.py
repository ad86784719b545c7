"""Options from environment variables: those that no command has are refused."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from difflib import get_close_matches
from typing import TYPE_CHECKING

from textkin.base.errors import ConfigError, did_you_mean
from textkin.base.progress import note
from textkin.cli.commands import COMMANDS

if TYPE_CHECKING:
    from textkin.cli.app import Command

PREFIX = "TEXTKIN_"
_OTHERS = frozenset({"TEXTKIN_CONFIG", "TEXTKIN_CORES", "TEXTKIN_DEBUG", "TEXTKIN_EXAMPLES"})


def variables_of(command: Command) -> list[str]:
    """The environment variables of a command's options."""
    names = (one.name if one.positional else one.flag.lstrip("-") for one in command.options)
    return [_own(command.path) + _spelt(name) for name in names]


def check_variables(command: Command) -> None:
    """Refuse variables of the command that are no option of it, and warn of those that look misspelt.

    Raises:
        ConfigError: the command has no such option.
    """
    known, own = variables_of(command), _own(command.path)
    others = [_own(name.split()) for name in COMMANDS]
    for variable in sorted(os.environ):
        if variable.startswith(own) and variable not in known:
            words = " ".join(command.path)
            near = did_you_mean(variable, known)
            fix = near if near.startswith("did") else f"see: textkin {words} --help-all"
            raise ConfigError(f"{variable} is not an option of {words}", fix=fix)
        if variable.startswith(PREFIX) and variable not in _OTHERS and not variable.startswith(tuple(others)):
            for meant in _meant(variable, others):
                note(f"warning: {variable} is for no command; did you mean {meant}?")


def _meant(variable: str, prefixes: Sequence[str]) -> Iterator[str]:
    """The variable of the nearest command, if one is near."""
    parts = variable.split("_")
    for count in (2, 3):
        start = "_".join(parts[:count]) + "_"
        if len(parts) > count and (found := get_close_matches(start, prefixes, n=1, cutoff=0.85)):
            yield found[0] + "_".join(parts[count:])
            return


def _own(path: Sequence[str]) -> str:
    return PREFIX + "".join(f"{_spelt(word)}_" for word in path)


def _spelt(name: str) -> str:
    return name.upper().replace("-", "_")
