"""What a route is: its path, what it takes, who answers, and whose errors it speaks."""

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
    """What clients send. Fields that nobody knows are left aside where other servers do so."""

    model_config = ConfigDict(extra="ignore", frozen=True, allow_inf_nan=False)


class StrictBody(Body):
    """What clients of textkin's own routes send: an unknown field is an error."""

    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)


@final
class NoBody(StrictBody):
    """No fields."""


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Route:
    """A path and who answers there.

    Attributes:
        method: GET, POST or DELETE.
        path: without parameters.
        body: what a request brings, as JSON, or of GET in its query.
        answer: makes the reply; its docstring's first line stands in the documentation.
        dialect: whose errors it speaks.
        is_open: whether it needs no key, and is answered however busy the server is.
        writes: whether it changes a collection.
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
        """What it does, in a sentence."""
        return (self.answer.__doc__ or "").strip().partition("\n")[0]
