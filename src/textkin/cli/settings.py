"""Options from a file: a table for each command, with keys that are its long options.

The file is the one of ``--config``, of the environment variable ``TEXTKIN_CONFIG``, or else
``textkin/config.toml`` in the folder of the user's settings. What the command line says goes first, then
environment variables, then the file, then the default. Relative paths are those of the command line, and
``~`` is the home folder.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import NoneType, UnionType
from typing import TYPE_CHECKING, Any, Literal, Union, final, get_args, get_origin

from textkin.base.errors import ConfigError, did_you_mean
from textkin.base.number_errors import no_number
from textkin.base.paths import exists, open_regular

if TYPE_CHECKING:
    import typer

VARIABLE = "TEXTKIN_CONFIG"
"""The environment variable that names the file; where it is empty, there is none."""

_PER_CALL = frozenset({"quiet", "verbose", "config", "version", "help"})
_LARGEST = 1 << 20  # bytes
_KINDS = {bool: "true or false", int: "a whole number", float: "a number", str: "a string"}


@final
@dataclass(frozen=True, slots=True)
class Settings:
    """What a file of settings holds.

    Attributes:
        path: the file.
        tables: for each command its options, as they stand there.
    """

    path: Path
    tables: Mapping[str, Any]

    def table(self, names: Sequence[str]) -> Mapping[str, Any]:
        """What is said of a command, which may be one of a group.

        Raises:
            ConfigError: it is no table.
        """
        found: Any = self.tables
        for place, name in enumerate(names):
            found = found.get(name, {})
            if not isinstance(found, Mapping):
                key = ".".join(names[: place + 1])
                raise self._fault(key, f"is {found!r}, expected a table", fix=f"write [{key}], and options")
        return found  # type: ignore[no-any-return]

    def defaults(self, ctx: typer.Context) -> dict[str, Any]:
        """The options of a command by the names of its parameters.

        Raises:
            ConfigError: there is no such option, or the value is none for it.
        """
        names = _names(ctx)
        table = self.table(names)
        known = keys_of(ctx.command) if table else {}
        found = {}
        for key, value in table.items():
            place = ".".join((*names, key))
            if key in _PER_CALL:
                raise self._fault(place, "is for the command line alone", fix="take it out")
            if key not in known:
                raise self._fault(place, "is no option", fix=did_you_mean(key, known))
            found[known[key].name] = self._checked(place, value, known[key], ctx)
        return found

    def check(self, program: Any) -> None:
        """Check what is said of all commands, not only of the one that runs.

        Args:
            program: all commands.

        Raises:
            ConfigError: as :meth:`defaults`, of any of them.
        """
        context = program.make_context("textkin", [], resilient_parsing=True)
        self._check(program, context)

    def _check(self, group: Any, context: Any) -> None:
        for name in self.table(_names(context)):
            command = group.commands.get(name)
            if command is None:
                place = ".".join((*_names(context), name))
                raise self._fault(f"[{place}]", "is no command", fix=did_you_mean(name, group.commands))
            inner = command.make_context(name, [], parent=context, resilient_parsing=True)
            if hasattr(command, "commands"):
                self._check(command, inner)
            else:
                self.defaults(inner)

    def took(self, ctx: typer.Context) -> dict[str, str]:
        """The parameters of a command whose values are the file's, each as it stands there."""
        table = self.table(_names(ctx))
        return {
            one.name: shown(key, table[key])
            for key, one in (keys_of(ctx.command) if table else {}).items()
            if key in table and getattr(ctx.get_parameter_source(one.name), "name", "") == "DEFAULT_MAP"
        }

    def words(self) -> str:
        """The file and what stands in it."""
        return f"{self.path}: {'; '.join(_listed(self.tables, ())) or 'empty'}"

    def _checked(self, key: str, value: Any, parameter: Any, ctx: typer.Context) -> Any:
        """A value as the command takes it.

        Raises:
            ConfigError: it is of another type, or out of range.
        """
        from typer import TyperException

        wanted, choices = _type_of(parameter.type_descriptor.annotation)
        several = parameter.multiple or parameter.nargs != 1
        values = value if several and isinstance(value, list) else [value]
        if several and not isinstance(value, list):
            raise self._fault(key, f"is {value!r}, expected an array", fix=f"write [{value!r}]")
        for one in values:
            if not _fits(one, wanted):
                fix = "correct it"
                if isinstance(one, str) and wanted in (int, float):
                    fix = no_number(one, whole=wanted is int)[1]
                raise self._fault(key, f"is {one!r}, expected {_KINDS[wanted]}", fix=fix)
            if choices and one not in choices:
                raise self._fault(key, f"is {one!r}", fix=did_you_mean(str(one), choices))
        values = [os.path.expanduser(one) if isinstance(one, str) else one for one in values]  # noqa: PTH111
        found = values if several else values[0]
        try:
            parameter.process_value(ctx, found)
        except TyperException as error:
            raise self._fault(
                key, error.format_message().strip().removesuffix("."), fix="correct it"
            ) from error
        return found

    def _fault(self, key: str, words: str, *, fix: str) -> ConfigError:
        return ConfigError(f"{self.path}: {key} {words}", fix=fix)


