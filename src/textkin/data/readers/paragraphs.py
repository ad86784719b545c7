"""Paragraphs of plain documents: passages short enough to be read at once."""

from collections.abc import Iterable, Iterator
from itertools import groupby

_LONGEST_HEADING = 80  # characters
_FULL_STOPS = (".", "!", "。")


def paragraphs(lines: Iterable[str]) -> Iterator[tuple[int, str]]:
    r"""Yield each paragraph of a document after the number of the line where it begins, from 1.

    Blank lines separate paragraphs. A heading belongs to the paragraph that follows, since it says what that
    is about: one line that begins with ``#``, or a short one without a full stop, such as a question.

    Example:
        >>> from textkin.data.readers.paragraphs import paragraphs
        >>> list(paragraphs(["Hours", "", "We open at nine.", "", "We close at five."]))
        [(1, 'Hours\n\nWe open at nine.'), (5, 'We close at five.')]
    """
    start, found = 0, list[str]()
    for first, block in _blocks(lines):
        start = start if found else first
        found.append(block)
        if not _is_heading(block):
            yield start, "\n\n".join(found)
            found.clear()
    if found:
        yield start, "\n\n".join(found)


def _blocks(lines: Iterable[str]) -> Iterator[tuple[int, str]]:
    """The lines between blank ones, after the number of the first."""
    numbered = groupby(enumerate(lines, 1), key=lambda each: bool(each[1].strip()))
    for has_text, block in numbered:
        if has_text:
            numbers, kept = zip(*block, strict=True)
            yield numbers[0], "\n".join(kept)


def _is_heading(block: str) -> bool:
    if "\n" in block:
        return False
    line = block.strip()
    return line.startswith("#") or (len(line) <= _LONGEST_HEADING and not line.endswith(_FULL_STOPS))
