"""Names of options and verbs in messages, each spelt as in the user's interface.

The library doesn't know whether it was called from Python, from the command line or over HTTP. So a message
marks each name that a user can give, and the interface decides how the mark is written::

    `min_probability`    an option         min_probability       --min-probability   "min_probability"
    `unknown=accept`     with its value    unknown='accept'      --unknown accept    "unknown": "accept"
    `calibrate()`        a verb            tk.calibrate          textkin calibrate   textkin calibrate
    `add()`              one of a group    tk.add                textkin collection add    (the same)

An option after "`lint()` with" is that verb's, so the flags of the current command don't apply to it. An
advice that names an option of the current verb is left out where the verb has no such option
(``errors.either``). What stands in quotes is a user's value, whose backticks are no marks.
"""

import json
import re
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from shlex import quote
from types import MappingProxyType
from typing import Literal

_QUOTED = r"""(?<!\w)b?(?:'(?:[^'\\]|\\.)*(?:'(?!\w)|\.\.\.)|"(?:[^"\\]|\\.)*(?:"|\.\.\.))"""
_VERB = r"`(?P<verb>[a-z][a-z0-9_]*(?:\.[a-z][a-z0-9_]*)*)\(\)`"
_OPTION = r"`(?P<option>[a-z][a-z0-9_]*)(?:=(?P<value>[^`]*))?`"
_MARK = re.compile(f"{_QUOTED}|{_VERB}|{_OPTION}")
_LITERAL = re.compile(r"-?\d+(\.\d+)?|True|False|None|\.\.\.|\[.*\]")

_COMMANDS = {
    "add": "collection add",
    "check_collection": "collection check",
    "collection_info": "collection info",
    "compact_collection": "collection compact",
    "convert": "data convert",
    "export_collection": "collection export",
    "index_collection": "collection index",
    "lint": "data lint",
    "list_models": "models",
    "negatives": "data negatives",
    "remove": "collection remove",
    "repair_collection": "collection repair",
    "split": "data split",
    "watch": "collection watch",
}
"""Commands of verbs whose name isn't the verb's."""

Interface = Literal["python", "command", "json"]


@dataclass(frozen=True, slots=True)
class Spelling:
    """The spelling of options and verbs in one interface.

    Attributes:
        interface: which interface it is.
        flags: options whose flag isn't their name, such as ``{"guards": "--guard"}``, and values that have a
            flag of their own, such as ``{"long=windows": "--windows"}``.
    """

    interface: Interface = "python"
    flags: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))

    def option(self, name: str, value: str | None = None) -> str:
        """An option, alone or with its value."""
        match self.interface:
            case "python":
                return name if value is None else f"{name}={_python(value)}"
            case "json":
                return f'"{name}"' if value is None else f'"{name}": {_json(value)}'
            case "command":
                if (own := self.flags.get(f"{name}={value}")) is not None:
                    return own
                flag = self.flags.get(name, "--" + name.replace("_", "-"))
                return flag if value is None or value == "True" else f"{flag} {quote(value)}"

    def verb(self, name: str) -> str:
        """A verb; a verb of a group is written with its group and a dot."""
        if self.interface == "python":
            return f"tk.{name}"
        return f"textkin {_COMMANDS.get(name, name).replace('.', ' ').replace('_', '-')}"


_PYTHON = Spelling()
_SPELLING: ContextVar[Spelling] = ContextVar("spelling", default=_PYTHON)
_OFFERED: ContextVar[Collection[str] | None] = ContextVar("offered", default=None)


@contextmanager
def spelling_as(spelling: Spelling) -> Iterator[None]:
    """Spell marks by ``spelling`` for the block."""
    token = _SPELLING.set(spelling)
    try:
        yield
    finally:
        _SPELLING.reset(token)


def spell_as(spelling: Spelling) -> None:
    """Spell marks by ``spelling`` until the enclosing :func:`spelling_as` ends."""
    _SPELLING.set(spelling)


@contextmanager
def offering(options: Collection[str]) -> Iterator[None]:
    """Make the block, or the one around it, a call of a verb with these options."""
    if _OFFERED.get() is not None:
        yield
        return
    token = _OFFERED.set(options)
    try:
        yield
    finally:
        _OFFERED.reset(token)


def is_offered(text: str) -> bool:
    """True if the verb that runs has each option that a text names; also while none runs.

    Example:
        >>> with offering(["model"]):
        ...     is_offered("give `model`"), is_offered("`columns=a=`"), is_offered("`lint()` with `columns`")
        (True, False, True)
    """
    offered = _OFFERED.get()
    return offered is None or all(
        mark["option"] in offered or _is_of_verb(text, mark)
        for mark in _MARK.finditer(text)
        if mark["option"] is not None
    )


def is_command() -> bool:
    """True while a command runs, rather than a Python program or a service."""
    return _SPELLING.get().interface == "command"


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

    def one(mark: re.Match[str]) -> str:
        if mark["verb"] is not None:
            return spelling.verb(mark["verb"])
        if mark["option"] is None:
            return mark[0]
        own = _of_command(spelling.interface) if _is_of_verb(text, mark) else spelling
        return own.option(mark["option"], mark["value"])

    return _MARK.sub(one, text)


def _is_of_verb(text: str, mark: re.Match[str]) -> bool:
    """True for an option of the verb that stands before it."""
    return text.endswith("()` with ", 0, mark.start())


def _of_command(interface: Interface) -> Spelling:
    """The spelling of another verb's options: verbs are commands to those who call a service."""
    return Spelling("python" if interface == "python" else "command")


def _python(value: str) -> str:
    """A value as Python writes it: numbers and truth values as they are, words in quotes."""
    return value if _LITERAL.fullmatch(value) else repr(value)


def _json(value: str) -> str:
    named = {"True": "true", "False": "false", "None": "null"}
    return named.get(value) or (value if _LITERAL.fullmatch(value) else json.dumps(value, ensure_ascii=False))
