"""JSON lines as rows with columns.

A column is a key, or a dotted path into objects (``data.text``) and lists (``messages.0.content``). A key
that contains the dots itself takes precedence over the path.
"""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from textkin.base.errors import DataError

NO_OBJECT = "not a readable JSON object"
UNCLEAN = "half a character (a lone surrogate) or a NUL, written as \\uXXXX"
TWICE = "an object with a key twice, with different values"

_MOST_KEYS = 500  # objects with more keys are maps, not rows


class JsonNumber(str):
    """A cell with a JSON number, as written in the file."""

    __slots__ = ()


class RepeatedKeyError(ValueError):
    """A key that comes twice in an object, with different values."""

    def __init__(self, key: str) -> None:
        super().__init__(key)
        self.key = key


def object_of(members: list[tuple[str, Any]]) -> dict[str, Any]:
    """The members of a JSON object by key; Python's parser would keep the last of two values silently.

    Raises:
        RepeatedKeyError: a key comes twice with different values.
    """
    found = dict(members)
    if len(found) < len(members) and (twice := [key for key, value in members if value != found[key]]):
        raise RepeatedKeyError(twice[0])
    return found


# NaN and infinities are neither numbers nor anything else.
_JSON = json.JSONDecoder(
    object_pairs_hook=object_of,
    parse_float=JsonNumber,
    parse_int=JsonNumber,
    parse_constant=lambda _: None,
)


def parse_object(line: str) -> dict[str, Any] | None:
    """Parse the JSON object of a line, with numbers as the strings in the file; None if invalid.

    A valid object has only texts that UTF-8 can encode: no lone surrogates, no NUL. NaN and infinities become
    null.
    """
    value = _decoded(line)
    return value if isinstance(value, dict) and not _is_unclean(value, line) else None


def objection_to(line: str) -> str:
    """The reason why :func:`parse_object` rejects a line."""
    value = _decoded(line)
    return value if isinstance(value, str) else UNCLEAN


def looks_like_json(first_lines: Sequence[str], path: Path) -> bool:
    """True if a file whose first line opens a bracket contains JSON lines.

    Raises:
        DataError: the file's name claims so, but none of its first lines is an object.
    """
    named = "json" in "".join(path.suffixes).lower()
    if any(_decoded(line) != NO_OBJECT for line in (first_lines if named else first_lines[:1])):
        return True
    if named:
        raise DataError(
            "the first line is not a JSON object",
            path=path,
            line=1,
            fix='write one object a line, such as {"a": "...", "b": "...", "label": 1}',
        )
    return False


def keys_of(lines: Sequence[str], named: Iterable[str] = ()) -> tuple[str, ...]:
    """The columns of some lines: keys, for objects the paths of their members, and the named paths."""
    found: dict[str, None] = {}
    for line in lines:
        for key, value in (parse_object(line) or {}).items():
            paths = _paths(key, value)
            found.update(dict.fromkeys(paths if len(found) + len(paths) <= _MOST_KEYS else (key,)))
    return (*found, *keys_among(lines, [path for path in named if path not in found]))


def keys_among(lines: Iterable[str], wanted: Iterable[str]) -> tuple[str, ...]:
    """The wanted keys and paths that some line has; reading stops when all are found.

    Numbers are left out: they are those of columns.
    """
    missing = [path for path in wanted if not path.isdecimal()]
    found: list[str] = []
    for line in lines if missing else ():
        values = parse_object(line) or {}
        found += [path for path in missing if value_at(values, path) is not None]
        missing = [path for path in missing if path not in found]
        if not missing:
            break
    return tuple(found)


def value_at(values: Mapping[str, Any], path: str) -> Any:
    """The value at a path; None if it is missing."""
    if path in values or "." not in path:
        return values.get(path)
    for end in (place for place, letter in enumerate(path) if letter == "."):
        inner, rest = values.get(path[:end]), path[end + 1 :]
        if isinstance(inner, list):
            inner = {str(place): item for place, item in enumerate(inner)}
        if isinstance(inner, dict) and (found := value_at(inner, rest)) is not None:
            return found
    return None


def cell_of(value: Any) -> str:
    """A value as a table cell: a list or an object as JSON."""
    if value is None:
        return ""
    return value if isinstance(value, str) else _written(value)


def _written(value: Any) -> str:
    """A value as JSON, with numbers as they are written in the file."""
    if isinstance(value, JsonNumber):
        return str(value)
    if isinstance(value, list):
        return f"[{', '.join(map(_written, value))}]"
    if isinstance(value, dict):
        return f"{{{', '.join(f'{_written(str(key))}: {_written(item)}' for key, item in value.items())}}}"
    return json.dumps(value, ensure_ascii=False)


def _decoded(line: str) -> dict[str, Any] | str:
    """The object of a line, or the reason why it is none."""
    try:
        value = _JSON.decode(line)
    except RepeatedKeyError:
        return TWICE
    except (ValueError, RecursionError):
        return NO_OBJECT
    return value if isinstance(value, dict) else NO_OBJECT


def _is_unclean(value: Mapping[str, Any], line: str) -> bool:
    if "\\u" not in line:
        return False
    cells = [cell_of(cell) for cell in (*value, *value.values())]
    try:
        "".join(cells).encode()
    except UnicodeEncodeError:
        return True
    return any("\0" in cell for cell in cells)


def _paths(key: str, value: Any) -> list[str]:
    """The paths of all members of an object, or the key itself for other values."""
    return list(_inner(key, value)) or [key]


def _inner(path: str, value: Any) -> Iterator[str]:
    if not isinstance(value, dict):
        yield path
        return
    for key, item in value.items():
        yield from _inner(f"{path}.{key}", item)
