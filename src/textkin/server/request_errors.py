"""Errors of requests and of their bodies, in the format of each compatible API."""

import errno
import json
from collections import Counter
from collections.abc import Mapping, Sequence
from enum import StrEnum
from types import MappingProxyType
from typing import Any

from pydantic import ValidationError

from textkin.base import errors
from textkin.base.counts import count
from textkin.base.spelling import Spelling, spelling_as


class Trouble(StrEnum):
    """Kinds of errors, by text-embeddings-inference's names."""

    VALIDATION = "Validation"
    EMPTY = "Empty"
    BACKEND = "Backend"
    OVERLOADED = "Overloaded"
    UNHEALTHY = "Unhealthy"
    UNAUTHORIZED = "Unauthorized"
    NOT_FOUND = "NotFound"
    TIMEOUT = "Timeout"
    INTERNAL = "Internal"


_STATUS: Mapping[Trouble, int] = MappingProxyType(
    {
        Trouble.VALIDATION: 422,
        Trouble.EMPTY: 400,
        Trouble.BACKEND: 424,
        Trouble.OVERLOADED: 429,
        Trouble.UNHEALTHY: 503,
        Trouble.UNAUTHORIZED: 403,
        Trouble.NOT_FOUND: 404,
        Trouble.TIMEOUT: 503,
        Trouble.INTERNAL: 500,
    }
)
"""The usual HTTP status of each kind of error."""


class Dialect(StrEnum):
    """The API whose error format a route uses."""

    TEI = "tei"
    OPENAI = "openai"
    COHERE = "cohere"


class RequestError(errors.TextkinError):
    """A rejected request.

    Args:
        message: the problem, with the limit or the expected value.
        trouble: its kind.
        status: the HTTP status; None for the usual one of the kind.
        fix: the advice to the client.
        param: the invalid field.
        retry_after: seconds after which the same request may succeed.
        allow: the methods that the endpoint takes, where another was used.
    """

    def __init__(
        self,
        message: str,
        *,
        trouble: Trouble = Trouble.VALIDATION,
        status: int | None = None,
        fix: str | None = None,
        param: str | None = None,
        retry_after: int | None = None,
        allow: Sequence[str] = (),
    ) -> None:
        super().__init__(message, fix=fix)
        self.status = _STATUS[trouble] if status is None else status
        self.trouble, self.param, self.retry_after = trouble, param, retry_after
        self.allow = tuple(allow)

    @property
    def headers(self) -> Mapping[str, str]:
        """Headers of the response."""
        found = {} if self.retry_after is None else {"retry-after": str(self.retry_after)}
        if self.allow:
            found["allow"] = ", ".join(self.allow)
        if self.status == 401:
            found["www-authenticate"] = "Bearer"
        return found


def overloaded(message: str, *, retry_after: int) -> RequestError:
    """The error of an overloaded server."""
    return RequestError(
        message, trouble=Trouble.OVERLOADED, fix=f"try again in {retry_after} s", retry_after=retry_after
    )


def refusal_of(error: Exception) -> RequestError:
    """The error response for an exception; an unexpected one is a defect, status 500."""
    if isinstance(error, RequestError):
        return error
    if isinstance(error, OSError) and error.errno == errno.ENOSPC:
        return RequestError("the disk is full", status=507, trouble=Trouble.BACKEND)
    if isinstance(error, TimeoutError):
        return RequestError(
            "no answer in time", trouble=Trouble.TIMEOUT, fix="try again later", retry_after=5
        )
    if not isinstance(error, errors.TextkinError):
        return RequestError(
            "this is a defect of textkin; the server's log has more under the request's id",
            trouble=Trouble.INTERNAL,
        )
    trouble, status = Trouble.INTERNAL, None
    if isinstance(error, errors.DataError | errors.UsageError):
        trouble = Trouble.VALIDATION
    elif isinstance(error, errors.ModelError | errors.VerifyError | errors.MissingExtraError):
        trouble = Trouble.BACKEND
    elif isinstance(error, errors.OutputError):
        trouble, status = Trouble.BACKEND, 503
    param = next(iter(error.params), None) if isinstance(error, errors.UsageError) else None
    return RequestError(error.message, trouble=trouble, status=status, fix=error.fix, param=param)


def body_of(error: RequestError, dialect: Dialect) -> dict[str, Any]:
    """The answer that tells of an error, with the field that is wrong."""
    with spelling_as(Spelling("json")):
        said = str(error).encode(errors="replace").decode()
    if dialect is Dialect.OPENAI:
        kinds = {401: "authentication_error", 429: "rate_limit_error"}
        kind = kinds.get(error.status, "server_error" if error.status >= 500 else "invalid_request_error")
        code = {401: "invalid_api_key", 404: "model_not_found", 429: "rate_limit_exceeded"}.get(error.status)
        return {"error": {"message": said, "type": kind, "param": error.param, "code": code}}
    param = {} if error.param is None else {"param": error.param}
    if dialect is Dialect.COHERE:
        return {"message": said, **param}
    return {"error": said, "error_type": error.trouble.value, **param}


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


def body_error(error: ValidationError, given: Any, fields: Sequence[str]) -> RequestError:
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
    return RequestError(said, param=place or None, fix=fix)


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
        return f"unknown field {place!r}", errors.did_you_mean(last, fields) if place in (last,) else None
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
        many = f"at {'least' if 'min_length' in context else 'most'} {count(limit, 'character')}"
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