def shown(key: str, value: Any) -> str:
    """An option as it stands in the file."""
    return f"{key} = {json.dumps(value, ensure_ascii=False, default=str)}"


def _listed(tables: Mapping[str, Any], path: tuple[str, ...]) -> Iterator[str]:
    options = [shown(key, value) for key, value in tables.items() if not isinstance(value, Mapping)]
    if options:
        yield f"[{'.'.join(path)}] {', '.join(options)}"
    for name, value in tables.items():
        if isinstance(value, Mapping):
            yield from _listed(value, (*path, name))


def _names(ctx: typer.Context) -> list[str]:
    """What a command is called, without the program: of one in a group two words."""
    found: list[str] = []
    at: Any = ctx
    while at is not None and at.parent is not None:
        found.insert(0, str(at.info_name))
        at = at.parent
    return found


def keys_of(command: Any) -> dict[str, Any]:
    """The parameters of a command that a file can have, by their keys.

    Beside options these are lists of arguments that may be left out, such as the models of ``serve``.
    """
    found = {}
    for one in command.params:
        long = [option for option in one.opts if option.startswith("--")]
        if one.param_type_name == "argument":
            long = [one.name] if one.nargs == -1 and not one.required else []
        found.update({option.removeprefix("--"): one for option in long})
    return {key: one for key, one in found.items() if key not in _PER_CALL}


def settings_at(path: Path) -> Settings:
    """Read a file of settings.

    Raises:
        ConfigError: it is not there, or no TOML; a table is for no command.
    """
    import tomllib

    from textkin.cli.commands import COMMANDS

    try:
        with open_regular(path, follow=True) as stream:
            content = stream.read(_LARGEST + 1)
        if len(content) > _LARGEST:
            raise ConfigError(f"{path}: has more than {_LARGEST >> 20} MiB", fix="name a file of settings")
        tables = tomllib.loads(content.decode("utf-8-sig"))
    except FileNotFoundError as error:
        raise ConfigError(f"{path}: no such file", fix=f"check --config and {VARIABLE}") from error
    except OSError as error:
        raise ConfigError(f"{path}: can't be read ({error.strerror})", fix="check the path") from error
    except UnicodeDecodeError as error:
        raise ConfigError(f"{path}: is no UTF-8", fix="save it as UTF-8") from error
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise ConfigError(f"{path}: is no TOML: {error}", fix="see https://toml.io") from error
    for name, table in tables.items():
        if name not in COMMANDS:
            raise ConfigError(f"{path}: [{name}] is no command", fix=did_you_mean(name, COMMANDS))
        if not isinstance(table, dict):
            raise ConfigError(
                f"{path}: {name} is {table!r}, expected a table", fix=f"write [{name}], and options below it"
            )
    return Settings(path, tables)


def default_place() -> Path | None:
    """Where settings are looked for without ``--config``; None where nothing says it."""
    if (named := os.environ.get(VARIABLE)) is not None:
        return Path(named).expanduser() if named else None
    folder = os.environ.get("XDG_CONFIG_HOME", "")
    if folder and Path(folder).is_absolute():
        return Path(folder) / "textkin" / "config.toml"
    try:
        return Path.home() / ".config" / "textkin" / "config.toml"
    except RuntimeError:  # no home folder
        return None


def settings_by_default() -> Settings | None:
    """The user's settings; None without any.

    Raises:
        ConfigError: as :func:`settings_at`; the one that ``TEXTKIN_CONFIG`` names must be there.
    """
    place = default_place()
    if place is None or (VARIABLE not in os.environ and not exists(place)):
        return None
    return settings_at(place)


def _type_of(annotation: Any) -> tuple[type, tuple[str, ...]]:
    """The type of a value, and the words that it may be, if only some."""
    while (origin := get_origin(annotation)) is not None:
        arguments = [one for one in get_args(annotation) if one is not NoneType]
        if origin is Literal:
            return type(arguments[0]), tuple(map(str, arguments))
        if origin not in (list, tuple, Union, UnionType) or not arguments:
            break
        annotation = arguments[0]
    return (annotation if annotation in (bool, int, float) else str), ()


def _fits(value: Any, wanted: type) -> bool:
    if wanted is float:
        return isinstance(value, int | float) and not isinstance(value, bool)
    return type(value) is wanted
