"""Arguments of simple types, checked by their annotations: numbers, texts, paths, words, records.

NumPy's numbers, tensors without dimensions and decimals become Python's numbers. Everything else is left to
whoever takes the argument.
"""

from __future__ import annotations

import inspect
import math
import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import fields, is_dataclass
from decimal import Decimal
from enum import Enum
from fractions import Fraction
from functools import wraps
from pathlib import Path
from types import NoneType, UnionType
from typing import Any, Literal, ParamSpec, TypeVar, Union, get_args, get_origin

from textkin.base.errors import invalid, unknown_choice
from textkin.base.number_errors import no_number
from textkin.base.python_values import plain

_SIMPLE = {int: "a whole number", float: "a number", bool: "True or False", str: "a text", Path: "a path"}
_Given = ParamSpec("_Given")
_Result = TypeVar("_Result")


def checked(function: Callable[_Given, _Result]) -> Callable[_Given, _Result]:
    """The function with its arguments of simple types checked when it is called.

    Raises:
        UsageError: one is of another type, NaN, or not in the list; it names the argument.
    """
    signature = inspect.signature(function)
    names = inspect.unwrap(function).__globals__
    known: dict[str, tuple[Any, ...]] = {}

    @wraps(function)
    def checking(*arguments: _Given.args, **named: _Given.kwargs) -> _Result:
        try:
            given = signature.bind(*arguments, **named)
        except TypeError:
            return function(*arguments, **named)  # Python says it best
        for name, value in given.arguments.items():
            parameter = signature.parameters[name]
            if parameter.kind not in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD):
                if name not in known:
                    known[name] = _types(parameter.annotation, names)
                given.arguments[name] = _checked(value, name, known[name])
        return function(*given.args, **given.kwargs)

    return checking


def check_fields(options: Any) -> None:
    """Check the fields of a dataclass, from its ``__post_init__``; what is a number becomes Python's.

    Raises:
        UsageError: as :func:`checked`.
    """
    names = sys.modules[type(options).__module__].__dict__
    for field in fields(options):
        value = getattr(options, field.name)
        found = _checked(value, field.name, _types(field.type, names))
        if found is not value:
            object.__setattr__(options, field.name, found)


def _types(annotation: Any, names: Mapping[str, Any]) -> tuple[Any, ...]:
    """What an annotation allows, if all of it is simple; else nothing."""
    if isinstance(annotation, str):
        try:
            annotation = eval(annotation, dict(names))
        except NameError:  # known to type checkers only
            return ()
    parts = tuple(_parts(annotation))
    return parts if all(map(_is_simple, parts)) else ()


def _is_simple(part: Any) -> bool:
    if not isinstance(part, type) or get_origin(part) is not None:
        return get_origin(part) is Literal
    return part in _SIMPLE or part is NoneType or issubclass(part, Enum) or is_dataclass(part)


def _parts(annotation: Any) -> Iterator[Any]:
    if isinstance(annotation, UnionType) or get_origin(annotation) is Union:
        for part in get_args(annotation):
            yield from _parts(part)
    else:
        yield NoneType if annotation is None else annotation


def _checked(value: Any, name: str, types: tuple[Any, ...]) -> Any:
    """The value as one of these types; any value where there is none.

    Raises:
        UsageError: it is none of them.
    """
    if not types or (value is None and NoneType in types):
        return value
    found = plain(value)
    for kind in types:
        if (fitting := _as(kind, found, types)) is not None:
            return fitting
    words = [word for kind in types for word in _words(kind)]
    kinds = [kind for kind in dict.fromkeys(types) if not (kind is str and Path in types)]
    expected = [_called(kind) for kind in kinds if _called(kind)]
    if words and isinstance(found, str) and not expected:
        raise unknown_choice(name, found, words)
    if words:
        expected.append(f"one of: {', '.join(words)}")
    fix = None
    if isinstance(found, str) and {int, float} & set(types):
        fix = no_number(found, whole=float not in types)[1]
    raise invalid(name, value, expected=" or ".join(expected), fix=fix)


def _as(kind: Any, value: Any, types: tuple[Any, ...]) -> Any:
    """The value as one of a kind, or None; a text is a path where no text is asked for."""
    if get_origin(kind) is Literal:
        return value if isinstance(value, str | int) and value in get_args(kind) else None
    if kind is Path and isinstance(value, str) and str not in types:
        return Path(value)
    if isinstance(kind, type) and issubclass(kind, Enum):
        return next((one for one in kind if value is one or value == one.value), None)
    if kind is float and isinstance(value, int | float | Decimal | Fraction) and not isinstance(value, bool):
        return None if math.isnan(value) else _float(value)
    if kind is int and isinstance(value, bool):
        return None
    return value if kind is not NoneType and isinstance(value, kind) else None


def _float(value: Any) -> float | None:
    try:
        return value if isinstance(value, int) and abs(value) < 2**53 else float(value)
    except OverflowError:
        return None


def _called(kind: Any) -> str:
    """What a type is called in an error; "" for one of words."""
    return f"a tk.{kind.__name__}" if isinstance(kind, type) and is_dataclass(kind) else _SIMPLE.get(kind, "")


def _words(kind: Any) -> list[str]:
    if get_origin(kind) is Literal:
        return [str(one) for one in get_args(kind)]
    if isinstance(kind, type) and issubclass(kind, Enum):
        return [str(one.value) for one in kind]
    return []
