"""What guards look at in a text: its numbers, negations, names and words."""

from __future__ import annotations

import re
import unicodedata
from types import MappingProxyType

_NUMBER = re.compile(r"\d+(?:[.,]\d+)*")
_GROUPED = re.compile(r"\d{1,3}(?:,\d{3})+(?:\.\d+)?")
WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)?")
_ACCENT = re.compile("[\u0300-\u036f]")
_ASCII_WORD = re.compile(r"[a-z0-9]+")
# Scripts without blanks between words: Thai to Tibetan, Burmese, Khmer, Kana and Han.
_ALONE = (
    "\u0e00-\u0fff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
    "\U00020000-\U0003ffff"
)
_UNIT = re.compile(f"[{_ALONE}]|[^\\s{_ALONE}]+")
# Not "one", which is often no number.
SPELT = MappingProxyType(
    {
        "zero": "0",
        "two": "2",
        "three": "3",
        "four": "4",
        "five": "5",
        "six": "6",
        "seven": "7",
        "eight": "8",
        "nine": "9",
        "ten": "10",
        "eleven": "11",
        "twelve": "12",
    }
)
_NEGATION = re.compile(
    r"\w+n't|not|no|never|none|nobody|nothing|neither|nor|nowhere|without|cannot"
    r"|(?:ca|do|does|did|is|are|was|were|wo|would|should|could|has|have|had|must|need|ai)nt"
)


def numbers(text: str) -> tuple[str, ...]:
    """The numbers of a text, sorted: digits, and words from zero to twelve."""
    digits = [plain(found) for found in _NUMBER.findall(text)]
    spelt = [SPELT[word] for word in _words(text) if word in SPELT]
    return tuple(sorted(digits + spelt))


def negation(text: str) -> bool:
    """Whether an English text denies something."""
    return any(_NEGATION.fullmatch(word) for word in _words(text))


def names(text: str) -> frozenset[str]:
    """Words that look like names: capitals where a sentence doesn't ask for them.

    A text that is all capitals, or whose words nearly all have them, as in a title, says nothing.
    """
    words = [(found.group(), found.start()) for found in WORD.finditer(text)]
    capital = [word for word, _ in words if word[0].isupper()]
    if len(words) > 1 and len(capital) * 3 > len(words) * 2:
        return frozenset()
    found = {word for word, start in words if word[1:] != word[1:].lower() or _inside(text, start, word)}
    return frozenset(word.casefold() for word in found if len(word) > 1)


def units(text: str) -> tuple[str, ...]:
    """The words of a text in their order, without case and accents.

    Of scripts without blanks between words these are the characters.
    """
    if text.isascii():
        return tuple(_ASCII_WORD.findall(text.lower()))
    apart = unicodedata.normalize("NFKD", unicodedata.normalize("NFKC", text).casefold())
    plain = unicodedata.normalize("NFKC", _ACCENT.sub("", apart))
    kept = "".join(one if one.isalnum() or unicodedata.category(one)[0] == "M" else " " for one in plain)
    return tuple(_UNIT.findall(kept))


def plain(number: str) -> str:
    """One spelling for a number: 1,000.50 is 1000.5."""
    if _GROUPED.fullmatch(number):
        number = number.replace(",", "")
    number = number.replace(",", ".")
    if number.count(".") == 1:
        number = number.rstrip("0").rstrip(".")
    return number.lstrip("0") or "0"


def _words(text: str) -> list[str]:
    return [word.lower().replace("’", "'") for word in WORD.findall(text)]


def _inside(text: str, start: int, word: str) -> bool:
    """Whether a word with a capital stands within a sentence, where only names have one."""
    before = text[:start].rstrip(" \"'([“‘")
    return word[0].isupper() and word != "I" and bool(before) and before[-1] not in ".!?:;\n"
