"""Arguments that a network was built with: training builds it anew, for its own token ids."""

from __future__ import annotations

import inspect
from typing import Any, Self

from torch import nn

OF_TOKENS = frozenset({"size", "pad_id", "zero_ids", "outputs", "unit_size"})
"""Arguments that follow from the training data."""


class KeepsArguments(nn.Module):
    """A base class of networks that keep the arguments of their constructor."""

    _given: tuple[tuple[Any, ...], dict[str, Any]]

    def __new__(cls, *values: Any, **named: Any) -> Self:
        """A network that keeps what its constructor gets."""
        made = super().__new__(cls)
        object.__setattr__(made, "_given", (values, named))  # nn.Module sets nothing before its __init__
        return made

    def options_given(self) -> dict[str, Any]:
        """The arguments that it was built with, without those that follow from the training data."""
        values, named = self._given
        found = inspect.signature(type(self)).bind(*values, **named).arguments
        return {name: value for name, value in found.items() if name not in OF_TOKENS}
