"""The program: all commands, built by cyclopts from the signatures of functions.

A command is a function. Its signature declares the options, its docstring is the help, and its lines of
``examples.txt`` stand below.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property, partial
from importlib import import_module
from inspect import Parameter, Signature
from pathlib import Path
from textwrap import fill
from types import MappingProxyType
from typing import Annotated, Any, Literal

import cyclopts

from textkin.base.argument_checks import check_bounds
from textkin.base.errors import PromiseError
from textkin.base.options import Declared, Option, gathered, options_of
from textkin.base.paths import STANDARD
from textkin.base.results import TELLING, Result
from textkin.base.spelling import spelt
from textkin.cli.commands import COMMANDS, DIALOGUES, FRONT, GROUPS, listed
from textkin.cli.completion import completer
from textkin.cli.help_pages import HelpPages
from textkin.cli.printed_results import show_result

STANDARD_WORD = "\0-"
"""What ``-`` is to cyclopts, which would take it for an option; no argument of a process holds a NUL."""

PANELS = (
    *("Arguments", "Options", "Input", "Model", "Decision", "Train, dev and test"),
    *("Output", "Rankings", "Spans", "Exams", "Ray"),
)
"""The headings of help, in their order."""

_MODELS = ("models", "model", "members")  # what a command calls its models
_PROGRAM = (
    "Find texts that mean the same: train, test and use text-similarity models on your own data, offline."
)
_EXIT_CODES = """
Exit codes:
  0 done                     6 training can't go on
  1 lint found errors        7 output can't be written
  2 wrong arguments          8 a recomputed figure differs
  3 bad data                 9 an optional package is missing
  4 wrong recipe, settings   10 labels don't support the guarantee
  5 no such model            11 watch says drifting, 12 broken
                             13 workers of --on ray fail
"""


@dataclass(frozen=True)
class Command:
    """One command.

    Attributes:
        path: its name; of a command in a group two words.
        function: its implementation. The signature declares the options.
        dialogue: what goes through the result with a person before it is printed, if anything.
    """

    path: tuple[str, ...]
    function: Callable[..., Any]
    dialogue: Callable[..., None] | None = None

    @property
    def words(self) -> str:
        """The program's name and the command's."""
        return " ".join(("textkin", *self.path))

    @cached_property
    def options(self) -> tuple[Declared, ...]:
        """Its options and arguments."""
        asked = () if self.dialogue is None else options_of(self.dialogue)
        return (*options_of(self.function), *asked, *options_of(_printing))

    @property
    def flags(self) -> Mapping[str, str]:
        """Its options' flags, by their names."""
        found = {one.name: one.flag for one in self.options}
        models = next((found[name] for name in _MODELS if name in found), None)
        return found if models is None else dict.fromkeys(_MODELS, models) | found

    def run(self, values: Mapping[str, Any]) -> None:
        """Run the command with parsed values, and print the result.

        Raises:
            SystemExit: the result has an exit code.
        """
        known = {one.name: one for one in self.options}
        given = {name: _converted(known[name], value) for name, value in values.items()}
        for name, value in given.items():
            check_bounds(value, name, known[name].option)
        as_json = given.pop("as_json", False)
        TELLING.set(partial(show_result, as_json=as_json))
        try:
            result = gathered(self.function, given)
            if self.dialogue is not None:
                gathered(self.dialogue, {**given, "session": result})
        except PromiseError as error:
            if isinstance(error.found, Result):
                show_result(error.found, as_json=as_json)
            raise
        if result is not None:
            show_result(result, as_json=as_json)


def _printing(
    *, as_json: Annotated[bool, Option("Print one JSON object and nothing else.", flag="--json")] = False
) -> None:
    """The option of every command whose verb returns a result."""


def commands(words: Sequence[str] | None = None) -> Iterator[Command]:
    """All commands, or those that ``words`` name, whose modules alone are imported then.

    A group without one of its commands names all of them.
    """
    for name in COMMANDS:
        first, *inner = path = tuple(name.split())
        alone = words is not None and not set(listed(first)).intersection(words)
        if words is None or (first in words and (alone or set(inner) <= set(words))):
            dialogue = function_of(DIALOGUES[name]) if name in DIALOGUES else None
            yield Command(path, function_of(COMMANDS[name]), dialogue)


def function_of(where: str) -> Callable[..., Any]:
    """A function by its place, "module:function"."""
    module, _, name = where.partition(":")
    return getattr(import_module(module), name)


@dataclass(frozen=True)
class Program:
    """The program, with the requested commands.

    Attributes:
        app: cyclopts' program.
        commands: by the functions that cyclopts returns for them.
    """

    app: cyclopts.App
    commands: Mapping[Callable[..., Any], Command]


def build(
    words: Sequence[str] | None = None,
    *,
    rare: bool = True,
    common: Sequence[Declared] = (),
    options: bool = True,
) -> Program:
    """The program.

    Args:
        words: the command line. Only the modules of commands in it are imported. None for all.
        rare: show rare options in help.
        common: options that each command has beside its own.
        options: give commands their options; a list of commands needs their first sentences alone.
    """
    app = _app("textkin", _PROGRAM, _EXIT_CODES if rare else _more_commands())
    groups: dict[str, cyclopts.App] = {}
    found = {}
    for command in commands(words):
        first, *inner = command.path
        place = list(COMMANDS).index(command.words.partition(" ")[2])
        said = command.function.__doc__ or ""
        page = _app(command.path[-1], said if options else said.partition("\n\n")[0], "", place=place)
        if inner and first not in groups:
            groups[first] = _app(first, GROUPS[first], _examples(first), place=place)
            app.command(groups[first])
        if options:
            page.help_epilogue = _examples(*command.path)
            known = _known(command, common, rare=rare)
            found[known] = command
            page.default(known)
        (groups[first] if inner else app).command(page)
    return Program(app, MappingProxyType(found))


