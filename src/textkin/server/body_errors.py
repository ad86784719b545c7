"""Errors of a request body in a sentence with the field and the value."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from pydantic import ValidationError

from textkin.base.errors import did_you_mean
from textkin.server.request_errors import RequestError

_LONGEST = 40  # characters of a value that an error shows
_EXPECTED = {
    "string": "a text",
    "int": "a whole number",
    "float": "a number",
    "bool": "true or false",
    "tuple": "a list",
    "list": "a list",
    "dict": "an object",
    "model": "an object",
}
_NAMES: Mapping[type, str] = {dict: "an object", list: "a list", tuple: "a list"}


def invalid(error: ValidationError, given: Any, fields: Sequence[str]) -> RequestError:
    """The error about a body.

    Args:
        error: pydantic's error.
        given: the body as received, JSON values; None if it can't be read.
        fields: the fields that the body may have.
    """
    found = error.errors(include_url=False)
    if found[0]["type"] == "json_invalid":
        return RequestError(found[0]["msg"], status=400)
    steps = [_steps(one, given) for one in found]
    # A union gives one error per branch. Report the branch that fits furthest, with the fewest mismatches.
    times = Counter(branch for _, branch in steps)
    first = min(range(len(found)), key=lambda at: (-len(steps[at][0]), times[steps[at][1]]))
    place = _written(steps[first][0])
    said, fix = _said(found[first], place, fields)
    return RequestError(said, status=422, param=place or None, fix=fix)


def body_in(raw: bytes) -> Any:
    """The JSON value of a body; None if it isn't JSON."""
    try:
        return json.loads(raw)
    except (ValueError, RecursionError):
        return None


def _steps(one: Any, given: Any) -> tuple[tuple[int | str, ...], tuple[int | str, ...]]:
    """The keys and indices that lead to the error, and the names of branches between them."""
    steps: list[int | str] = []
    branch: list[int | str] = []
    value, place = given, one["loc"]
    for at, part in enumerate(place):
        inside = isinstance(value, Mapping) and part in value
        if inside or (isinstance(part, int) and isinstance(value, list | tuple) and part < len(value)):
            value = value[part]
            steps.append(part)
        elif one["type"] == "missing" and at == len(place) - 1:
            steps.append(part)
        else:
            branch.append(part)
    return tuple(steps), tuple(branch)


def _written(steps: Sequence[int | str]) -> str:
    """A path in its usual notation: ``documents[1].text``."""
    parts = (f"[{step}]" if isinstance(step, int) else f".{step}" for step in steps)
    return "".join(parts).removeprefix(".")


def _said(one: Any, place: str, fields: Sequence[str]) -> tuple[str, str | None]:
    """The problem and its fix."""
    kind, context = str(one["type"]), one.get("ctx", {})
    if kind == "missing":
        return f"{place} is missing", None
    if kind == "extra_forbidden":
        last = place.rpartition(".")[2]
        return f"unknown field {place!r}", did_you_mean(last, fields) if place in (last,) else None
    if kind == "value_error":
        said = str(one["msg"]).removeprefix("Value error, ")
        return (f"{place}: {said}" if place else said), None
    where = place or "the body"
    if kind == "literal_error":
        return f"{where} is {_shown(one['input'])}, expected {context['expected']}", None
    bounds = {"ge": "at least", "gt": "more than", "le": "at most", "lt": "less than"}
    if (bound := next((name for name in bounds if name in context), None)) is not None:
        return f"{where} is {_shown(one['input'])}, expected {bounds[bound]} {context[bound]}", None
    if "actual_length" in context:
        least = "min_length" in context
        limit = context["min_length" if least else "max_length"]
        many = f"at {'least' if least else 'most'} {limit:,}"
        return f"{where} has {context['actual_length']:,} items, expected {many}", None
    if kind in ("string_too_short", "string_too_long"):
        limit = context.get("min_length", context.get("max_length"))
        many = f"at {'least' if 'min_length' in context else 'most'} {limit:,} characters"
        return f"{where} is {_shown(one['input'])}, expected {many}", None
    if (expected := _EXPECTED.get(kind.partition("_")[0])) is not None:
        return f"{where} is {_shown(one['input'])}, expected {expected}", None
    return f"{where}: {one['msg']}", None


def _shown(value: Any) -> str:
    """A value as shown in an error."""
    if type(value) in _NAMES:
        return _NAMES[type(value)]
    words = json.dumps(value, ensure_ascii=False, default=str)
    return words if len(words) <= _LONGEST else f"{words[:_LONGEST]}..."
