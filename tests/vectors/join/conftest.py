"""Small inputs for the loops of large ones; ``test_few_pairs.py`` compares the two paths."""

from __future__ import annotations

from collections.abc import Iterator

import pytest


@pytest.fixture(autouse=True, scope="module")
def loops() -> Iterator[None]:
    """Send few pairs down the path of many."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("textkin.vectors.join.tile_join.FEW", 0)
        yield