def _app(name: str, help: str, epilogue: str, *, place: int = 0, show: bool = True) -> cyclopts.App:
    return cyclopts.App(
        name=name,
        help=help,
        help_epilogue=epilogue.strip("\n"),
        help_flags=("--help", "-h"),
        version_flags=(),
        help_format="plaintext",
        help_formatter=HelpPages(),
        group_arguments=_group("Arguments"),
        group_parameters=_group("Options"),
        default_parameter=cyclopts.Parameter(negative=()),
        sort_key=place,
        show=show,
        result_action="return_value",
    )


def _more_commands() -> str:
    others = ", ".join(name for name in listed() if name not in FRONT)
    paragraphs = (
        f"More commands: {others}.",
        "textkin COMMAND --help shows the most used options with examples, --help-all all of them. "
        "textkin --help-all describes all commands and the exit codes.",
        "Every command takes -q (quiet), -v (verbose), --config FILE.toml (settings), --json. textkin -V "
        "shows the version. textkin --completion bash (or zsh, fish) prints a script for your shell.",
    )
    return "\n\n".join(fill(one, 80, break_on_hyphens=False) for one in paragraphs)


def examples(*path: str) -> list[str]:
    """The command lines that show a command, or one for each command of a group."""
    lines = Path(__file__).with_name("examples.txt").read_text(encoding="utf-8").splitlines()
    found = [line for line in lines if line.split()[1 : len(path) + 1] == [*path]]
    if path[0] in GROUPS and len(path) == 1:
        return list({line.split()[2]: line for line in reversed(found)}.values())[::-1]
    return found


def _examples(*path: str) -> str:
    return "\n".join(["Examples:", *(f"  {line}" for line in examples(*path))])


def _known(command: Command, common: Sequence[Declared], *, rare: bool) -> Callable[..., Any]:
    """A function with the command's options as cyclopts takes them."""

    def known(*arguments: Any, **options: Any) -> None:
        """A placeholder for the command, which is run by its values."""

    known.__doc__ = command.function.__doc__
    return _with_parameters(known, (*command.options, *common), rare=rare)


def plain_parameters(group: type) -> Callable[..., Any]:
    """A function with the options of a group, as cyclopts takes them."""

    def known(**options: Any) -> None:
        """A placeholder for the group."""

    return _with_parameters(known, options_of(group), rare=True)


def _with_parameters(
    known: Callable[..., Any], options: Sequence[Declared], *, rare: bool
) -> Callable[..., Any]:
    parameters = sorted((_parameter(one, rare=rare) for one in options), key=lambda one: one.kind)
    known.__signature__ = Signature(parameters)  # type: ignore[attr-defined]
    known.__annotations__ = {one.name: one.annotation for one in parameters}
    return known


def _parameter(one: Declared, *, rare: bool) -> Parameter:
    """An option as cyclopts takes it."""
    option = one.option
    panel = "Arguments" if one.positional and option.panel == "Options" else option.panel
    kind: Any = Literal[one.choices] if one.choices else one.kind
    of_rest = one.positional and one.several  # words before and after options
    kind = list[kind] if one.several and not of_rest else kind
    kind = tuple.__class_getitem__((kind,) * one.together) if one.together > 1 else kind
    shown = one.default not in (None, False, (), "", Parameter.empty)
    details = cyclopts.Parameter(
        name=() if one.positional else one.flags,
        help=spelt(option.help),
        metavar=option.metavar,
        group=_group(panel),
        negative=("--no-" + one.flag.removeprefix("--"),) if one.kind is bool and one.default is True else (),
        show=rare or not option.rare,
        show_default=(lambda value: _default(one, value)) if shown else False,
        show_env_var=False,
        completer=completer(one),
        converter=_whole if one.kind is int and not one.several and one.together == 1 else None,
        required=one.required,
    )
    if of_rest:
        return Parameter(one.name, Parameter.VAR_POSITIONAL, annotation=Annotated[kind, details])
    kind = kind | None if one.default is None and not one.required else kind
    sort = Parameter.POSITIONAL_ONLY if one.positional else Parameter.KEYWORD_ONLY
    return Parameter(one.name, sort, default=one.default, annotation=Annotated[kind, details])


def _default(one: Declared, value: Any) -> str:
    """A default as a user would give it."""
    if value is True:
        return one.flag
    several = value if isinstance(value, tuple) else (value,)
    return ",".join(str(getattr(each, "value", each)) for each in several)


def _whole(_: type, tokens: Sequence[cyclopts.Token]) -> int:
    """A whole number; cyclopts would round others."""
    try:
        return int(tokens[0].value)
    except ValueError as error:
        raise cyclopts.CoercionError(token=tokens[0], target_type=int) from error


@cache
def _group(panel: str) -> cyclopts.Group:
    return cyclopts.Group(panel, sort_key=PANELS.index(panel))


def _converted(one: Declared, value: Any) -> Any:
    """A value as the function takes it."""
    if isinstance(value, list | tuple):
        return type(value)(_converted(one, each) for each in value)
    if str(value) == STANDARD_WORD:
        value = one.kind(STANDARD)
    if value is not None and one.option.parse is not None:
        return one.option.parse(value)
    return one.kind(value) if isinstance(value, str) and one.choices else value
