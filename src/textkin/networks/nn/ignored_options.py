"""Options that a network would ignore, refused."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from typing import Any

from textkin.base.errors import UsageError

UNSPELT = "with text.spelling = 'none'"
"""Why options of characters have none."""


def refuse_ignored(kind: Callable[..., Any], given: Mapping[str, Any], *, why: str) -> None:
    """Refuse options that have no effect; those with their defaults state nothing.

    Args:
        kind: what takes them.
        given: options by their names.
        why: they have no effect.

    Raises:
        UsageError: one is not as it is by default.
    """
    parameters = inspect.signature(kind).parameters
    for name, value in given.items():
        default = parameters[name].default
        if value != default and _listed(value) != _listed(default):
            raise UsageError(f"{name} = {value!r} has no effect {why}", fix=f"leave {name} out")


def _listed(value: Any) -> Any:
    return list(value) if isinstance(value, list | tuple) else value
