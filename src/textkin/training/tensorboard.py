"""Training figures as TensorBoard events, for those who ask for them."""

from __future__ import annotations

from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Protocol

from textkin.errors import MissingExtraError


class Figures(Protocol):
    """What is written of an epoch."""

    @property
    def epoch(self) -> int:
        """Counted from 1."""
        ...

    @property
    def loss(self) -> float:
        """The sum of the objectives' mean losses."""
        ...

    @property
    def dev(self) -> float:
        """The dev score."""
        ...


def require_tensorboard() -> None:
    """Say before training, not after it, that tensorboard is missing.

    Raises:
        MissingExtraError: tensorboard is not installed.
    """
    if find_spec("tensorboard") is None:
        raise MissingExtraError("tensorboard", extra="tensorboard")


def write_events(folder: Path, epochs: Sequence[Figures]) -> None:
    """Write loss and dev score of every epoch.

    Raises:
        MissingExtraError: tensorboard is not installed.
    """
    require_tensorboard()
    from torch.utils.tensorboard import SummaryWriter

    with SummaryWriter(str(folder)) as writer:
        for figures in epochs:
            writer.add_scalar("loss", figures.loss, figures.epoch)
            writer.add_scalar("dev", figures.dev, figures.epoch)
