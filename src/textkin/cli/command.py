"""What every command has: the common options, settings from a file, ``-`` for standard input and output."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, final

import typer
from typer.core import TyperCommand

from textkin.base.errors import UsageError
from textkin.base.paths import STANDARD, is_standard
from textkin.base.progress import be_quiet, be_verbose, detail, note
from textkin.cli.process import taking_output
from textkin.version import __version__

if TYPE_CHECKING:
    from typer.core import TyperGroup

    from textkin.cli.settings import Settings

OUTPUTS = frozenset({"attention", "export", "out", "passport", "report", "table"})
"""Parameters that name what is written, whatever the command; all others name what is read."""

_FILES_ONLY = frozenset(
    {
        *("against_embeddings", "answers", "api_key_file", "cache", "check", "collection", "decision"),
        *("embeddings", "file", "folder", "index", "like", "practice", "search", "vectors"),
    }
)
"""Parameters that name folders, files of numbers, or files that are written, too."""

_SETTINGS = "textkin.settings"
_DECIDES_NOTHING = frozenset({"as_json", "cache", "download", "wait"})
_SERVERS = frozenset({"serve", "mcp"})


@final
class Command(TyperCommand):
    """A command with the options that all have."""

    def __init__(self, name: str | None, **named: Any) -> None:
        super().__init__(name, **named)
        self.params.extend(common_options())

    def invoke(self, ctx: Any) -> Any:
        """Run it, after what its arguments mean for standard input and output."""
        self._tell_settings(ctx)
        with taking_output(_check_standard(self, ctx.params)):
            return super().invoke(ctx)

    def _tell_settings(self, ctx: typer.Context) -> None:
        """Say what a file decided: always, if it can change a result."""
        settings = settings_of(ctx)
        if settings is None:
            return
        taken = settings.took(ctx)
        loud = [] if self.name in _SERVERS else [name for name in taken if name not in _DECIDES_NOTHING]
        for tell, names in ((note, loud), (detail, [name for name in taken if name not in loud])):
            if names:
                tell(f"from {settings.path}: {', '.join(taken[name] for name in names)}")


@cache
def common_options() -> tuple[Any, ...]:
    """The parameters that all commands have."""
    from typer.main import get_command

    app = typer.Typer(add_completion=False, rich_markup_mode=None)
    app.command()(_common)
    return tuple(get_command(app).params)


def settings_of(ctx: typer.Context) -> Settings | None:
    """The settings that a command has got; None without a file."""
    found: Settings | None = ctx.meta.get(_SETTINGS)
    return found


def _show_version(wanted: bool) -> None:
    if wanted:
        from textkin.cli.output import emit_text

        emit_text(f"textkin {__version__}")
        raise typer.Exit


def _quiet(ctx: typer.Context, wanted: bool) -> None:
    if wanted and not ctx.resilient_parsing:
        _refuse_both(ctx, "-q")
        be_quiet()


def _verbose(ctx: typer.Context, wanted: bool) -> None:
    if wanted and not ctx.resilient_parsing:
        _refuse_both(ctx, "-v")
        be_verbose()


def _refuse_both(ctx: typer.Context, said: str) -> None:
    if ctx.meta.setdefault("textkin.said", said) != said:
        raise UsageError("-q and -v at once", fix="give one of them")


def _settings(ctx: typer.Context, value: Path | None) -> None:
    """Have the options of a command that nobody gave come from the settings."""
    if ctx.resilient_parsing:
        return
    from textkin.cli.settings import settings_at, settings_by_default

    known: Settings | None = ctx.meta.get(_SETTINGS)
    if value is not None:
        known = settings_at(value)
    elif known is None:
        known = settings_by_default()
    if known is None:
        return
    ctx.meta[_SETTINGS] = known
    if ctx.parent is not None:
        ctx.default_map = known.defaults(ctx)


def _common(
    quiet: Annotated[
        bool,
        typer.Option(
            "-q",
            "--quiet",
            callback=_quiet,
            expose_value=False,
            is_eager=True,
            help="Show neither progress nor advice. Errors, warnings and what was skipped are shown.",
        ),
    ] = False,
    verbose: Annotated[
        bool,
        typer.Option(
            "-v",
            "--verbose",
            callback=_verbose,
            expose_value=False,
            is_eager=True,
            help="Say what is loaded, and how long each part took.",
        ),
    ] = False,
    config: Annotated[
        Path | None,
        typer.Option(
            "--config",
            metavar="FILE.toml",
            callback=_settings,
            expose_value=False,
            is_eager=True,
            help="Options by command: [mine] model = ...; those on the command line go first.",
        ),
    ] = None,
    version: Annotated[
        bool,
        typer.Option(
            "-V",
            "--version",
            callback=_show_version,
            expose_value=False,
            is_eager=True,
            help="Print the version.",
        ),
    ] = False,
) -> None:
    """Hold the options of all commands."""


def _check_standard(command: TyperCommand | TyperGroup, given: Mapping[str, Any]) -> bool:
    """Whether standard output is taken by what the command makes.

    Raises:
        UsageError: standard input or output is to be two things at once.
    """
    named = {
        one.name: (one.opts[0] if one.opts[0].startswith("-") else one.metavar or one.name)
        for one in command.params
    }
    standard = [name for name, value in given.items() for path in _paths(value) if is_standard(path)]
    read, written = ([name for name in standard if (name in OUTPUTS) is out] for out in (False, True))
    if alone := _FILES_ONLY.intersection(standard):
        raise UsageError(f"{named[min(alone)]} can't be standard input ({STANDARD})", fix="name a file")
    for names, what in ((read, "input"), (written, "output")):
        if len(names) > 1:
            both = " and ".join(dict.fromkeys(named[name] for name in names))
            raise UsageError(
                f"standard {what} ({STANDARD}) is named {len(names)} times, by {both}, and can be one thing",
                fix="name files for the others",
            )
    if written and given.get("as_json"):
        raise UsageError(
            f"--json and {named[written[0]]} {STANDARD} both want standard output", fix="leave one out"
        )
    return bool(written)


def _paths(value: Any) -> Iterator[Path]:
    for one in value if isinstance(value, list | tuple) else [value]:
        if isinstance(one, Path):
            yield one
