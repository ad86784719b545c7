"""Commands with their options, errors with their exit codes, and public names with their signatures."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator
from enum import Enum
from functools import cached_property
from typing import Any

from tests.public_names import NAMES, public
from textkin.base import errors
from textkin.base.options import Declared, options_of
from textkin.cli import app
from textkin.cli.command import CommonOptions

_ADDRESS = re.compile(r" at 0x[0-9a-f]+")


def commands() -> Iterator[str]:
    """A line for each argument and option of each command, and one for each error."""
    for command in app.commands():
        yield from (f"{' '.join(command.path)} {_option(one)}" for one in command.options)
    yield from (f"every command {_option(one)}" for one in options_of(CommonOptions))
    for name, kind in vars(errors).items():
        if isinstance(kind, type) and issubclass(kind, errors.TextkinError):
            yield f"exit code {kind.exit_code}: {name}"


def signatures() -> Iterator[str]:
    """A line for each public function, and for each class with its members."""
    for name in NAMES:
        found = public(name)
        if not isinstance(found, type):
            yield f"{name}{_signature(found)}"
        elif issubclass(found, Enum):
            yield f"{name}: one of {', '.join(str(member.value) for member in found)}"
        else:
            yield f"{name}: class{_signature(found)}"
            for attribute, value in inspect.getmembers_static(found):
                if not attribute.startswith("_") and (told := _member(value)) and _ours(value):
                    yield f"{name}.{attribute}{told}"


def _option(one: Declared) -> str:
    """An option with its type, its choices or bounds, and its default."""
    kind = "|".join(one.choices) or "|".join([one.kind.__name__] * one.together)
    low, high = one.option.low, one.option.high
    limits = [f">={low}"] * (low is not None) + [f"<={high}"] * (high is not None)
    several = ["several"] * one.several
    given = "required" if one.required else f"= {_shown(one.default)}"
    return f"{'/'.join(one.flags)}: {' '.join([kind, *limits, *several])} {given}"


def _shown(default: Any) -> str:
    return str(default.value) if isinstance(default, Enum) else repr(default)


def _signature(function: Any) -> str:
    """The signature; nothing for a class that users can't create."""
    try:
        return _ADDRESS.sub("", str(inspect.signature(function)).replace("'", ""))
    except ValueError:
        return ""


def _ours(value: Any) -> bool:
    """Members that aren't inherited from a library."""
    function = (
        getattr(value, "fget", None) or getattr(value, "func", None) or getattr(value, "__func__", value)
    )
    return str(function.__module__).startswith("textkin")


def _member(value: Any) -> str:
    if isinstance(value, property | cached_property):
        return ": property"
    if isinstance(value, staticmethod | classmethod):
        return f"{_signature(value.__func__)} of the class"
    return _signature(value) if inspect.isfunction(value) else ""
