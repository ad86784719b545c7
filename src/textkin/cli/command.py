"""From the words of a command line to the command that runs: common options, settings, ``-``, errors."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping, Sequence
from contextvars import ContextVar
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import cyclopts

from textkin.base.errors import ConfigError, UsageError, conflict, did_you_mean, nearest
from textkin.base.neighbour_words import meant_option
from textkin.base.number_errors import no_number
from textkin.base.options import Option, options_of
from textkin.base.paths import STANDARD, is_standard
from textkin.base.progress import be_quiet, be_verbose, detail, note
from textkin.base.spelling import Spelling, spell_as
from textkin.cli.app import STANDARD_WORD, Command, Program, build, commands, plain_parameters
from textkin.cli.commands import FRONT, near_command
from textkin.cli.process import taking_output
from textkin.cli.variables import PREFIX, check_variables
from textkin.version import __version__

if TYPE_CHECKING:
    from textkin.cli.settings import Settings

OUTPUTS = frozenset({"attention", "export", "out", "report", "table"})
"""Parameters that name an output, whatever the command. All others name an input."""

_FILES_ONLY = frozenset(
    {
        *("against_embeddings", "answers", "api_key_file", "cache", "check", "collection", "decision"),
        *("embeddings", "file", "folder", "index", "like", "practice", "search", "vectors"),
    }
)
"""Parameters that name folders, files of numbers, or files that are also written."""

_DECIDES_NOTHING = frozenset({"as_json", "cache", "download", "wait"})
_HELP = frozenset({"--help", "-h", "--help-all"})
_SHORTEST = 2  # letters: so short a name is near to others by chance

SETTINGS: ContextVar[Settings | None] = ContextVar("settings", default=None)
"""The settings of the command that runs."""


def run(arguments: Sequence[str]) -> None:
    """Run a command line.

    Raises:
        UsageError: its words can't be understood.
        ConfigError: the settings can't be read, or have a wrong option.
        TextkinError: as the command says.
        SystemExit: the command chose an exit code.
    """
    words, common = _common_options(arguments)
    if common.version or common.completion is not None:
        shell = common.completion
        shown = (
            f"textkin {__version__}" if shell is None else completing().app.generate_completion(shell=shell)
        )
        sys.stdout.write(f"{shown}\n")
        return
    settings = common.apply()
    SETTINGS.set(settings)
    if not words or _HELP.intersection(words):
        _show_help(words)
        return
    if settings is not None:
        settings.check(list(commands(settings.words)))
    taken: dict[str, tuple[str, str]] = {}
    command, values = _parsed(words, settings, taken)
    check_variables(command)
    spell_as(Spelling("command", command.flags))  # also for the error that the program shows
    _tell_taken(command, taken)
    with taking_output(_check_standard(command, values)):
        command.run(values)


@dataclass(frozen=True, slots=True, kw_only=True)
class CommonOptions:
    """The options that every command has."""

    quiet: Annotated[
        bool,
        Option(
            "Hide progress and advice. Errors, warnings and counts of skipped rows are shown.", short="-q"
        ),
    ] = False
    verbose: Annotated[bool, Option("Show what is loaded, and how long each part takes.", short="-v")] = False
    config: Annotated[
        Path | None,
        Option(
            "Options by command: [mine] model = ... The command line overrides them.", metavar="FILE.toml"
        ),
    ] = None
    version: Annotated[bool, Option("Show the version.", short="-V")] = False
    completion: Annotated[
        Literal["bash", "zsh", "fish"] | None,
        Option("Print a script that completes commands, options and names in a shell."),
    ] = None

    def apply(self) -> Settings | None:
        """Set the verbosity, and read the settings.

        Raises:
            UsageError: the options exclude each other.
            ConfigError: the settings can't be read.
        """
        if self.quiet and self.verbose:
            raise conflict("quiet", "verbose")
        if self.quiet:
            be_quiet()
        if self.verbose:
            be_verbose()
        from textkin.cli.settings import settings_at, settings_by_default

        return settings_by_default() if self.config is None else settings_at(self.config)


def completing(words: Sequence[str] | None = None) -> Program:
    """The program as shells complete it, with the common options in every command."""
    return build(words, common=options_of(CommonOptions))


def _common_options(arguments: Sequence[str]) -> tuple[list[str], CommonOptions]:
    """The words that are left, and the common options, which may stand anywhere before ``--``."""
    end = list(arguments).index("--") if "--" in arguments else len(arguments)
    app = cyclopts.App(help_flags=(), version_flags=())
    app.default(plain_parameters(CommonOptions))
    try:
        _, bound, words, _ = app.parse_known_args(_hidden(arguments[:end]))
    except cyclopts.CycloptsError as error:
        raise _usage_error(error, (), ()) from error
    common = CommonOptions(**bound.arguments)
    return [*words, *_hidden(arguments[end:])], common


def _hidden(words: Sequence[str]) -> list[str]:
    return [STANDARD_WORD if word == STANDARD else word for word in words]


def _show_help(words: Sequence[str]) -> None:
    """Show the help of a command, or of the program.

    Raises:
        UsageError: there is no such command.
    """
    from rich.console import Console

    names = [word for word in words if not word.startswith("-")]
    rare = "--help-all" in words
    program = build(names or (None if rare else FRONT), rare=rare, options=bool(names))
    path, _, rest = program.app.parse_commands(names)
    if len(path) == 0 and rest:
        raise UsageError(f"no command {rest[0]!r}", fix=near_command(rest[0]))
    program.app.help_print([*path], console=Console(file=sys.stdout, soft_wrap=True, highlight=False))


def _parsed(
    words: Sequence[str], settings: Settings | None = None, taken: dict[str, tuple[str, str]] | None = None
) -> tuple[Command, Mapping[str, Any]]:
    """The command that is meant, and the values of its options.

    ``taken`` is filled with the options that the environment or the settings decide: from where, and how it
    stands there.

    Raises:
        UsageError: the words can't be understood.
        ConfigError: the settings have a wrong option.
    """
    program = build(words)
    taking = partial(_note_sources, {} if taken is None else taken)
    environment = cyclopts.config.Env(prefix=PREFIX)
    program.app.config = (environment, taking) if settings is None else (environment, settings, taking)
    try:
        function, bound, _ = program.app.parse_args(list(words), exit_on_error=False, print_error=False)
    except cyclopts.CycloptsError as error:
        path = tuple(error.command_chain or ())
        meant = [one for one in program.commands.values() if one.path == path]
        flags = [flag for one in meant for each in one.options for flag in each.flags]
        raise _usage_error(error, path, flags) from error
    if function not in program.commands:
        path, _, rest = program.app.parse_commands(list(words))
        if rest:
            raise UsageError(f"no command {rest[0]!r}", fix=near_command(rest[0], *path))
        raise UsageError("the command is missing", fix=f"see: {' '.join(('textkin', *path))} --help")
    return program.commands[function], bound.arguments


def _note_sources(
    taken: dict[str, tuple[str, str]], _app: cyclopts.App, _path: Sequence[str], arguments: Any
) -> None:
    """Note the options that the command line doesn't decide, with their source."""
    for argument in arguments:
        tokens = [token for token in argument.tokens if token.source != "cli"]
        if tokens:
            key, value = tokens[0].keyword.strip("[]"), " ".join(token.value for token in tokens)
            told = ("the environment", f"{key}={value}"), (tokens[0].source, f"{key} = {value}")
            taken[argument.field_info.name] = told[tokens[0].source != "env"]


