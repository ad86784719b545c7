"""The parts of a trained model that a new one continues from, and the others."""

from collections.abc import Sequence
from dataclasses import dataclass

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
    """The first names of a list, and the number of others."""
    shown = ", ".join(names[:_NAMED])
    return shown if len(names) <= _NAMED else f"{shown} and {len(names) - _NAMED:,} more"
