"""Errors of requests, in the format of each compatible API."""

from __future__ import annotations

import errno
from collections.abc import Mapping
from enum import StrEnum
from typing import Any, final

from textkin.base.errors import (
    DataError,
    LeakError,
    MissingExtraError,
    ModelError,
    OutputError,
    TextkinError,
    UsageError,
    VerifyError,
)
from textkin.base.spelling import Spelling, spelling_as


class Trouble(StrEnum):
    """Kinds of errors, by text-embeddings-inference's names."""

    VALIDATION = "Validation"
    EMPTY = "Empty"
    TOKENIZER = "Tokenizer"
    BACKEND = "Backend"
    OVERLOADED = "Overloaded"
    UNHEALTHY = "Unhealthy"
    UNAUTHORIZED = "Unauthorized"
    NOT_FOUND = "NotFound"
    TIMEOUT = "Timeout"
    INTERNAL = "Internal"


class Dialect(StrEnum):
    """The API whose error format a route uses."""

    TEI = "tei"
    OPENAI = "openai"
    COHERE = "cohere"


@final
class RequestError(TextkinError):
    """A rejected request.

    Args:
        message: the problem, with the limit or the expected value.
        status: the HTTP status.
        trouble: its kind.
        fix: the advice to the client.
        param: the invalid field.
        retry_after: seconds after which the same request may succeed.
    """

    def __init__(
        self,
        message: str,
        *,
        status: int = 422,
        trouble: Trouble = Trouble.VALIDATION,
        fix: str | None = None,
        param: str | None = None,
        retry_after: int | None = None,
    ) -> None:
        super().__init__(message, fix=fix)
        self.status, self.trouble, self.param, self.retry_after = status, trouble, param, retry_after

    @property
    def headers(self) -> Mapping[str, str]:
        """Headers of the response."""
        found = {} if self.retry_after is None else {"retry-after": str(self.retry_after)}
        if self.status == 401:
            found["www-authenticate"] = "Bearer"
        return found


def overloaded(message: str, *, retry_after: int) -> RequestError:
    """The error of an overloaded server."""
    return RequestError(
        message,
        status=429,
        trouble=Trouble.OVERLOADED,
        fix=f"try again in {retry_after} s",
        retry_after=retry_after,
    )


def refusal_of(error: Exception) -> RequestError:
    """The error response for an exception; an unexpected one is a defect, status 500."""
    if isinstance(error, RequestError):
        return error
    if isinstance(error, OSError) and error.errno == errno.ENOSPC:
        return RequestError("the disk is full", status=507, trouble=Trouble.BACKEND)
    if isinstance(error, TimeoutError):
        return RequestError(
            "no answer in time", status=503, trouble=Trouble.TIMEOUT, fix="try again later", retry_after=5
        )
    if not isinstance(error, TextkinError):
        return RequestError(
            "this is a defect of textkin; the server's log has more under the request's id",
            status=500,
            trouble=Trouble.INTERNAL,
        )
    status, trouble = 500, Trouble.INTERNAL
    if isinstance(error, LeakError | DataError | UsageError):
        status, trouble = 422, Trouble.VALIDATION
    elif isinstance(error, ModelError | VerifyError | MissingExtraError):
        status, trouble = 424, Trouble.BACKEND
    elif isinstance(error, OutputError):
        status, trouble = 503, Trouble.BACKEND
    param = next(iter(error.params), None) if isinstance(error, UsageError) else None
    return RequestError(error.message, status=status, trouble=trouble, fix=error.fix, param=param)


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
