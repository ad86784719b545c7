"""Losses: each a pure function, in its own file; the table names them."""

from textkin.networks.losses.common import LossInput
from textkin.networks.losses.loss import Loss
from textkin.networks.losses.table import LOSSES, build

__all__ = ["LOSSES", "Loss", "LossInput", "build"]
