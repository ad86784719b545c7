"""Reports of the columns that a reader selected, for users to check first."""

from collections.abc import Sequence
from typing import Final

from textkin.base.spelling import is_offered, spelt
from textkin.data.readers.columns import Roles, is_header, is_text_name, plain_names, text_columns
from textkin.data.readers.dialect import guess_delimiter
from textkin.data.readers.json_lines import parse_object

LOOKED_AT: Final = 20
"""Number of lines that tell texts of a line each from the rows of a table."""

_MOST: Final = 3  # maximum number of other columns to name


def texts_taken(
    header: Sequence[str] | None,
    sample: Sequence[Sequence[str]],
    places: Sequence[int],
    *,
    given: bool = False,
) -> str:
    """The text column with the reason, and other candidates; "" if there is only one column.

    For ``given`` columns, possibly several, only the names are reported.

    Example:
        >>> texts_taken(["id", "Subject", "Body"], [["1", "a b", "a b c d"]], [2])
        "texts: column 3 'Body' (by its name); text='Subject' names another"
    """
    width = len(header) if header is not None else len(sample[0]) if sample else 0
    if width < 2:
        return ""
    if given:
        return f"texts: {' and '.join(_column(header, place) for place in places)}"
    (place,) = places
    others = [_plain_name(header, one) for one in text_columns(sample, width) if one != place]
    why = "by its name" if header is not None and is_text_name(header[place]) else ""
    told = f"texts: {_column(header, place)}" + (f" ({why})" if why else "")
    ways = " or ".join(spelt(f"`text={other}`") for other in others[:_MOST])
    return f"{told}; {ways} names another" if others else told


def lines_taken(first: Sequence[str]) -> str:
    """A remark on texts of a line each that seem to be the rows of a table; "" where they don't.

    Args:
        first: the first lines of the file.

    Example:
        >>> lines_taken(['{"id": 7, "text": "Hello!"}'])
        "texts: whole lines, which seem to be JSON objects; text='NAME' reads a column of them"
    """
    filled = [line for line in first if line.strip()]
    if not filled:
        return ""
    kind = ""
    if parse_object(filled[0]) is not None:
        kind = "JSON objects"
    elif (delimiter := guess_delimiter(filled)) is not None:
        header, *rows = (line.split(delimiter) for line in filled)
        named = all(name.isidentifier() for name in plain_names(header)) and header[1] == header[1].strip()
        if named and is_header(header, rows):
            kind = "the rows of a table"
    way = "`text=NAME` reads a column of them"
    others = f"; {spelt(way)}" if is_offered(way) else ""
    return f"texts: whole lines, which seem to be {kind}{others}" if kind else ""


def pairs_taken(header: Sequence[str] | None, roles: Roles) -> str:
    """The columns of both texts and the label.

    Example:
        >>> pairs_taken(["q1", "q2", "same"], Roles(0, 1, 2))
        "texts: column 1 'q1' and column 2 'q2'; label: column 3 'same'; columns='a=,b=,label=' names others"
    """
    label = "no label" if roles.label is None else f"label: {_column(header, roles.label)}"
    if roles.guessed:
        label += " (by its cells)"
    texts = f"texts: {_column(header, roles.a)} and {_column(header, roles.b)}"
    way = "`columns=a=,b=,label=` names others"
    return f"{texts}; {label}; {spelt(way)}" if is_offered(way) else f"{texts}; {label}"


def _column(header: Sequence[str] | None, place: int) -> str:
    name = "" if header is None else f" {header[place][:30]!r}"
    return f"column {place + 1}{name}"


def _plain_name(header: Sequence[str] | None, place: int) -> str:
    name = "" if header is None else header[place]
    return name if name and len(name.split()) == 1 else str(place + 1)
