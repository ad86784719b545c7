"""Texts of metadata that are written as numbers, such as 19.90, and so are compared with numbers.

What may be an id is no number: 007, +49, 1e5, and more than 15 digits without a point, of which a double
can't tell one from the next.
"""

from __future__ import annotations

import re

_EXPONENT = r"(?:[eE][+-]?[0-9]{1,2})?"
_FRACTION = r"\.[0-9]{1,30}"  # longer ones could be too small for a database
NUMBER = rf" *-?(?:(?:0|[1-9][0-9]{{0,14}})(?:{_FRACTION}{_EXPONENT})?|{_FRACTION}) *"
"""A regular expression, of Python and of PostgreSQL, of a whole text that is a number."""

_NUMBER = re.compile(NUMBER)


def number_of(text: object) -> float | None:
    """The number that a text is written as; None if it is none.

    Example:
        >>> number_of("19.90"), number_of("7"), number_of("007"), number_of("1e5")
        (19.9, 7.0, None, None)
    """
    return float(text) if isinstance(text, str) and _NUMBER.fullmatch(text) else None
