"""Small inputs for the loops that large ones need; ``test_few_pairs.py`` compares the two ways."""

from __future__ import annotations

from collections.abc import Iterator

import pytest


@pytest.fixture(autouse=True, scope="module")
def loops() -> Iterator[None]:
    """Few pairs go the way of many."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("textkin.vectors.join.tile_join.FEW", 0)
        yield
