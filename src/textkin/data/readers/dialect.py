"""Detection of a table's delimiter and quoting from its lines.

**Delimiter.** Tab, comma, semicolon or bar: the one that occurs in the first line and splits most lines into
the same number of fields; ties in that order. File names are ignored (sts-train.csv contains tabs).

**Quoting.** With delimiters other than tabs, double quotes always quote, as in RFC 4180. With tabs both
conventions exist, so every line with a double quote is evidence, and the majority decides:

* Evidence for *csv* is a line that only the csv reading splits into the right number of fields, or in which
  all quotes are where a csv writer puts them and at least one quoted field needs its quotes (it contains
  ``""``).
* Evidence for *none* is a line that the csv reading can't split correctly, or in which a field contains a
  quote that a csv writer would have quoted: ``5" pipe``.
* A line such as ``"Yes"<tab>no`` is neutral. If there are only such lines, quotes are literal unless every
  line has them, as written by a writer that quotes all fields.
"""

import re
from collections import Counter, deque
from collections.abc import Iterable, Sequence
from itertools import islice
from typing import Literal, NamedTuple

Quoting = Literal["csv", "none"]

_DELIMITERS = ("\t", ",", ";", "|")
_LOOK_AHEAD = 20
_QUOTED_SPAN = re.compile(r'"[^"]*+(?:""[^"]*+)*+"')
_TO_QUOTE = re.compile(r'[^"]*+(?:""[^"]*+)*+')


class Cut(NamedTuple):
    """A record split into fields; ``open_at`` or ``stray_at`` is the offset of an invalid quote.

    ``open_at`` opens a field that doesn't end. At ``stray_at``, text follows the closing quote of a field.
    """

    fields: tuple[str, ...]
    open_at: int | None = None
    stray_at: int | None = None


def cut(record: str, delimiter: str) -> Cut:
    """Split a record whose fields may be quoted, with doubled quotes inside."""
    if '"' not in record:
        return Cut(tuple(record.split(delimiter)))
    fields: list[str] = []
    open_at, stray_at = _cut_from(record, 0, delimiter, fields)
    return Cut(tuple(fields), open_at, stray_at)


def _cut_from(record: str, place: int, delimiter: str, fields: list[str]) -> tuple[int | None, int | None]:
    """Append the fields from ``place`` on; the offsets are those of a ``Cut``."""
    while True:
        if record.startswith('"', place):
            match = _QUOTED_SPAN.match(record, place)
            if match is None:
                return place, None
            fields.append(match[0][1:-1].replace('""', '"'))
            end = match.end()
            if end < len(record) and record[end] != delimiter:
                return None, place
        else:
            end = record.find(delimiter, place)
            end = len(record) if end < 0 else end
            fields.append(record[place:end])
        if end == len(record):
            return None, None
        place = end + 1


class SpanningRecord:
    r"""A record with quoted fields that span lines, parsed incrementally: each line once.

    Parsing the whole record again with every line would take quadratic time.

    Args:
        delimiter: delimiter between fields.

    Attributes:
        fields: completed fields.
        is_open: True if a field is open, so that the next line belongs to the record.
        is_stray: True if text follows the closing quote of a field.
        begun: line of the record, from 0, where the last quoted field begins that spans lines, is open or is
            followed by text.
    """

    def __init__(self, delimiter: str) -> None:
        self.fields: list[str] = []
        self.is_open = self.is_stray = False
        self.begun = 0
        self._delimiter = delimiter
        self._pieces: list[str] = []
        self._lines = 0

    def add(self, line: str) -> None:
        r"""Add the next line, without its ``\n``; a ``\r`` at its end is text if the field continues."""
        bare, place = line.removesuffix("\r"), 0
        self._lines += 1
        if self.is_open:
            match = _TO_QUOTE.match(bare)
            end = len(bare) if match is None else match.end()
            if end == len(bare):
                self._pieces.append(line)
                return
            self.fields.append("\n".join((*self._pieces, bare[:end])).replace('""', '"'))
            behind = bare[end + 1 : end + 2]
            self.is_open, self.is_stray = False, behind not in ("", self._delimiter)
            if not behind or self.is_stray:
                return
            place = end + 2
        open_at, stray_at = _cut_from(bare, place, self._delimiter, self.fields)
        self.is_open, self.is_stray = open_at is not None, stray_at is not None
        if self.is_open or self.is_stray:
            self.begun = self._lines - 1
        if open_at is not None:
            self._pieces = [line[open_at + 1 :]]


