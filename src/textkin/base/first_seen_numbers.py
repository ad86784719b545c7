"""Numbering of items in order of first occurrence."""

from collections.abc import Hashable, Iterable
from typing import TypeVar

import numpy as np

from textkin.base.arrays import Ints

_Thing = TypeVar("_Thing", bound=Hashable)


def enumerated(things: Iterable[_Thing]) -> tuple[Ints, list[_Thing]]:
    """The number of each item, and the distinct items.

    Example:
        >>> numbers, different = enumerated("abba")
        >>> numbers.tolist(), different
        ([0, 1, 1, 0], ['a', 'b'])
    """
    places: dict[_Thing, int] = {}
    numbers = [places.setdefault(one, len(places)) for one in things]
    return np.array(numbers, dtype=np.int64), list(places)
