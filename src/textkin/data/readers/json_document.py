"""Whole JSON documents, with errors that give the position in the document."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from textkin.base.errors import DataError
from textkin.data.readers.json_lines import RepeatedKeyError, object_of
from textkin.data.readers.text_files import head, read_bytes

_PICKLE = (b"\x80", b"(", b"]", b"}")  # first bytes of pickles of all protocols, which JSON can't have
_NAMES = {str: "text", int: "a whole number", bool: "true or false", list: "a list", dict: "an object"}


def read_document(path: Path | str) -> Node:
    """Read a JSON document.

    Raises:
        DataError: the file can't be read, is a Python pickle, or is not JSON (truncated, for example), or an
            object has a key twice with different values.
    """
    if head(path).lstrip()[:1] in _PICKLE:
        raise DataError(
            "is a Python pickle, which runs any code that is in it when it is loaded; textkin loads none",
            path=path,
            fix="if you trust its origin, write it as JSON elsewhere: json.dump(pickle.load(...), ...)",
        )
    content = read_bytes(path)
    try:
        value = json.loads(content, object_pairs_hook=object_of)
    except RepeatedKeyError as error:
        raise DataError(
            f"holds an object with the key {error.key[:40]!r} twice, with different values",
            path=path,
            fix="leave one out",
        ) from error
    except json.JSONDecodeError as error:
        raise DataError(
            f"broken JSON: {error.msg} (column {error.colno})",
            path=path,
            line=error.lineno,
            fix="fetch the file again if it was cut off",
        ) from error
    except RecursionError as error:
        raise DataError("JSON that is nested too deeply", path=path, fix="check the file") from error
    except ValueError as error:  # any error of Python's JSON parser
        most = sys.get_int_max_str_digits()
        raise DataError(
            f"holds a whole number of more than {most:,} digits", path=path, fix="correct the number"
        ) from error
    if b"\\u" in content and any(_is_unclean(text) for text in _texts(value)):
        raise DataError(
            "holds a text with half a surrogate pair or a NUL, written as \\uXXXX",
            path=path,
            fix="take such characters out",
        )
    return Node(value, Path(path))


@dataclass(frozen=True, slots=True)
class Node:
    """A value of a document.

    Attributes:
        value: the value.
        path: the file.
        place: position in the document, such as ``data[3].title``; "" for all of it.
    """

    value: Any
    path: Path
    place: str = ""

    @property
    def is_there(self) -> bool:
        """True if the value is not null."""
        return self.value is not None

    def member(self, key: str) -> Node:
        """The object's member under ``key``; null if it is missing."""
        members: dict[str, Any] = self._checked(dict)
        return Node(members.get(key), self.path, f"{self.place}.{key}" if self.place else key)

    def entries(self) -> Iterator[tuple[str, Node]]:
        """The members of the object by key."""
        for key, item in self._checked(dict).items():
            yield key, Node(item, self.path, f"{self.place}[{key!r}]")

    def items(self) -> Iterator[Node]:
        """The items of the list."""
        for number, item in enumerate(self._checked(list)):
            yield Node(item, self.path, f"{self.place}[{number}]")

    def text(self) -> str:
        """The value as a string."""
        return self._checked(str)

    def whole(self) -> int:
        """The value as an integer."""
        return self._checked(int)

    def number(self) -> float:
        """The value as a finite number."""
        if type(self.value) not in (int, float) or not abs(self.value) <= sys.float_info.max:
            raise self.fault(f"expected a finite number, found {self._shown()}")
        return float(self.value)

    def flag(self) -> bool:
        """The value as a boolean."""
        return self._checked(bool)

    def wholes(self) -> list[int]:
        """The value as a list of integers."""
        found: list[int] = self._checked(list)
        if any(type(item) is not int for item in found):
            raise self.fault("expected whole numbers throughout")
        return found

    def fault(self, message: str, *, fix: str = "check the file") -> DataError:
        """An error about this value."""
        return DataError(f"{self.place}: {message}" if self.place else message, path=self.path, fix=fix)

    def _checked(self, kind: type) -> Any:
        if type(self.value) is not kind:
            raise self.fault(f"expected {_NAMES[kind]}, found {self._shown()}")
        return self.value

    def _shown(self) -> str:
        return "nothing" if self.value is None else json.dumps(self.value)[:40]


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, list):
        for item in value:
            yield from _texts(item)
    elif isinstance(value, dict):
        yield from value
        for item in value.values():
            yield from _texts(item)


def _is_unclean(text: str) -> bool:
    return "\0" in text or any("\ud800" <= character <= "\udfff" for character in text)
