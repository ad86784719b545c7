"""The decision to load torch, once there is enough work to repay that."""

from functools import cached_property
from math import inf

from textkin.base.extras import has_torch


class TorchLoading:
    """A count of the work done without torch, which may be faster but takes time to load.

    Args:
        repaid_by: the work, of all calls together, in the time that torch takes to load.
    """

    def __init__(self, repaid_by: float) -> None:
        self._repaid_by, self._done = repaid_by, 0

    def count(self, work: int) -> None:
        """Add work that was done."""
        self._done += work

    def pays(self, work: int = 0) -> bool:
        """True if with so much more work torch repays its loading, and works."""
        return self._done + work > self._repaid_by and self._works

    def refuse(self) -> None:
        """Never load torch."""
        self._repaid_by = inf

    @cached_property
    def _works(self) -> bool:
        return has_torch()
