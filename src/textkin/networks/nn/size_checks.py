"""Checks of layer sizes, before torch does something unexpected with them."""

from collections.abc import Sequence

from textkin.base.errors import wrong_setting


def check_sizes(**sizes: int | Sequence[int]) -> None:
    """Accept positive numbers, and non-empty lists of them.

    Raises:
        UsageError: any other value; the message names it.
    """
    for name, size in sizes.items():
        if isinstance(size, int):
            if size < 1:
                raise wrong_setting(name, size, expected="1 or more")
        elif not size or min(size) < 1:
            raise wrong_setting(name, list(size), expected="one number or more, each at least 1")
