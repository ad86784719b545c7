"""Options from a file: a table for each command, with keys that are its long options.

The file is the one of ``--config``, of the environment variable ``TEXTKIN_CONFIG``, or else
``textkin/config.toml`` in the folder of the user's settings. The command line takes precedence, then
environment variables, then the file, then the default. Relative paths are those of the command line, and
``~`` is the home folder.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, final

from cyclopts import Token

from textkin.base.errors import ConfigError, did_you_mean
from textkin.base.number_errors import no_number
from textkin.base.options import Declared, between
from textkin.base.paths import exists, open_regular

if TYPE_CHECKING:
    from textkin.cli.app import Command

VARIABLE = "TEXTKIN_CONFIG"
"""The environment variable that names the file; where it is empty, there is none."""

_PER_CALL = frozenset({"quiet", "verbose", "config", "version", "help"})
_LARGEST = 1 << 20  # bytes
_KINDS = {bool: "true or false", int: "a whole number", float: "a number", str: "a string"}


@final
@dataclass(frozen=True, slots=True)
class Settings:
    """The contents of a settings file.

    Attributes:
        path: the file.
        tables: the options of each command, as they stand there.
    """

    path: Path
    tables: Mapping[str, Any]

    def table(self, names: Sequence[str]) -> Mapping[str, Any]:
        """The table of a command, which may be one of a group.

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

    def values(self, command: Command) -> dict[str, list[str]]:
        """The options of a command that stand in its table, each with its values as words.

        Raises:
            ConfigError: there is no such option, or it doesn't take the value.
        """
        known = keys_of(command)
        found = {}
        for key, value in self.table(command.path).items():
            place = ".".join((*command.path, key))
            if key in _PER_CALL:
                raise self._fault(place, "is for the command line alone", fix="take it out")
            if key not in known:
                raise self._fault(place, "is no option", fix=did_you_mean(key, known))
            found[known[key].name] = self._words(place, value, known[key])
        return found

    def source(self, commands: Iterable[Command], taken: dict[str, tuple[str, str]]) -> Callable[..., None]:
        """A source of options for cyclopts, after the command line and the environment.

        Args:
            commands: the commands that may be called.
            taken: filled with the options that the file decides: the file, and how it stands there.
        """
        by_path = {one.path: one for one in commands}

        def fill(_app: Any, path: tuple[str, ...], arguments: Any) -> None:
            if (command := by_path.get(tuple(path))) is None:
                return
            values, known = self.values(command), {one.name: key for key, one in keys_of(command).items()}
            for argument in arguments:
                name = argument.field_info.name
                if name in values and not argument.tokens:
                    taken[name] = str(self.path), shown(known[name], self.table(path)[known[name]])
                    for place, word in enumerate(values[name]):
                        argument.append(
                            Token(keyword=known[name], value=word, source="settings", index=place)
                        )

        return fill

    def check(self, commands: Iterable[Command]) -> None:
        """Check the tables of all commands, not only of the one that runs.

        Raises:
            ConfigError: as :meth:`values`, of any of them.
        """
        by_path = {one.path: one for one in commands}
        groups = {path[0] for path in by_path if len(path) > 1}
        for name in self.tables:
            inner = [(name, key) for key in self.table([name])] if name in groups else [(name,)]
            for path in inner:
                if path not in by_path:
                    near = did_you_mean(path[-1], [each[-1] for each in by_path if each[0] == name])
                    raise self._fault(f"[{'.'.join(path)}]", "is no command", fix=near)
                self.values(by_path[path])

    def _words(self, key: str, value: Any, option: Declared) -> list[str]:
        """A value as words of a command line.

        Raises:
            ConfigError: it is of another type, or out of range.
        """
        if (option.several or option.together > 1) and not isinstance(value, list):
            raise self._fault(key, f"is {value!r}, expected an array", fix=f"write [{value!r}]")
        values = value if isinstance(value, list) else [value]
        for one in values:
            self._check_value(key, one, option)
        return [
            str(one).lower()
            if isinstance(one, bool)
            else os.path.expanduser(one)  # noqa: PTH111
            if isinstance(one, str)
            else str(one)
            for one in values
        ]

    def _check_value(self, key: str, value: Any, option: Declared) -> None:
        wanted = option.kind if option.kind in _KINDS else str
        if not _fits(value, wanted):
            fix = "correct it"
            if isinstance(value, str) and wanted in (int, float):
                fix = no_number(value, whole=wanted is int)[1]
            raise self._fault(key, f"is {value!r}, expected {_KINDS[wanted]}", fix=fix)
        if option.choices and value not in option.choices:
            raise self._fault(key, f"is {value!r}", fix=did_you_mean(str(value), option.choices))
        low, high = option.option.low, option.option.high
        if (low is not None and value < low) or (high is not None and value > high):
            raise self._fault(key, f"is {value!r}, expected {between(low, high)}", fix="correct it")

    def _fault(self, key: str, words: str, *, fix: str) -> ConfigError:
        return ConfigError(f"{self.path}: {key} {words}", fix=fix)


def shown(key: str, value: Any) -> str:
    """An option as it stands in the file."""
    return f"{key} = {json.dumps(value, ensure_ascii=False, default=str)}"


def keys_of(command: Command) -> dict[str, Declared]:
    """The options of a command that a file can have, by their keys.

    Beside options these are lists of arguments that may be left out, such as the models of ``serve``.
    """
    return {
        one.name if one.positional else one.flag.lstrip("-"): one
        for one in command.options
        if not one.positional or (one.several and not one.required)
    }


def settings_at(path: Path) -> Settings:
    """Read a file of settings.

    Raises:
        ConfigError: it is not there, or no TOML; a table is for no command.
    """
    import tomllib

    from textkin.cli.commands import listed, near_command

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
        if name not in listed():
            raise ConfigError(f"{path}: [{name}] is no command", fix=near_command(name))
        if not isinstance(table, dict):
            raise ConfigError(
                f"{path}: {name} is {table!r}, expected a table", fix=f"write [{name}], and options below it"
            )
    return Settings(path, tables)


def default_place() -> Path | None:
    """The default path of the settings file; None where the system defines no folder for it."""
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


def _fits(value: Any, wanted: type) -> bool:
    if wanted is float:
        return isinstance(value, int | float) and not isinstance(value, bool)
    return type(value) is wanted
