"""Names of options and verbs in messages, each spelt as in the user's interface.

The library doesn't know whether it was called from Python, from the command line or over HTTP. So a message
marks each name that a user can give, and the interface decides how the mark is written::

    `min_probability`    an option         min_probability       --min-probability   "min_probability"
    `unknown=accept`     with its value    unknown='accept'      --unknown accept    "unknown": "accept"
    `calibrate()`        a verb            tk.calibrate          textkin calibrate   textkin calibrate
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Literal, final

_MARK = re.compile(r"`([a-z][a-z0-9_]*)(?:=([^`]*))?`")
_VERB = re.compile(r"`([a-z][a-z0-9_]*(?:\.[a-z][a-z0-9_]*)*)\(\)`")

Interface = Literal["python", "command", "json"]


@final
@dataclass(frozen=True, slots=True)
class Spelling:
    """The spelling of options and verbs in one interface.

    Attributes:
        interface: the interface.
        flags: options whose flag differs from their name, such as ``{"guards": "--guard"}``.
    """

    interface: Interface = "python"
    flags: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))

    def option(self, name: str, value: str | None = None) -> str:
        """An option, alone or with its value."""
        match self.interface:
            case "python":
                return name if value is None else f"{name}={_literal(value)}"
            case "json":
                return f'"{name}"' if value is None else f'"{name}": {_literal(value, quote=chr(34))}'
            case "command":
                flag = self.flags.get(name, "--" + name.replace("_", "-"))
                return flag if value in (None, "True") else f"{flag} {value}"

    def verb(self, name: str) -> str:
        """A verb; a verb of a group is written with its group and a dot."""
        if self.interface == "python":
            return f"tk.{name.replace('.', '_')}"
        return "textkin " + name.replace(".", " ").replace("_", "-")


_PYTHON = Spelling()
_SPELLING: ContextVar[Spelling] = ContextVar("spelling", default=_PYTHON)


@contextmanager
def spelling_as(spelling: Spelling) -> Iterator[None]:
    """Spell marks by ``spelling`` for the block."""
    token = _SPELLING.set(spelling)
    try:
        yield
    finally:
        _SPELLING.reset(token)


def spelt(text: str) -> str:
    """The text with its marks spelt for the current interface.

    Example:
        >>> spelt("`threshold` and `dev` exclude each other; run `calibrate()`")
        'threshold and dev exclude each other; run tk.calibrate'
        >>> with spelling_as(Spelling("command")):
        ...     spelt("give `min_cosine` or `unknown=accept`")
        'give --min-cosine or --unknown accept'
    """
    spelling = _SPELLING.get()
    text = _VERB.sub(lambda mark: spelling.verb(mark[1]), text)
    return _MARK.sub(lambda mark: spelling.option(mark[1], mark[2]), text)


def _literal(value: str, *, quote: str = "'") -> str:
    """A value as written in Python and JSON: numbers and booleans as they are, words in quotes."""
    if re.fullmatch(r"-?\d+(\.\d+)?|True|False|None|\.\.\.|\[.*\]", value):
        return value
    return f"{quote}{value}{quote}"
