"""Options and commands that have got another name, so that one name has one meaning."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType

from textkin.base.errors import UsageError

_TEXT = {"--column": "--text"}
_VOTERS = {"-k": "--voters"}
RENAMED: Mapping[str, Mapping[str, str]] = MappingProxyType(
    {
        "add": {"--windows": "--window-tokens"},
        "agree": _VOTERS,
        "answer": _TEXT,
        "choose": {**_VOTERS, "--explain": "--show-hits"},
        "classify": {**_TEXT, "--rounds": "--episodes"},
        "cluster": _TEXT,
        "compare": {**_VOTERS, "--recipes": "textkin contest"},
        "dedupe": _TEXT,
        "encode": {**_TEXT, "--precision": "--dtype"},
        "ensemble": {**_VOTERS, "--texts": "--fit", "--rule": "--combine"},
        "evaluate": _VOTERS,
        "export": {"--precision": "--dtype", "--sample": "--texts"},
        "hash": _TEXT,
        "mine": {**_TEXT, "--vectors-in": "--dtype", "--recall": "--search-recall"},
        "passport": {"--check": "--expect"},
        "phrases embed-contexts": {"--keep": "--per-passage", "--metadata": "--with-texts"},
        "phrases index": {**_TEXT, "--keep": "--per-passage", "--questions": "--recall-questions"},
        "phrases merge": {"--questions": "--question-file"},
        "search": _TEXT,
        "serve": {"--precision": "--dtype"},
        "split": {"--dev": "--dev-articles", "--test": "--test-articles", "--rule": "--components"},
    }
)
"""For each command its former options, with what they are called now."""


def refuse_renamed(command: str, words: Sequence[str], unknown: str) -> None:
    """Tell the new name of an option that the command doesn't know.

    Args:
        command: its name; of one in a group two words.
        words: its arguments.
        unknown: the option.

    Raises:
        UsageError: it has one.
    """
    if (new := RENAMED.get(command, {}).get(unknown)) is not None:
        raise UsageError(f"textkin {command} has no {unknown} any more", fix=f"write {new}")
    if command == "ensemble" and unknown == "--dev" and "--fit" in words:  # which is missing
        raise UsageError("textkin ensemble fits its rule on --dev, no longer on --fit", fix="write --dev")


def refuse_renamed_variables(command: str, prefix: str, environment: Mapping[str, str]) -> None:
    """Tell the new names of environment variables that stand for options which were renamed.

    Args:
        command: whose options are variables, too.
        prefix: of all of them.
        environment: the variables.

    Raises:
        UsageError: one has a former name; it would be left aside silently.
    """
    for old, new in RENAMED.get(command, {}).items():
        before, now = (prefix + name.lstrip("-").replace("-", "_").upper() for name in (old, new))
        if before in environment:
            raise UsageError(f"the environment variable {before} is none any more", fix=f"write {now}")
