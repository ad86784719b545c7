"""Texts in CSV files that people open in spreadsheets, which compute a cell such as ``=HYPERLINK(...)``.

Such a cell is written with an apostrophe before it, which makes it a text, and read without. A cell that
begins so anyway gets one more, so that every text comes back as it was.
"""

from __future__ import annotations

import re

_FORMULA = re.compile("'*[=+\\-@\t\r\n＝＋－＠]")
_NUMBER = re.compile(r"'*[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?")


def as_text(cell: str) -> str:
    """The cell as it is written."""
    return f"'{cell}" if _is_formula(cell) else cell


def from_text(cell: str) -> str:
    """What :func:`as_text` was given."""
    return cell[1:] if cell.startswith("'") and _is_formula(cell) else cell


def _is_formula(cell: str) -> bool:
    """Whether a spreadsheet would compute something, apostrophes aside; a number is only a number."""
    return _FORMULA.match(cell) is not None and _NUMBER.fullmatch(cell) is None