def _usage_error(
    error: cyclopts.CycloptsError, path: Sequence[str], flags: Sequence[str]
) -> UsageError | ConfigError:
    """The error of the command line's words, or of the settings, in one sentence."""
    see = f"see: {' '.join(('textkin', *path))} --help"
    token, name = getattr(error, "token", None), "" if error.argument is None else error.argument.name
    if token is not None and token.source == "env":
        name = token.keyword or name
    elif token is not None and token.source not in ("", "cli"):
        key = token.keyword.strip("[]")
        told, fix = _wrong_value(error, f"{token.source}: {'.'.join((*path, key))}", "correct it")
        if isinstance(error, cyclopts.UnknownOptionError):
            fix = did_you_mean(key, [flag.lstrip("-") for flag in flags])
        return ConfigError(told, fix=fix)
    unknown = [
        word.partition("=")[0]
        for word in error.root_input_tokens or ()
        if word.startswith("--") and word.partition("=")[0] not in flags
    ]
    if isinstance(error, cyclopts.UnknownOptionError) or (
        isinstance(error, cyclopts.MissingArgumentError) and unknown and path
    ):
        word = (token.keyword or token.value) if token else unknown[0]
        return UsageError(f"no option {word}", fix=_near_option(word, flags) or see)
    if isinstance(error, cyclopts.UnknownCommandError):
        word = (error.unused_tokens or [""])[0]
        if word.startswith("-"):
            return UsageError(f"no option {word}", fix=_near_option(word, flags) or see)
        return UsageError(f"no command {word!r}", fix=near_command(word, *path))
    if isinstance(error, cyclopts.UnusedCliTokensError) and "--model" in flags:
        word = (error.unused_tokens or [""])[0]
        return UsageError(f"one argument too many: {word!r}", fix=f"a model is named: --model {word}; {see}")
    told, fix = _wrong_value(error, name, see)
    return UsageError(told, fix=fix)