def guess_delimiter(lines: Sequence[str]) -> str | None:
    """The delimiter of the first lines of a table, or None if there is only one column."""
    best: tuple[float, str] | None = None
    for delimiter in _DELIMITERS:
        if delimiter not in lines[0]:
            continue
        text = "\n".join(lines)
        bare = lines if delimiter == "\t" else _QUOTED_SPAN.sub("", text).split("\n")
        counts = Counter(line.count(delimiter) for line in bare if line)
        share = max((number for count, number in counts.items() if count), default=0) / max(1, len(bare))
        if share and (best is None or share > best[0]):
            best = share, delimiter
    return best[1] if best else None


def guess_quoting(lines: Iterable[str], delimiter: str) -> Quoting:
    """The quoting of a table, by the rule at the top of this module."""
    if delimiter != "\t":
        return "csv"
    votes: Counter[Quoting | None] = Counter()
    width = quoted = total = 0
    source, ahead = iter(lines), deque[str]()
    while (line := ahead.popleft() if ahead else next(source, None)) is not None:
        if not line:
            continue
        total += 1
        if '"' not in line:
            width = width or line.count(delimiter) + 1
            continue
        quoted += 1
        reading = cut(line, delimiter)
        if reading.open_at is not None:
            ahead.extend(islice(source, _LOOK_AHEAD - len(ahead)))
        width = width or _width(line, reading, ahead, delimiter)
        if reading.open_at is not None:
            spanned = _lines_to_close(line, ahead, delimiter, width)
            if spanned:
                votes["csv"] += 1
                deque((ahead.popleft() for _ in range(spanned)), maxlen=0)
                continue
        votes[_witness(line, reading, delimiter, width)] += 1
    if votes["csv"] == votes["none"]:
        return "csv" if total and quoted == total and not votes["none"] else "none"
    return "csv" if votes["csv"] > votes["none"] else "none"


def _width(line: str, reading: Cut, following: Iterable[str], delimiter: str) -> int:
    """The number of fields of a table by its first line.

    A quote that stays open may begin a field that goes on in the next line. Then the next lines with closed
    quotes or none decide.
    """
    cuts = (cut(one, delimiter) for one in following if one)
    counts = Counter(len(one.fields) for one in cuts if one.open_at is None and one.stray_at is None)
    if reading.open_at is not None and counts:
        return counts.most_common(1)[0][0]
    return line.count(delimiter) + 1


def _lines_to_close(line: str, following: Iterable[str], delimiter: str, width: int) -> int:
    """The number of further lines that complete a line with an open quote; 0 if none do.

    Lines that are all valid by themselves are not joined: their quotes are text.
    """
    record = line
    joined = line.count(delimiter) + 1 != width
    for count, other in enumerate(following, 1):
        record += "\n" + other
        joined = joined or other.count(delimiter) + 1 != width
        if '"' in other:
            reading = cut(record, delimiter)
            if reading.open_at is None:
                fits = reading.stray_at is None and len(reading.fields) == width
                return count if fits and joined else 0
    return 0


def _witness(line: str, reading: Cut, delimiter: str, width: int) -> Quoting | None:
    cuts_right = reading.open_at is None and reading.stray_at is None and len(reading.fields) == width
    if line.count(delimiter) + 1 != width:
        return "csv" if cuts_right else None
    spans = [match.start() for match in _QUOTED_SPAN.finditer(line)]
    misplaced = '"' in _QUOTED_SPAN.sub("", line) or any(at and line[at - 1] != delimiter for at in spans)
    if misplaced or not cuts_right:
        return "none"
    return "csv" if any('"' in field for field in reading.fields) else None
