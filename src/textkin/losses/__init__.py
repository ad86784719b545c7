"""What training makes smaller: each loss a pure function and a thin module, in a file of its own."""

from textkin.losses.common import LossInput
from textkin.losses.table import LOSSES, build

__all__ = ["LOSSES", "LossInput", "build"]
