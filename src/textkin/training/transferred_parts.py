"""The parts of a trained model that a new one continues from, and the others."""

from collections.abc import Sequence
from dataclasses import dataclass

from textkin.base.counts import count

_NAMED = 4  # tensors listed in a sentence


@dataclass(frozen=True, slots=True)
class TakenOver:
    """The loaded and missing tensors of a start.

    Attributes:
        start: the name of the start in tables.
        loaded: the number of loaded tensors.
        anew: newly initialised tensors, since the start has none with that name and shape.
        left: tensors of the start that were dropped.
        kept: arguments with the start's values, whatever the recipe says, each as "name = value".
    """

    start: str
    loaded: int
    anew: tuple[str, ...] = ()
    left: tuple[str, ...] = ()
    kept: tuple[str, ...] = ()

    def sentence(self) -> str:
        """The parts that weren't loaded unchanged, in words; "" if all were."""
        parts = [
            f"{what}: {_few(names)}"
            for names, what in (
                (self.anew, "initialised at random"),
                (self.left, "not used"),
                (self.kept, "kept from that model"),
            )
            if names
        ]
        if not parts:
            return ""
        return f"{count(self.loaded, 'tensor')} loaded from {self.start}; " + "; ".join(parts)


def _few(names: Sequence[str]) -> str:
    """The first names of a list, and the number of others."""
    shown = ", ".join(names[:_NAMED])
    return shown if len(names) <= _NAMED else f"{shown} and {len(names) - _NAMED:,} more"
