"""Rule-based sentence splitting, with exact character offsets.

A sentence ends at ``.``, ``!``, ``?`` or ``…`` before whitespace, together with closing quotes and brackets
and reference marks (``[5]``, ``[citation needed]``), and at an empty line. It does not end

* before a small letter or another stop: *"Who?" he asked*;
* at the stop of a title or of a word that never ends a sentence: *Mr.*, *vs.*, *e.g.*;
* at the stop of *No.*, *Fig.*, a month and the like before a number;
* at an initial, several of them (*U.S.*) or an abbreviation such as *Inc.*, unless the next word is
  one that opens sentences: *He moved to the U.S. In 1990 ...*;
* after the number of a list item: *1. Preheat the oven.*

Numbers such as 3.14 contain no space, so they are never split. The rules are for English; Chinese and
Japanese full stops end a sentence too.
"""

import re
from collections.abc import Iterator
from typing import NamedTuple

_END = re.compile(
    r"""
    (?P<mark>[.!?…]+) ["'”’»)\]]* (?: \[[^\[\]\n]{1,40}\] | :\d+(?:[–-]\d+)? )* (?=\s)
    | [。！？]+ ["'”’」』）]*
    | \n\s*\n
    """,
    re.VERBOSE,
)
_NEXT = re.compile(r"""\s+["'“‘«(\[]*(\S)""")
_LAST = re.compile(r"""[^\s"“«(\[/–—-]*$""")
_ITEM = re.compile(r"\s*\d{1,3}")
_INITIALS = re.compile(r"(?:[^\W\d_]{1,3}\.)*[^\W\d_]")
_MARKS = frozenset(".,;:!?…)")
_LOOK_BACK = 40


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_NEVER = _words(
    "mr mrs ms messrs dr prof rev hon gen maj col lt capt sgt cpl cmdr adm gov sen rep pres st mt ft fr mme"
    " mlle vs cf viz approx ca e.g i.e"
)
_BEFORE_NUMBERS = _words(
    "no nos vol vols fig figs p pp ch sec art eq ed jan feb mar apr jun jul aug sep sept oct nov dec"
)
_SELDOM = _words("jr sr inc ltd co corp bros etc al ave blvd rd univ assn dept est")
_OPENERS = _words(
    "a according after all also although an and another as at because before both but by despite during each"
    " for from he her his how however i if in it its many most my no not on one or other our several she"
    " since so some such that the their then there these they this those though through thus to today two"
    " under until we what when where which while who why with you"
)
_OPENER = re.compile(rf"(?:{'|'.join(sorted(_OPENERS))})\b(?!\.)", re.IGNORECASE)


class SentenceSpan(NamedTuple):
    """A sentence as character offsets: start and end."""

    start: int
    end: int


def sentences(text: str) -> list[SentenceSpan]:
    """The sentences of a text in order.

    Only whitespace lies between, before and after them.
    """
    spans = []
    start = 0
    for end in (*_ends(text), len(text)):
        part = text[start:end]
        if part.strip():
            left = start + len(part) - len(part.lstrip())
            spans.append(SentenceSpan(left, left + len(part.strip())))
        start = end
    return spans


def _ends(text: str) -> Iterator[int]:
    start = 0
    for found in _END.finditer(text):
        if not found["mark"] or _is_end(text, start, found):
            start = found.end()
            yield start


def _is_end(text: str, start: int, found: re.Match[str]) -> bool:
    """True if a mark ends the sentence that begins at ``start``."""
    following = _NEXT.match(text, found.end())
    if following is None or following[1].islower() or following[1] in _MARKS:
        return following is None
    if found["mark"] != ".":
        return True
    if _ITEM.fullmatch(text, start, found.start()):
        return False
    last = _LAST.search(text, max(start, found.start() - _LOOK_BACK), found.start())
    name = last[0].lower().lstrip("'‘’") if last else ""
    if name in _NEVER or (name in _BEFORE_NUMBERS and following[1].isdigit()):
        return False
    if name in _SELDOM or _INITIALS.fullmatch(name):
        return _OPENER.match(text, following.start(1)) is not None
    return True