def _near_option(word: str, flags: Sequence[str]) -> str | None:
    """The fix for an option that a command doesn't have: what others mean by it, or the nearest one."""
    by_name = {flag.lstrip("-").replace("-", "_"): flag for flag in flags}
    name = word.lstrip("-").replace("-", "_")
    found = meant_option(name, by_name)
    if found is None and len(name) > _SHORTEST:
        found = nearest(name, [one for one in by_name if one != name])
    return None if found is None else f"did you mean {by_name[found]!r}?"


def _wrong_value(error: cyclopts.CycloptsError, name: str, see: str) -> tuple[str, str]:
    """The sentence about an option, and the fix."""
    match error:
        case cyclopts.UnknownOptionError():
            return f"{name} is not an option", see
        case cyclopts.RepeatArgumentError():
            return f"{error.token.keyword} is given twice", see
        case cyclopts.UnusedCliTokensError():
            return f"one argument too many: {(error.unused_tokens or [''])[0]!r}", see
        case cyclopts.MissingArgumentError():
            given = error.keyword is not None or error.tokens_so_far
            return f"{name} {'needs a value' if given else 'is missing'}", see
        case cyclopts.CoercionError(token=token, argument=argument) if token and argument:
            if choices := argument.get_choices() or ():
                return f"{name} is {token.value!r}", did_you_mean(token.value, choices)
            if argument.hint in (int, float) or error.target_type in (int, float):
                told, fix = no_number(token.value, whole=error.target_type is int)
                return f"{name}: {told}", fix
    error.verbose = False
    return " ".join(str(error).split()).removesuffix("."), see


def _tell_taken(command: Command, taken: Mapping[str, tuple[str, str]]) -> None:
    """Say which options the environment and the settings decide: always, if they can change a result."""
    loud = [] if command.path == ("serve",) else [name for name in taken if name not in _DECIDES_NOTHING]
    for tell, names in ((note, loud), (detail, [name for name in taken if name not in loud])):
        for source in dict.fromkeys(taken[name][0] for name in names):
            tell(f"from {source}: {', '.join(taken[name][1] for name in names if taken[name][0] == source)}")


def _check_standard(command: Command, values: Mapping[str, Any]) -> bool:
    """True if standard output is reserved for the command's result.

    Raises:
        UsageError: standard input or output is to be two things at once.
    """
    flags = command.flags
    standard = [name for name, value in values.items() for path in _paths(value) if is_standard(path)]
    read, written = ([name for name in standard if (name in OUTPUTS) is out] for out in (False, True))
    if alone := _FILES_ONLY.intersection(standard):
        raise UsageError(f"{flags[min(alone)]} can't be standard input ({STANDARD})", fix="name a file")
    for names, what in ((read, "input"), (written, "output")):
        if len(names) > 1:
            both = " and ".join(dict.fromkeys(flags[name] for name in names))
            raise UsageError(
                f"standard {what} ({STANDARD}) is named {len(names)} times, by {both}, and can be one thing",
                fix="name files for the others",
            )
    if written and values.get("as_json"):
        raise UsageError(
            f"--json and {flags[written[0]]} {STANDARD} both want standard output", fix="leave one out"
        )
    return bool(written)


def _paths(value: Any) -> Iterator[Path]:
    for one in value if isinstance(value, list | tuple) else [value]:
        if isinstance(one, Path):
            yield Path(STANDARD) if str(one) == STANDARD_WORD else one
