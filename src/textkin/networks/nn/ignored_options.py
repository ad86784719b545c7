"""Rejection of options that a network would ignore."""

import inspect
from collections.abc import Callable, Mapping
from typing import Any

from textkin.base.errors import UsageError

UNSPELT = "with text.spelling = 'none'"
"""The reason why character options have no effect."""


def refuse_ignored(kind: Callable[..., Any], given: Mapping[str, Any], *, why: str) -> None:
    """Reject options without effect, unless they have their default values.

    Args:
        kind: the object with these options.
        given: the options by name.
        why: the reason why they have no effect.

    Raises:
        UsageError: one differs from its default.
    """
    parameters = inspect.signature(kind).parameters
    for name, value in given.items():
        default = parameters[name].default
        if value != default and _listed(value) != _listed(default):
            raise UsageError(
                f"{name} = {value!r} has no effect {why}",
                fix=f"leave {name} out",
                params=(name,),
                value=value,
            )


def _listed(value: Any) -> Any:
    return list(value) if isinstance(value, list | tuple) else value
