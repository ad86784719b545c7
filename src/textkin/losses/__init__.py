"""What training makes smaller: each loss a pure function, in a file of its own; the table names them."""

from textkin.losses.common import LossInput
from textkin.losses.loss import Loss
from textkin.losses.table import LOSSES, build

__all__ = ["LOSSES", "Loss", "LossInput", "build"]
