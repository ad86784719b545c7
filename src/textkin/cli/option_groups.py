"""Groups of options: a dataclass as the type of one parameter stands for an option a field.

Typer knows functions with one parameter an option. What several commands take in the same words is written
once, as a frozen dataclass, and each of these commands has one parameter of its type, in the place where the
help names the options.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import is_dataclass
from inspect import Parameter, Signature, signature
from typing import Any, get_type_hints


def spread(command: Callable[..., None]) -> Callable[..., None]:
    """A command as Typer takes it: the fields of its groups are parameters of its own."""

    def flat(**given: Any) -> None:
        _gathered(command, given)

    parameters = list(_parameters(command))
    flat.__signature__ = Signature(parameters)  # type: ignore[attr-defined]
    flat.__annotations__ = {one.name: one.annotation for one in parameters}
    return flat


def _parameters(taker: Callable[..., Any]) -> Iterator[Parameter]:
    """The parameters of a command or a group, those of groups in their place."""
    hints = get_type_hints(taker, include_extras=True)
    for one in signature(taker).parameters.values():
        hint = hints[one.name]
        if is_dataclass(hint):
            yield from _parameters(hint)  # type: ignore[arg-type]
        else:
            yield one.replace(kind=Parameter.KEYWORD_ONLY, annotation=hint)


def _gathered(taker: Callable[..., Any], given: Mapping[str, Any]) -> Any:
    """A command's or a group's result for the values of all its options."""
    hints = get_type_hints(taker, include_extras=True)
    return taker(
        **{
            name: _gathered(hints[name], given) if is_dataclass(hints[name]) else given[name]
            for name in signature(taker).parameters
        }
    )
