"""A route: its path, body, handler and error format."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, final

from pydantic import BaseModel, ConfigDict

from textkin.server.call import Call, Reply
from textkin.server.request_errors import Dialect

if TYPE_CHECKING:
    from textkin.server.service import Service


class Body(BaseModel):
    """A request body. Unknown fields are ignored, as other servers do."""

    model_config = ConfigDict(extra="ignore", frozen=True, allow_inf_nan=False)


class StrictBody(Body):
    """A request body of textkin's own routes: an unknown field is an error."""

    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)


@final
class NoBody(StrictBody):
    """No fields."""


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Route:
    """A path and its handler.

    Attributes:
        method: GET, POST or DELETE.
        path: without parameters.
        body: the schema of the JSON body, or of a GET request's query.
        answer: the handler; its docstring's first line is the route's documentation.
        dialect: the API that determines the error format.
        is_open: True if it needs no key, and is answered under any load.
        writes: True if it changes a collection.
    """

    method: str
    path: str
    answer: Callable[[Service, Any, Call], Awaitable[Reply]]
    body: type[BaseModel] = NoBody
    dialect: Dialect = Dialect.TEI
    is_open: bool = False
    writes: bool = False

    @property
    def summary(self) -> str:
        """A one-sentence description."""
        return (self.answer.__doc__ or "").strip().partition("\n")[0]
