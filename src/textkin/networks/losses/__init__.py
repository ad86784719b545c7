"""What training makes smaller: each loss a pure function, in a file of its own; the table names them."""

from textkin.networks.losses.common import LossInput
from textkin.networks.losses.loss import Loss
from textkin.networks.losses.table import LOSSES, build

__all__ = ["LOSSES", "Loss", "LossInput", "build"]
