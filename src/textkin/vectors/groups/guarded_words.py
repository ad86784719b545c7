"""Features that guards compare, besides amounts: negations, names, single letters and words."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from types import MappingProxyType

from textkin.text.invisible_characters import cleaned, folded
from textkin.vectors.groups.amount_words import CURRENCIES, SCALE_LETTERS, SCALES, SMALL, UNITS, roman

WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)?")
_DOTTED = re.compile(r"(?<![^\W_])[^\W\d_](?:\.[^\W\d_])+(?![^\W_])\.?")
_APOSTROPHE = re.compile("(?<=[^\\W\\d_])[`\u00b4\u02bc\u2018\u201b\u2032](?=[^\\W\\d_])")
_ACCENT = re.compile("[\u0300-\u036f]")
_ASCII_WORD = re.compile(r"[a-z0-9]+")
# Scripts without spaces between words: Thai to Tibetan, Burmese, Khmer, Kana and Han.
ALONE = (
    "\u0e00-\u0fff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
    "\U00020000-\U0003ffff"
)
_UNIT = re.compile(f"[{ALONE}]|[^\\s{ALONE}]+")
_NEGATION = re.compile(
    r"\w*n't|not|no|never|none|nobody|nothing|neither|nor|nowhere|without|cannot"
    r"|(?:ca|do|does|did|is|are|was|were|wo|would|should|could|has|have|had|must|need|ai)nt"
)
# A run of letters and digits, with the signs after it that make it another name: C++, C#, A+, A*.
_PIECE = re.compile(
    r"(?<![^\W_])[A-Z]{2,3}[-−](?![^\W_])"
    r"|[^\W_]+(?:['’][^\W\d_]+)?(?:(?:[+#]+|(?<![^\W_]{2})[*\-−])(?![^\W_]))?"
)
_GAPS = re.compile(r"[\s<>\"'()]+")  # between addresses
_SCHEME = re.compile(r"^(?:[a-z]+://)?(?:www\.)?")
_PARTS = re.compile(r"\d+|[^\W\d_]+(?:['’][^\W\d_]+)?")
_OPENING = " \"'([“‘*_"
_ENDS = ".!?:;\n…。！？"
_OFTEN_WORDS = frozenset("aeiouy")  # letters that are words in some language, such as "a", "e" and "y"
_LONG = 64  # minimum length of runs that are not recurring words
_NO_LETTERS: Mapping[str, int] = MappingProxyType({})
_ENDING = re.compile(r"\d+(?:st|nd|rd|th|am|pm|s|e\d+|x\d+)", re.IGNORECASE)


def patterns() -> dict[str, str]:
    """The regular expressions that depend on languages, for other languages of programs."""
    return {"alone": ALONE, "negation": _NEGATION.pattern.replace(r"\w", r"[\p{L}\p{N}_]")}


def prepared(text: str) -> str:
    """A text as guards compare it: cleaned, one apostrophe, initials joined (``U.S.`` is ``US``)."""
    plain = cleaned(_APOSTROPHE.sub("'", text))
    return _DOTTED.sub(lambda found: found[0].replace(".", ""), plain) if "." in plain else plain


def negation(text: str) -> bool:
    """True if an English text contains a negation."""
    return any(_NEGATION.fullmatch(word) for word in _words(text))


@dataclass(frozen=True, slots=True, eq=False)
class Named:
    """The names of a text, and the forms in which a name can be found.

    Attributes:
        names: words that look like names, normalised; see :func:`names`.
        words: all words, parts of words, and parts separated by a space or a hyphen.
        letters: counts of single letters, words such as "a" and "I" included.
    """

    names: frozenset[str]
    words: frozenset[str]
    letters: Mapping[str, int]

    @classmethod
    def of(cls, text: str) -> Named:
        """Read a text.

        Args:
            text: prepared text.
        """
        pieces, addresses = _Pieces(text), _addresses(text)
        return cls(pieces.names() | addresses, pieces.findable() | addresses, pieces.letters())

    def shared(self, other: Named) -> bool:
        """True if each name of one text is a word of the other, and no letter is replaced by another."""
        if not (self.names <= other.words and other.names <= self.words):
            return False
        ours, theirs = _more(self.letters, other.letters), _more(other.letters, self.letters)
        return not (ours and theirs and (ours | theirs) - {"a", "i"})


def names(text: str) -> frozenset[str]:
    """Words of a prepared text that look like names.

    These are capitalised words within a sentence, single letters that are not words, letters joined to digits
    or signs (``12A``, ``C++``), and addresses of pages and mail. In a text in all capitals, or in title case,
    only the last two count.
    """
    return _Pieces(text).names() | _addresses(text)


def units(text: str) -> tuple[str, ...]:
    """The words of a text in order, without case and accents.

    In scripts without spaces between words, these are the characters.
    """
    if text.isascii():
        return tuple(_ASCII_WORD.findall(text.lower()))
    apart = unicodedata.normalize("NFKD", folded(unicodedata.normalize("NFKC", text)))
    plain = unicodedata.normalize("NFKC", _ACCENT.sub("", apart))
    kept = "".join(one if one.isalnum() or unicodedata.category(one)[0] == "M" else " " for one in plain)
    return tuple(_UNIT.findall(kept))


def within(text: str, start: int) -> bool:
    """True if a word is within a sentence, where only names are capitalised."""
    place = start - 1
    while place >= 0 and text[place] in _OPENING:
        place -= 1
    return place >= 0 and text[place] not in _ENDS


@lru_cache(maxsize=65_536)
def canonical(word: str) -> str:
    """The normalised form of a word without case; spelled and Roman numbers become digits."""
    low = folded(word.replace("’", "'"))
    low = low.removesuffix("'s")
    if 0 < SMALL.get(low, 0) <= 12:
        return str(SMALL[low])
    return roman(word) or low


def _addresses(text: str) -> frozenset[str]:
    """Addresses of pages and mail, without their optional parts."""
    if "@" not in text and "://" not in text and "www." not in text:
        return frozenset()
    found = (
        _SCHEME.sub("", folded(one)).strip(".,;:!?/")
        for one in _GAPS.split(text)
        if "://" in one or "www." in one or "@" in one[1:-1]
    )
    return frozenset(one for one in found if one)


class _Pieces:
    """Runs of letters and digits of a text, with the signs joined to them.

    Args:
        text: prepared text.
    """

    def __init__(self, text: str) -> None:
        found = list(_PIECE.finditer(text))
        self.raw = [one[0] for one in found]
        self.key = [canonical(raw) if len(raw) < _LONG else folded(raw) for raw in self.raw]
        self._text, self._spans = text, [one.span() for one in found]
        # Runs that may be more than words.
        self._special = [place for place, raw in enumerate(self.raw) if len(raw) == 1 or not raw.islower()]
        self._special += [
            place
            for place, raw in enumerate(self.raw)
            if len(raw) > 1 and raw.islower() and not raw.isalpha()
        ]

    def letters(self) -> Mapping[str, int]:
        """Counts of single letters of alphabets."""
        found = [self.key[place] for place in self._special if _is_letter(self.raw[place])]
        return Counter(found) if found else _NO_LETTERS

    def names(self) -> frozenset[str]:
        """Words that look like names, see :func:`names`."""
        raws = self.raw
        words = sum(raw[0].isalpha() for raw in raws)
        capital = sum(raws[place][0].isupper() for place in self._special)
        title = words > 1 and capital * 3 > words * 2
        found = (self._name(place, title=title) for place in self._special)
        return frozenset(name for name in found if name)

    def findable(self) -> frozenset[str]:
        """The forms in which a name of another text can be found."""
        found = set(self.key)
        for place in self._special:
            raw, key = self.raw[place], self.key[place]
            if len(raw) > 1 and not raw.isalpha():
                found.update(map(canonical, _PARTS.findall(raw)))
            if len(raw) == 1 or raw.isdigit():
                if self._beside(place):
                    found.add(self.key[place - 1] + key)
                if self._beside(place + 1):
                    found.add(key + self.key[place + 1])
        return frozenset(found)

    def _name(self, place: int, *, title: bool) -> str | None:
        raw = self.raw[place]
        if _is_sign(raw) or _is_mixed(raw):
            return self.key[place]
        if title or not raw[0].isalpha() or self._is_measure(place):
            return None
        if len(raw) == 1:
            return self._letter(place)
        if raw[1:] != raw[1:].lower() or (raw[0].isupper() and within(self._text, self._spans[place][0])):
            return self.key[place]
        return None

    def _letter(self, place: int) -> str | None:
        """A single letter that is a name by itself, as in "hepatitis B"; a person's initials are not."""
        raw, key, (start, end) = self.raw[place], self.key[place], self._spans[place]
        if not raw.isupper() or raw == "I":
            return None
        if self._text[end : end + 1] == "." and self._text[end + 1 : end + 2] not in ("", "\n"):
            return None
        if not within(self._text, start) and (not raw.isascii() or key in _OFTEN_WORDS):
            return None
        hyphened = self._beside(place + 1) and self._text[end] == "-" and self.raw[place + 1].isalpha()
        return key + self.key[place + 1] if hyphened else key

    def _is_measure(self, place: int) -> bool:
        """True if a word next to a number is its unit rather than a name."""
        raw, low = self.raw[place], self.raw[place].lower()
        counted = self._beside(place) and self.raw[place - 1][-1].isdigit()
        priced = self._beside(place + 1) and self.raw[place + 1][0].isdigit()
        return (counted and (_measures(raw) or low in ("am", "pm"))) or (priced and low in CURRENCIES)

    def _beside(self, place: int) -> bool:
        """True if at most a space or a hyphen separates a piece from the one before it."""
        if not 0 < place < len(self.raw):
            return False
        end, start = self._spans[place - 1][1], self._spans[place][0]
        return start == end or (start == end + 1 and self._text[end] in " -/\u2212")


