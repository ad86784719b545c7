"""Sizes that layers are made with, checked before torch makes something strange of them."""

from __future__ import annotations

from collections.abc import Sequence

from textkin.base.errors import wrong_setting


def check_sizes(**sizes: int | Sequence[int]) -> None:
    """Let numbers from 1 pass, and lists of them that are not empty.

    Raises:
        UsageError: another one, by its name.
    """
    for name, size in sizes.items():
        if isinstance(size, int):
            if size < 1:
                raise wrong_setting(name, size, expected="1 or more")
        elif not size or min(size) < 1:
            raise wrong_setting(name, list(size), expected="one number or more, each at least 1")
