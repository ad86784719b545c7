"""Options from a file: a table for each command, with keys that are its long options.

The file is the one of ``--config``, of the environment variable ``TEXTKIN_CONFIG``, or else
``textkin/config.toml`` in the folder of the user's settings. The command line takes precedence, then
environment variables, then the file, then the default. Relative paths are those of the command line, and
``~`` is the home folder.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from pathlib import Path
from typing import TYPE_CHECKING, Any

from cyclopts import App, Token

from textkin.base.errors import ConfigError, did_you_mean
from textkin.base.paths import exists, open_regular
from textkin.cli.commands import listed, near_command

if TYPE_CHECKING:
    from textkin.cli.app import Command

VARIABLE = "TEXTKIN_CONFIG"
"""The environment variable that names the file; where it is empty, there is none."""

_LARGEST = 1 << 20  # bytes


@dataclass(frozen=True, slots=True)
class Settings:
    """The contents of a settings file.

    Attributes:
        path: the file.
        tables: the options of each command, as they stand there.
    """

    path: Path
    tables: Mapping[str, Any]

    def __call__(self, app: App, path: Sequence[str], arguments: Any) -> None:
        """Give cyclopts the options of a command that it has from nowhere else."""
        from cyclopts.config import Dict

        table: Any = self.tables
        for name in path:
            table = table.get(name, {}) if isinstance(table, Mapping) else table
        if not isinstance(table, Mapping):
            raise self._fault(".".join(path), f"is {table!r}, expected a table")
        options = dict(table)
        for argument in arguments:  # cyclopts doesn't know arguments without a flag by name
            name = argument.field_info.name
            keys = {one.lstrip("-") for one in argument.names} & options.keys()
            for key in keys:  # commas join what one option takes as a list
                if isinstance(options[key], list) and not argument.token_count()[1]:
                    options[key] = ",".join(map(str, options[key]))
            if argument.index is not None and name in options:
                given = options.pop(name)
                values = [] if argument.tokens else given if isinstance(given, list) else [given]
                for place, value in enumerate(values):
                    argument.append(
                        Token(keyword=f"[{name}]", value=str(value), source=str(self.path), index=place)
                    )
        nested = reduce(lambda inner, name: {name: inner}, reversed(path), options)
        Dict(nested, source=str(self.path))(app, tuple(path), arguments)

    @property
    def words(self) -> list[str]:
        """The words of all commands that have a table."""
        return list(dict.fromkeys(word for path, _ in _leaves(self.tables) for word in path))

    def check(self, commands: Sequence[Command]) -> None:
        """Check the names in all tables, not only in that of the command that runs.

        Raises:
            ConfigError: there is no such command, or it has no such option.
        """
        keys = {
            one.path: [each.name if each.positional else each.flag.lstrip("-") for each in one.options]
            for one in commands
        }
        for path, key in _leaves(self.tables):
            if not path:
                raise self._fault(key, f"is {self.tables[key]!r}, expected a table")
            if path not in keys:
                raise self._fault(
                    f"[{'.'.join(path)}]", "is not a command", near_command(path[-1], *path[:-1])
                )
            if key not in keys[path]:
                raise self._fault(".".join((*path, key)), "is not an option", did_you_mean(key, keys[path]))

    def _fault(self, key: str, words: str, fix: str = "write [COMMAND], and options below it") -> ConfigError:
        return ConfigError(f"{self.path}: {key} {words}", fix=fix)


def _leaves(tables: Mapping[str, Any], path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], str]]:
    for key, value in tables.items():
        if isinstance(value, Mapping):
            yield from _leaves(value, (*path, key))
        else:
            yield path, key


def settings_at(path: Path) -> Settings:
    """Read a file of settings.

    Raises:
        ConfigError: it is not there, or no TOML; a table is for no command.
    """
    import tomllib

    try:
        with open_regular(path, follow=True) as stream:
            content = stream.read(_LARGEST + 1)
        if len(content) > _LARGEST:
            raise ConfigError(f"has more than {_LARGEST >> 20} MiB", path=path, fix="name a file of settings")
        tables = tomllib.loads(content.decode("utf-8-sig"))
    except FileNotFoundError as error:
        raise ConfigError("no such file", path=path, fix=f"check --config and {VARIABLE}") from error
    except OSError as error:
        raise ConfigError(f"can't be read ({error.strerror})", path=path, fix="check the path") from error
    except UnicodeDecodeError as error:
        raise ConfigError("is not UTF-8", path=path, fix="save it as UTF-8") from error
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise ConfigError(f"is not TOML: {error}", path=path, fix="see https://toml.io") from error
    if unknown := next((name for name in tables if name not in listed()), None):
        raise ConfigError(f"[{unknown}] is not a command", path=path, fix=near_command(unknown))
    return Settings(path, _expanded(tables))


def _expanded(value: Any) -> Any:
    """A value with ``~`` replaced by the home folder in all its strings."""
    if isinstance(value, dict):
        return {key: _expanded(one) for key, one in value.items()}
    if isinstance(value, list):
        return [_expanded(one) for one in value]
    return os.path.expanduser(value) if isinstance(value, str) else value  # noqa: PTH111


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
