"""What a trained model gave to one that goes on from it, and what it did not."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import final

_NAMED = 4  # tensors of a list that a sentence names


@final
@dataclass(frozen=True, slots=True)
class TakenOver:
    """The account of a start: which tensors were loaded, and which were not.

    Attributes:
        start: how tables call the model that was started from.
        loaded: how many tensors were loaded.
        anew: those that start anew, since the start has none of that name and shape.
        left: those of the start that were left behind.
        kept: arguments that are the start's, whatever the recipe says, each as "name = value".
    """

    start: str
    loaded: int
    anew: tuple[str, ...] = ()
    left: tuple[str, ...] = ()
    kept: tuple[str, ...] = ()

    def sentence(self) -> str:
        """What did not go over as it was, in words; "" where everything did."""
        parts = [
            f"{_few(names)} {what}"
            for names, what in (
                (self.anew, "start anew"),
                (self.left, "are left behind"),
                (self.kept, "stay as they are there"),
            )
            if names
        ]
        if not parts:
            return ""
        loaded = f"{self.loaded:,} {'tensor is' if self.loaded == 1 else 'tensors are'}"
        return f"{loaded} taken over from {self.start}; " + "; ".join(parts)


def _few(names: Sequence[str]) -> str:
    """The first names of a list, and how many more there are."""
    shown = ", ".join(names[:_NAMED])
    return shown if len(names) <= _NAMED else f"{shown} and {len(names) - _NAMED:,} more"
