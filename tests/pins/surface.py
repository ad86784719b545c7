"""Commands with their options, errors with their exit codes, and public names with their signatures."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator
from enum import Enum
from functools import cached_property
from typing import Any, get_args

from typer.main import get_command

import textkin as tk
from textkin.base import errors
from textkin.cli import app

_ADDRESS = re.compile(r" at 0x[0-9a-f]+")


def commands() -> Iterator[str]:
    """A line for each argument and option of each command, and one for each error."""
    options = {name: set(map(_option, one.params)) for name, one in _flat(get_command(app.build()), "")}
    common = set.intersection(*options.values())
    yield from (f"every command {line}" for line in common)
    for name, lines in options.items():
        yield from (f"{name} {line}" for line in lines - common)
    for name, kind in vars(errors).items():
        if isinstance(kind, type) and issubclass(kind, errors.TextkinError):
            yield f"exit code {kind.exit_code}: {name}"


def signatures() -> Iterator[str]:
    """A line for each public function, and for each class with its members."""
    for name in tk.__all__:
        public = getattr(tk, name)
        if not isinstance(public, type):
            yield f"{name}{_signature(public)}"
        elif issubclass(public, Enum):
            yield f"{name}: one of {', '.join(str(member.value) for member in public)}"
        else:
            yield f"{name}: class{_signature(public)}"
            for attribute, value in inspect.getmembers_static(public):
                if not attribute.startswith("_") and (told := _member(value)) and _ours(value):
                    yield f"{name}.{attribute}{told}"


def _flat(group: Any, prefix: str) -> Iterator[tuple[str, Any]]:
    for name, command in group.commands.items():
        if hasattr(command, "commands"):
            yield from _flat(command, f"{prefix}{name} ")
        else:
            yield f"{prefix}{name}", command


def _option(parameter: Any) -> str:
    names = "/".join((*parameter.opts, *parameter.secondary_opts))
    given = "required" if parameter.required else f"= {_shown(parameter.default)}"
    return f"{names}: {_kind(parameter)} {given}"


def _kind(parameter: Any) -> str:
    """The type of a parameter, its choices or bounds, and True if it is repeatable."""
    described = parameter.type_descriptor
    told, annotation = described.parameter_info, described.annotation
    kind = getattr(annotation, "__name__", str(annotation))
    if choices := get_args(annotation):  # Literal["a", "b"], list[str]
        kind = "|".join(getattr(one, "__name__", str(one)) for one in choices)
    if isinstance(annotation, type) and issubclass(annotation, Enum):
        kind = "|".join(str(member.value) for member in annotation)
    bounds = [f">={told.min}"] * (told.min is not None) + [f"<={told.max}"] * (told.max is not None)
    return " ".join([kind, *bounds, *(["several"] if parameter.multiple or parameter.nargs < 0 else [])])


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
