"""A route: its path, body, handler and error format; fields of bodies from verbs."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any

from pydantic import AfterValidator, BaseModel, ConfigDict

from textkin.server.call import Call, Reply
from textkin.server.request_errors import Dialect

if TYPE_CHECKING:
    from textkin.server.service import Service


from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Literal

from pydantic import Field

from textkin.base.options import Declared, options_of


class Body(BaseModel):
    """A request body. Unknown fields are ignored, as other servers do."""

    model_config = ConfigDict(extra="ignore", frozen=True, allow_inf_nan=False)


class StrictBody(Body):
    """A request body of textkin's own routes: an unknown field is an error."""

    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)


class NoBody(StrictBody):
    """No fields."""


Answering = Callable[["Service", Any, Call], Awaitable[Reply]]
"""A handler of requests."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Route:
    """A path and its handler.

    Attributes:
        method: GET, POST or DELETE.
        path: with a name at its end at most, ``/v1/models/{model}``, which is a field of the body.
        body: the schema of the JSON body, or of a GET request's query.
        answer: the handler; its docstring's first line is the route's documentation.
        dialect: the API that determines the error format.
        is_open: True if it needs no key, is answered under any load, and is logged only if it fails.
        writes: True if it changes a collection.
    """

    method: str
    path: str
    answer: Answering
    body: type[BaseModel] = NoBody
    dialect: Dialect = Dialect.TEI
    is_open: bool = False
    writes: bool = False

    @property
    def summary(self) -> str:
        """A one-sentence description."""
        return (self.answer.__doc__ or "").strip().partition("\n")[0]


def _filled(text: str) -> str:
    """The text, if it isn't blank."""
    if not text.strip():
        raise ValueError("blank, expected a text")
    return text


FilledText = Annotated[str, AfterValidator(_filled)]
"""A text that isn't blank."""


def route_name(path: str) -> tuple[str, str]:
    """A path up to the name at its end, and the field for that name; "" if there is none."""
    before, _, name = path.partition("{")
    return before, name.removesuffix("}")


_NOTHING: Mapping[str, Any] = MappingProxyType({})


def verb_fields(
    verb: Callable[..., Any],
    names: Sequence[str],
    *,
    kinds: Mapping[str, Any] = _NOTHING,
    most: Mapping[str, int] = _NOTHING,
) -> dict[str, Any]:
    """Fields for ``pydantic.create_model``: each with the option's type, default, bounds and help.

    Args:
        verb: the verb.
        names: its options that clients may give.
        kinds: other types of some of them.
        most: bounds of some of them that the service adds.
    """
    known = {one.name: one for one in options_of(verb)}
    return {name: _field(known[name], kinds.get(name), most.get(name)) for name in names}


def _field(one: Declared, kind: Any, most: int | None) -> tuple[Any, Any]:
    if kind is None:
        kind = Literal[one.choices] if one.choices else one.kind
    if one.default is None:
        kind = kind | None
    high = one.option.high if most is None else most
    return kind, Field(default=one.default, ge=one.option.low, le=high, description=one.option.help)
