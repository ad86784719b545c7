"""JSON written by textkin: objects, and frozen dataclasses checked by their annotations."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import fields, is_dataclass
from functools import cache
from typing import TYPE_CHECKING, Any, TypeVar

from textkin.base.printable import shortened

if TYPE_CHECKING:
    from pydantic import TypeAdapter, ValidationError

_Class = TypeVar("_Class")
_LONGEST = 60  # characters of a value in a message
_MOST = 1e300  # integers beyond are too large for a float, and would become infinite


def json_object(text: str | bytes) -> dict[str, Any] | None:
    """The JSON object that a text is; None if it is anything else."""
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) else None


def restored(kind: type[_Class], values: Any, *, finite: bool = False) -> _Class:
    """Build a dataclass from its JSON value, without converting any types.

    Args:
        kind: the dataclass.
        values: the value from ``json.loads``. Keys without a field are ignored.
        finite: True to reject NaN and infinite numbers.

    Raises:
        ValueError: a key is missing, or its value has another type; the message names key and value.
    """
    from pydantic import ValidationError

    known: Any = kind
    if (huge := next(_huge(values), None)) is not None:
        raise ValueError(f"a number of {len(str(huge))} digits is too large")
    try:
        text = json.dumps(values, allow_nan=not finite)
    except ValueError as error:
        raise ValueError("a number is not finite") from error
    try:
        found: _Class = _adapter(known).validate_json(text, strict=True)
    except ValidationError as error:
        raise ValueError(_in_words(error)) from error
    if (absent := next(_absent(found, values), None)) is not None:
        raise ValueError(f"{absent} is missing")
    return found


def restored_by(key: str, kinds: Mapping[str, type], values: Any) -> Any:
    """Build the dataclass that the value under ``key`` names, as :func:`restored` does; finite numbers only.

    Raises:
        ValueError: the value names none of them, or as :func:`restored`.
    """
    name = str(values.get(key)) if isinstance(values, dict) else ""
    if name not in kinds:
        raise ValueError(f"{key} is {shortened(repr(name), _LONGEST)}, expected one of {', '.join(kinds)}")
    return restored(kinds[name], values, finite=True)


def _absent(found: Any, values: Any, above: str = "") -> Iterator[str]:
    """The missing fields: textkin writes all except those that are None."""
    if is_dataclass(found):
        for one in fields(found):
            if one.name not in values and one.default is not None:
                yield f"{above}{one.name}"
            elif one.name in values:
                yield from _absent(getattr(found, one.name), values[one.name], f"{above}{one.name}.")
    elif isinstance(found, tuple):
        for place, (item, value) in enumerate(zip(found, values, strict=True)):
            yield from _absent(item, value, f"{above}{place}.")


def _huge(values: Any) -> Iterator[int]:
    if isinstance(values, dict | list):
        for one in values.values() if isinstance(values, dict) else values:
            yield from _huge(one)
    elif isinstance(values, int) and abs(values) >= _MOST:
        yield values


@cache
def _adapter(kind: Any) -> TypeAdapter[Any]:
    from pydantic import TypeAdapter

    return TypeAdapter[Any](kind)


def _in_words(error: ValidationError) -> str:
    first = error.errors(include_url=False)[0]
    key = ".".join(map(str, first["loc"]))
    if first["type"] == "missing":
        return f"{key} is missing"
    if first["type"] == "unexpected_keyword_argument":
        return f"{key} is unknown"
    expected = first["msg"].removeprefix("Input should be ")
    if key and expected != first["msg"]:
        return f"{key} is {shortened(repr(first['input']), _LONGEST)}, expected {expected}"
    return f"{key}: {first['msg']}" if key else first["msg"]
