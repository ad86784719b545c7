"""Recipe files: TOML that contains only differences from a base.

``base = "siamese-bag"`` names a bundled recipe, or one of the bundled bases such as ``"bases/pairs"``; ``base
= "../ours.toml"`` names a file, relative to the file's folder. Tables are merged key by key. Everything else,
including lists and so all of ``[[objectives]]``, replaces the base's value. ``without =
["training.patience"]`` removes keys of the base. The name is never inherited: a recipe without one has its
file's.
"""

import tomllib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from importlib import resources
from pathlib import Path
from typing import Any

from textkin.base.errors import ConfigError, did_you_mean

BASE, WITHOUT = "base", "without"
"""The keys of a file that aren't part of a recipe."""

_DEEPEST = 8  # length of a chain of base files
_SUFFIX = ".toml"


@dataclass(frozen=True, slots=True)
class RecipeFile:
    """The contents of one file, without its base.

    Args:
        where: the file's name in messages.
        name: the recipe's name, if the file has none.
        values: all keys but the two of :data:`BASE` and :data:`WITHOUT`.
        base: a bundled name or a path, as in the file.
        without: keys of the base to remove, such as "training.patience".
        path: the file's path; None for a bundled one, whose base is bundled, too.
    """

    where: str
    name: str
    values: dict[str, Any]
    base: str | None
    without: tuple[str, ...]
    path: Path | None

    @property
    def place(self) -> str | Path:
        """The identity of a file, for detecting repetition."""
        return self.where if self.path is None else self.path.resolve()


def bundled_recipes() -> tuple[str, ...]:
    """The names of the bundled recipes, sorted."""
    return _bundled("")


def read_recipe_files(name: str | Path) -> tuple[RecipeFile, ...]:
    """A recipe's file, by a bundled name or a path, then its base, the base's base, and so on.

    Raises:
        ConfigError: there is no such file or base, one isn't TOML, or the chain of bases is infinite.
    """
    known = bundled_recipes()
    if str(name) in known:
        found = [_read_bundled(str(name))]
    elif Path(name).suffix == _SUFFIX and Path(name).is_file():
        found = [_read_own(Path(name))]
    else:
        raise ConfigError(
            f"there is no recipe {str(name)!r}",
            fix=f"{did_you_mean(str(name), known)} (the path of a {_SUFFIX} file does, too)",
            params=("recipe",),
            value=str(name),
        )
    while found[-1].base is not None:
        found.append(_base_of(found[-1], found[-1].base))
        path = " -> ".join(file.where for file in found)
        if found[-1].place in [file.place for file in found[:-1]]:
            raise ConfigError(f"bases go in a circle: {path}", fix=f"take {BASE} out of one of these files")
        if len(found) > _DEEPEST:
            raise ConfigError(
                f"more than {_DEEPEST} files build on one another: {path}", fix="join some of them"
            )
    return tuple(found)


def merged(files: Sequence[RecipeFile]) -> dict[str, Any]:
    """Merge a recipe's file with its bases; ``files`` from :func:`read_recipe_files`.

    Raises:
        ConfigError: a file removes a key that its base doesn't have.
    """
    values: dict[str, Any] = {}
    for file in reversed(files):
        for key in file.without:
            values = _left_out(values, key, file.where)
        values = _over(values, file.values)
    return {**values, "name": files[0].values.get("name", files[0].name)}


def where_stated(files: Sequence[RecipeFile], place: Sequence[int | str]) -> str:
    """The file that determines a key, or the longest prefix of it that any file has."""
    return max(files, key=lambda file: _depth(file.values, place)).where


def _base_of(file: RecipeFile, base: str) -> RecipeFile:
    if base.endswith(_SUFFIX) and file.path is not None:
        path = file.path.parent / base
        if not path.is_file():
            raise ConfigError(
                f"{file.where}: {BASE} = {base!r}: there is no file {path}",
                fix=f"give its path as seen from {file.path.parent}, or a bundled recipe's name",
            )
        return _read_own(path)
    known = bundled_recipes() + _bundled("bases/")
    if base not in known:
        raise ConfigError(
            f"{file.where}: {BASE} = {base!r} is neither a bundled recipe nor the path of a {_SUFFIX} file",
            fix=did_you_mean(base, known),
        )
    return _read_bundled(base)


def _bundled(folder: str) -> tuple[str, ...]:
    files = (resources.files(__package__) / folder).iterdir()
    names = [item.name for item in files if item.name.endswith(_SUFFIX)]
    return tuple(sorted(folder + name.removesuffix(_SUFFIX) for name in names))


def _read_bundled(name: str) -> RecipeFile:
    file = resources.files(__package__) / f"{name}{_SUFFIX}"
    return _parsed(file.read_text(encoding="utf-8-sig"), f"recipe {name}", name, path=None)


def _read_own(path: Path) -> RecipeFile:
    try:
        text = path.read_text(encoding="utf-8-sig")
    except OSError as error:
        raise ConfigError(f"can't read {path}: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise ConfigError(f"{path} is not UTF-8 at byte {error.start}", fix="save it as UTF-8") from error
    return _parsed(text, str(path), path.stem, path=path)


def _parsed(text: str, where: str, name: str, *, path: Path | None) -> RecipeFile:
    try:
        values = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise ConfigError(f"{where} is not TOML: {error}", fix="correct that line") from error
    except RecursionError as error:
        raise ConfigError(f"{where} nests too deep", fix="correct it") from error
    except ValueError as error:  # all errors of Python's parser for invalid TOML
        raise ConfigError(f"{where} holds a number of too many digits", fix="correct it") from error
    base, without = values.pop(BASE, None), values.pop(WITHOUT, [])
    if not isinstance(base, str | None):
        raise ConfigError(
            f"{where}: {BASE} = {base!r}", fix=f"give one recipe's name, or the path of a {_SUFFIX} file"
        )
    if not isinstance(without, list) or not all(isinstance(key, str) for key in without):
        raise ConfigError(
            f"{where}: {WITHOUT} = {without!r}", fix='give a list such as ["training.patience"]'
        )
    if without and base is None:
        raise ConfigError(f"{where}: {WITHOUT} = {without!r}, and there is no {BASE}", fix="name a base")
    return RecipeFile(where, name, values, base, tuple(without), path)


def _over(base: dict[str, Any], own: dict[str, Any]) -> dict[str, Any]:
    """Merge ``own`` over ``base``."""
    return base | {
        key: _over(base[key], value) if isinstance(value, dict) and isinstance(base.get(key), dict) else value
        for key, value in own.items()
    }


def _left_out(values: dict[str, Any], key: str, where: str) -> dict[str, Any]:
    known = list(_keys(values))
    if key not in known:
        raise ConfigError(f"{where}: {WITHOUT}: its base has no key {key!r}", fix=did_you_mean(key, known))
    first, _, rest = key.partition(".")
    if rest:
        return {**values, first: _left_out(values[first], rest, where)}
    return {name: value for name, value in values.items() if name != first}


def _keys(values: dict[str, Any], prefix: str = "") -> Iterator[str]:
    for key, value in values.items():
        yield prefix + key
        if isinstance(value, dict):
            yield from _keys(value, f"{prefix}{key}.")


def _depth(values: Any, place: Sequence[int | str]) -> int:
    """The depth to which a key's path exists in a file; it ends at a list, which is replaced whole."""
    if not place or not isinstance(values, dict) or place[0] not in values:
        return 0
    return 1 + _depth(values[place[0]], place[1:])
