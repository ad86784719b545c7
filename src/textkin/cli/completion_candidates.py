"""Candidates for the next word of a command line, for the scripts of ``textkin completion``."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from textkin.base.options import Declared, options_of
from textkin.cli.commands import listed

COMPLETE = "_TEXTKIN_COMPLETE"
"""The environment variable by which a script asks, with the name of its shell."""

_LONGEST = 70  # characters of a help
_MODELS = ("MODEL", "METHOD", "MEMBER", "TEACHER", "NAME=MODEL")


def complete(words: Sequence[str], shell: str) -> str:
    """Candidates for the last word, one per line; for zsh and fish each has a short description.

    Args:
        words: the words after the program's name; the last may be empty or incomplete.
        shell: bash, zsh or fish.
    """
    before, begun, option = _parted(words or [""])
    found = [(f"{option}{word}", help) for word, help in candidates(before, begun) if word.startswith(begun)]
    return "".join(f"{_line(word, help, shell)}\n" for word, help in dict(found).items())


def _parted(words: Sequence[str]) -> tuple[list[str], str, str]:
    """The words before the last, what is begun of it, and what of it stands before that: ``--option=``.

    bash makes three words of ``--option=value``, and wants the last of them alone.
    """
    *before, begun = words
    if begun == "=" and before and before[-1].startswith("--"):
        begun = ""
    elif begun.startswith("--") and "=" in begun:
        option, _, begun = begun.partition("=")
        return [*before, option], begun, f"{option}="
    sign = [place for place, word in enumerate(before) if word == "=" and before[place - 1].startswith("--")]
    return [word for place, word in enumerate(before) if place not in sign], begun, ""


def candidates(before: Sequence[str], begun: str) -> Iterator[tuple[str, str]]:
    """Candidates after the given words, each with a description; none where a file is expected."""
    from textkin.cli.app import commands
    from textkin.cli.command import CommonOptions

    common = options_of(CommonOptions)
    name, rest = "", list(before)
    while known := listed(name):
        place = next((place for place, word in enumerate(rest) if word in known), None)
        if place is None:
            yield from _options(common) if begun.startswith("-") else known.items()
            return
        name, rest = f"{name} {rest[place]}".strip(), rest[place + 1 :]
    command = next(one for one in commands(before) if one.path == tuple(name.split()))
    yield from _of_command((*command.options, *common), rest, begun)


def _options(options: Iterable[Declared]) -> Iterator[tuple[str, str]]:
    for one in options:
        if not one.positional:
            yield from ((flag, one.option.help) for flag in one.flags)
    yield "--help", "Show the options, with examples."


def _of_command(options: Sequence[Declared], words: Sequence[str], begun: str) -> Iterator[tuple[str, str]]:
    """Candidates after a command: values of an option, options, arguments."""
    by_flag = {flag: one for one in options if not one.positional for flag in one.flags}
    last = by_flag.get(words[-1]) if words else None
    if last is not None and last.kind is not bool:
        yield from ((value, "") for value in _values(last))
        return
    if begun.startswith("-"):
        yield from _options(options)
        return
    given, skipping = 0, False
    for word in words:
        if skipping:
            skipping = False
        elif (option := by_flag.get(word)) is not None:
            skipping = option.kind is not bool
        elif not word.startswith("-"):
            given += 1
    arguments = [one for one in options if one.positional]
    for place, one in enumerate(arguments):
        if place == given or (one.several and place <= given):
            yield from ((value, "") for value in _values(one))


def _values(option: Declared) -> Iterable[str]:
    """The names that a parameter's value may be; none where it may be anything."""
    if option.choices:
        return option.choices
    if option.kind is Path:
        return ()
    name, metavar = option.name, (option.option.metavar or "").strip("[].")
    if name == "format":
        from textkin.data.readers import FORMATS

        return ("auto", *FORMATS)
    if metavar.startswith("RECIPE") or name in ("recipe", "recipes"):
        from textkin.networks.recipes.files import bundled_recipes

        return bundled_recipes()
    if metavar.startswith(_MODELS) or name == "baselines":
        from textkin.base.hub import DEFAULT, MINILM
        from textkin.text.baselines.names import BASELINES

        return (DEFAULT, MINILM, *BASELINES)
    if name in ("guard", "guards"):
        from textkin.vectors.groups.guards import GUARDS

        return (*GUARDS, "none")
    if name == "analyser":
        from textkin.text.baselines.analysers import LANGUAGES

        return ("plain", *LANGUAGES)
    return ()


def _line(word: str, help: str, shell: str) -> str:
    """A candidate as a shell reads it."""
    short = help if len(help) <= _LONGEST else help[:_LONGEST].rsplit(" ", 1)[0] + " ..."
    if shell == "bash" or not short:
        return word.replace(":", r"\:") if shell == "zsh" else word
    escaped = word.replace(":", r"\:")
    return f"{escaped}:{short}" if shell == "zsh" else f"{word}\t{short}"