def _is_letter(raw: str) -> bool:
    return len(raw) == 1 and raw.lower() != raw.upper()


def _is_sign(raw: str) -> bool:
    return len(raw) > 1 and not raw[-1].isalnum() and not raw[0].isdigit()


def _is_mixed(raw: str) -> bool:
    """True if letters are joined to digits and are neither a unit nor an ending, unlike 5mg and 2nd."""
    if raw.isalpha() or raw.isdigit() or not any(map(str.isdigit, raw)) or not any(map(str.isalpha, raw)):
        return False
    if _ENDING.fullmatch(raw):
        return False
    parts = _PARTS.findall(raw)
    return not (len(parts) == 2 and parts[0].isdigit() and _measures(parts[1]))


def _measures(word: str) -> bool:
    low = word.lower()
    return (len(word) > 1 and (low in UNITS or low in CURRENCIES or low in SCALES)) or (
        word in SCALE_LETTERS or word in ("g", "m", "l", "h", "s", "w", "v", "x")
    )


def _more(one: Mapping[str, int], other: Mapping[str, int]) -> set[str]:
    """The letters with a higher count in one text than in another."""
    return {letter for letter, times in one.items() if times > other.get(letter, 0)}


def _words(text: str) -> list[str]:
    return [word.lower().replace("’", "'") for word in WORD.findall(text)]
