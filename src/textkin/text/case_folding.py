"""Case folding for word comparison: ignores Unicode forms, case and invisible characters.

ASCII texts are only lower-cased, at no further cost.
"""

import re
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache

from textkin.text.unspaced_scripts import is_paired

_PLANES = range(0x80, 0x20000)  # only ideographs and tags lie beyond
_SUPERSCRIPT, _SUBSCRIPT = "\u00b2\u00b3\u00b9\u2070\u2074-\u2079", "\u2080-\u2089"
_BETWEEN_DIGITS = re.compile(
    rf"(?<=\d)(?=[{_SUPERSCRIPT}{_SUBSCRIPT}])|(?<=[{_SUPERSCRIPT}{_SUBSCRIPT}])(?=\d)"
    rf"|(?<=[{_SUPERSCRIPT}])(?=[{_SUBSCRIPT}])|(?<=[{_SUBSCRIPT}])(?=[{_SUPERSCRIPT}])"
)
# Variation selectors, tags, fillers and joiners that Unicode doesn't class as format characters.
_IGNORABLE = "\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180d\u180f\u3164\ufe00-\ufe0f\uffa0\U000e0000-\U000e0fff"
# Vowels and other points of Arabic and Hebrew, which most texts omit, and the Arabic elongation mark.
_OPTIONAL = (
    "\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u0610-\u061a\u0640\u064b-\u0652\u0656-\u065f\u0670"
)
_QURANIC = "\u06d6-\u06dc\u06df-\u06e4\u06e7\u06e8\u06ea-\u06ed"


def compatible(text: str) -> str:
    """A text in NFKC, without joining compatibility digits and symbols to their neighbours.

    NFKC alone turns "10\u00b2" into 102, "2\u00bd" into 21/2 and "Windows\u2122" into WindowsTM.

    Example:
        >>> compatible("\ufb01ne 10\u00b2 m\u00b2"), compatible("Windows\u2122 2\u00bd").split()
        ('fine 10 2 m2', ['Windows', 'TM', '2', '1\u20442'])
    """
    if unicodedata.is_normalized("NFKC", text):
        return text
    apart = _BETWEEN_DIGITS.sub(" ", _signs().apart.sub(r" \g<0> ", text))
    return unicodedata.normalize("NFKC", apart)


def word_form(text: str) -> str:
    """A text in the form used to compare words.

    This is :func:`compatible` without case, format characters, variation selectors, and the points of Arabic
    and Hebrew. Accents and the vowel signs of other scripts stay.

    Example:
        >>> word_form("\u0130zmir \ufb01\u00adne STRASSE Stra\u00dfe")
        'izmir fine strasse strasse'
    """
    if text.isascii():
        return text.lower()
    folded = compatible(_signs().dropped.sub("", text)).casefold().replace("i\u0307", "i")
    return unicodedata.normalize("NFC", _signs().points.sub("", folded))


def is_mark(character: str) -> bool:
    """True if a character, such as a vowel sign, continues the preceding word."""
    return not character.isascii() and unicodedata.category(character) in ("Mn", "Mc")


@lru_cache(maxsize=1)
def marks() -> str:
    """All characters of :func:`is_mark`, in order."""
    return "".join(filter(is_mark, map(chr, _PLANES)))


def class_of(characters: Iterable[str]) -> str:
    """A regular expression's character class for sorted non-ASCII characters.

    Example:
        >>> class_of("\u0300\u0301\u0302\u0483") == "[\u0300-\u0302\u0483]"
        True
    """
    ranges: list[list[str]] = []
    for character in characters:
        if ranges and ord(character) == ord(ranges[-1][1]) + 1:
            ranges[-1][1] = character
        else:
            ranges.append([character, character])
    return f"[{''.join(first if first == last else f'{first}-{last}' for first, last in ranges)}]"


def patterns() -> dict[str, str]:
    """The regular expressions of :func:`word_form`, for other languages: what is dropped, and set apart.

    ``digits`` has to be replaced by a space after ``apart`` was put between spaces.
    """
    signs = _signs()
    return {
        "apart": signs.apart.pattern,
        "digits": _BETWEEN_DIGITS.pattern.replace(r"\d", r"\p{Nd}"),
        "dropped": signs.dropped.pattern,
        "points": signs.points.pattern,
    }


@dataclass(frozen=True, slots=True)
class _Signs:
    """Character patterns for :func:`compatible` and :func:`word_form`.

    Attributes:
        apart: symbols and numbers whose compatible form is letters or digits; adjacent circled letters are
            one.
        dropped: invisible characters.
        points: points that most texts omit.
    """

    apart: re.Pattern[str]
    dropped: re.Pattern[str]
    points: re.Pattern[str]


@lru_cache(maxsize=1)
def _signs() -> _Signs:
    scripts = re.compile(f"[{_SUPERSCRIPT}{_SUBSCRIPT}]")
    alone, letters, dropped = list[str](), list[str](), list[str]()
    for char in map(chr, _PLANES):
        category = unicodedata.category(char)
        if category in ("So", "No") and not scripts.match(char):
            form = unicodedata.normalize("NFKC", char)
            if form != char and not is_paired(form):  # such as radicals, which occur in words
                (letters if len(form) == 1 and form.isalpha() else alone).append(char)
        elif category in ("Cf", "Me"):
            dropped.append(char)
    return _Signs(
        re.compile(f"{class_of(letters)}+|{class_of(alone)}"),
        re.compile(f"{class_of(dropped)[:-1]}{_IGNORABLE}]"),
        re.compile(f"[{_OPTIONAL}{_QURANIC}]"),
    )
