"""Protection against formulas in CSV files opened in spreadsheets, such as ``=HYPERLINK(...)``.

Such a cell is written with a leading apostrophe, which makes it a text, and read without it. A cell that
already begins that way gets one more, so that every text is restored exactly.
"""

import re

_FORMULA = re.compile("'*[=+\\-@\t\r\n＝＋－＠]")
_NUMBER = re.compile(r"'*[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?")


def as_text(cell: str) -> str:
    """The cell as written to a file."""
    return f"'{cell}" if _is_formula(cell) else cell


def from_text(cell: str) -> str:
    """The original text of a cell from :func:`as_text`."""
    return cell[1:] if cell.startswith("'") and _is_formula(cell) else cell


def _is_formula(cell: str) -> bool:
    """True if a spreadsheet would evaluate the cell, ignoring apostrophes; numbers are not formulas."""
    return _FORMULA.match(cell) is not None and _NUMBER.fullmatch(cell) is None
