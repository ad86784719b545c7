"""Fields of request bodies and tools that are options of a verb, by the same names."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Any, Literal

from pydantic import Field

from textkin.base.options import Declared, options_of

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
