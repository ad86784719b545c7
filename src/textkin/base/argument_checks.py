"""Checks of simple arguments by their annotations: numbers, texts, paths, words, records.

NumPy's numbers, zero-dimensional tensors and decimals are converted to Python's numbers. Other types are left
to the function itself.
"""

import inspect
import math
import re
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import fields, is_dataclass
from decimal import Decimal
from enum import Enum
from fractions import Fraction
from functools import cache, wraps
from pathlib import Path
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, ParamSpec, TypeVar, Union, get_args, get_origin

from textkin.base.errors import invalid, unknown_choice
from textkin.base.number_errors import no_number
from textkin.base.options import Option, between
from textkin.base.python_values import plain

_SIMPLE = {int: "a whole number", float: "a number", bool: "True or False", str: "a text", Path: "a path"}
_EXAMPLE = re.compile(r"such as ('.*?'|[^\s,;]+?)(?=[\s,;]|\.?(?:\s|$))")
_Given = ParamSpec("_Given")
_Result = TypeVar("_Result")


def checked(function: Callable[_Given, _Result]) -> Callable[_Given, _Result]:
    """Wrap a function to check its arguments of simple types on each call.

    Raises:
        UsageError: an argument has another type, is NaN, or is not among the choices; it names the argument.
    """
    signature = inspect.signature(function)
    names = inspect.unwrap(function).__globals__
    known: dict[str, tuple[Any, ...]] = {}
    limits: dict[str, Option | None] = {}

    @wraps(function)
    def checking(*arguments: _Given.args, **named: _Given.kwargs) -> _Result:
        try:
            given = signature.bind(*arguments, **named)
        except TypeError:
            return function(*arguments, **named)  # Python has the best error message
        for name, value in given.arguments.items():
            parameter = signature.parameters[name]
            if parameter.kind not in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD):
                if name not in known:
                    known[name] = _types(parameter.annotation, names)
                    limits[name] = _option(parameter.annotation, names)
                given.arguments[name] = _checked(value, name, known[name], _example(limits[name]))
                check_bounds(given.arguments[name], name, limits[name])
        return function(*given.args, **given.kwargs)

    return checking


def check_fields(options: Any) -> None:
    """Check the fields of a dataclass in its ``__post_init__``, and convert numbers to Python's.

    Raises:
        UsageError: as :func:`checked`.
    """
    for name, types in _field_types(options.__class__):
        value = getattr(options, name)
        found = _checked(value, name, types)
        if found is not value:
            object.__setattr__(options, name, found)


@cache
def _field_types(kind: type[Any]) -> tuple[tuple[str, tuple[Any, ...]], ...]:
    """The names of a dataclass's fields, each with the simple types that it allows."""
    names = sys.modules[kind.__module__].__dict__
    return tuple((field.name, _types(field.type, names)) for field in fields(kind))


def _types(annotation: Any, names: Mapping[str, Any]) -> tuple[Any, ...]:
    """The types that an annotation allows, if all of them are simple; else none."""
    if isinstance(annotation, str):
        try:
            annotation = eval(annotation, dict(names))
        except NameError:  # known only to type checkers
            return ()
    parts = tuple(_parts(annotation))
    return parts if all(map(_is_simple, parts)) else ()


def _option(annotation: Any, names: Mapping[str, Any]) -> Option | None:
    """The option that an annotation declares."""
    with suppress(NameError):
        annotation = eval(annotation, dict(names)) if isinstance(annotation, str) else annotation
    for one in getattr(annotation, "__metadata__", ()):
        if isinstance(one, Option):
            return one
    return None


def _example(option: Option | None) -> str:
    """The example in an option's help, after a comma; "" if it has none."""
    found = None if option is None else _EXAMPLE.search(option.help)
    return "" if found is None else f", {found[0]}"


def check_bounds(value: Any, name: str, option: Option | None) -> None:
    """Refuse a number out of an option's bounds.

    Raises:
        UsageError: it is.
    """
    low, high = (None, None) if option is None else (option.low, option.high)
    if not isinstance(value, int | float) or isinstance(value, bool):
        return
    if (low is not None and value < low) or (high is not None and value > high):
        raise invalid(name, value, expected=between(low, high))


def _is_simple(part: Any) -> bool:
    if not isinstance(part, type) or get_origin(part) is not None:
        return get_origin(part) is Literal
    return part in _SIMPLE or part is NoneType or issubclass(part, Enum) or is_dataclass(part)


def _parts(annotation: Any) -> Iterator[Any]:
    if get_origin(annotation) is Annotated:
        yield from _parts(get_args(annotation)[0])
    elif isinstance(annotation, UnionType) or get_origin(annotation) is Union:
        for part in get_args(annotation):
            yield from _parts(part)
    else:
        yield NoneType if annotation is None else annotation


def _checked(value: Any, name: str, types: tuple[Any, ...], example: str = "") -> Any:
    """Convert the value to one of the types; any value is accepted if there are none.

    Args:
        value: the argument.
        name: its name.
        types: the types that it may have.
        example: words that follow what is expected.

    Raises:
        UsageError: the value fits none of the types.
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
    example = "" if fix else example
    raise invalid(name, value, expected=" or ".join(expected) + example, fix=fix)


def _as(kind: Any, value: Any, types: tuple[Any, ...]) -> Any:
    """Convert the value to a type, or return None; a string is a path if no string is expected."""
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
    """The name of a type in an error message; "" for choices."""
    return f"a tk.{kind.__name__}" if isinstance(kind, type) and is_dataclass(kind) else _SIMPLE.get(kind, "")


def _words(kind: Any) -> list[str]:
    if get_origin(kind) is Literal:
        return [str(one) for one in get_args(kind)]
    if isinstance(kind, type) and issubclass(kind, Enum):
        return [str(one.value) for one in kind]
    return []
