"""A block closes its resources, also on failure."""

from __future__ import annotations

import pytest

from textkin.base.closing import Closing


class Door(Closing):
    def __init__(self) -> None:
        self.closed = 0

    def close(self) -> None:
        self.closed += 1


def test_a_block_closes_once_whatever_happens() -> None:
    door = Door()
    with door as same:
        assert same is door and door.closed == 0
    assert door.closed == 1
    with pytest.raises(ValueError, match="stuck"), door:
        raise ValueError("stuck")
    assert door.closed == 2
