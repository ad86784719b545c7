"""Rows of results."""

from typing import Any

from textkin.base.errors import did_you_mean


class Row(dict[str, Any]):
    """A row of a result: a dictionary whose keys are attributes, too.

    Example:
        >>> Row(score=0.9, text="Hello!").score
        0.9
    """

    __slots__ = ()

    def __getattr__(self, name: str) -> Any:
        if name in self:
            return self[name]
        raise AttributeError(f"the row has no {name!r}; {did_you_mean(name, self)}")
