"""Training metrics as TensorBoard events, on request."""

from collections.abc import Sequence
from pathlib import Path
from typing import Protocol

from textkin.base.extras import require


class Figures(Protocol):
    """The values written for an evaluation."""

    @property
    def epoch(self) -> int:
        """The epoch, counted from 1."""

    @property
    def steps(self) -> int | None:
        """Optimiser steps since the start, if known."""

    @property
    def loss(self) -> float:
        """The sum of the objectives' mean losses."""

    @property
    def dev(self) -> float:
        """The dev score."""


def require_tensorboard() -> None:
    """Check that tensorboard is installed, before training rather than after it.

    Raises:
        MissingExtraError: tensorboard is not installed.
    """
    require("tensorboard", extra="tensorboard")


def write_events(folder: Path, evaluations: Sequence[Figures]) -> None:
    """Write loss and dev score of every evaluation, by epoch or, if epochs have several, by step.

    Raises:
        MissingExtraError: tensorboard is not installed.
    """
    require_tensorboard()
    from torch.utils.tensorboard import SummaryWriter

    with SummaryWriter(str(folder)) as writer:
        by_step = len({figures.epoch for figures in evaluations}) < len(evaluations)
        for figures in evaluations:
            at = figures.steps if by_step else figures.epoch
            writer.add_scalar("loss", figures.loss, at)
            writer.add_scalar("dev", figures.dev, at)
