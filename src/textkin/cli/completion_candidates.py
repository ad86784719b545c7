"""What can stand next on a command line: for the scripts of ``textkin completion``."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, Literal, get_args, get_origin

if TYPE_CHECKING:
    from typer.core import TyperCommand, TyperGroup

COMPLETE = "_TEXTKIN_COMPLETE"
"""The environment variable by which a script asks, with the name of its shell."""

_LONGEST = 70  # characters of a help
_MODELS = ("MODEL", "METHOD", "MEMBER", "TEACHER", "NAME=MODEL")


def complete(words: Sequence[str], shell: str) -> str:
    """What can stand for the last word, a line each; of zsh and fish with a few words on what it means.

    Args:
        words: what follows the program's name; the last may be empty or begun.
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
    """What could stand after some words, each with what it means; nothing where files are wanted."""
    from typer.main import get_command

    from textkin.cli.app import build
    from textkin.cli.commands import COMMANDS

    command: Any = get_command(build([word for word in before if word in COMMANDS or word[:1] != "-"]))
    rest = list(before)
    while hasattr(command, "commands"):
        taken = next((place for place, word in enumerate(rest) if word in command.commands), None)
        if taken is None:
            yield from _options(command) if begun.startswith("-") else _commands(command)
            return
        command, rest = command.commands[rest[taken]], rest[taken + 1 :]
    yield from _of_command(command, rest, begun)


def _commands(group: TyperGroup) -> Iterator[tuple[str, str]]:
    for name, one in group.commands.items():
        yield name, " ".join((one.help or "").strip().split("\n\n")[0].split())


def _options(command: TyperCommand | TyperGroup) -> Iterator[tuple[str, str]]:
    for one in command.params:
        if one.param_type_name == "option":
            for option in (*one.opts, *one.secondary_opts):
                yield option, getattr(one, "help", "") or ""
    yield "--help", "Show the options, with examples."


def _of_command(command: TyperCommand, words: Sequence[str], begun: str) -> Iterator[tuple[str, str]]:
    """What can follow words after a command: the value of an option, an option, an argument."""
    options = {option: one for one in command.params for option in one.opts if option.startswith("-")}
    last = options.get(words[-1]) if words else None
    if last is not None and not getattr(last, "is_flag", False):
        yield from ((value, "") for value in _values(last))
        return
    if begun.startswith("-"):
        yield from _options(command)
        return
    given, skipping = 0, 0
    for word in words:
        if skipping:
            skipping -= 1
        elif (option := options.get(word)) is not None:
            skipping = 0 if getattr(option, "is_flag", False) else max(option.nargs, 1)
        elif not word.startswith("-"):
            given += 1
    arguments = [one for one in command.params if one.param_type_name == "argument"]
    for place, one in enumerate(arguments):
        if place == given or (one.nargs == -1 and place <= given):
            yield from ((value, "") for value in _values(one))


def _values(parameter: Any) -> Iterable[str]:
    """The names that a parameter's value may be; none where it may be anything."""
    annotation = parameter.type_descriptor.annotation
    for part in (annotation, *get_args(annotation)):
        if get_origin(part) is Literal:
            return map(str, get_args(part))
    if "Path" in str(annotation):
        return ()
    name, metavar = parameter.name, (parameter.metavar or "").strip("[].")
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
    if name == "guard":
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
