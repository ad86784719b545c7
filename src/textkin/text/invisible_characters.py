"""Removal of invisible characters, and one form for each visible one.

Two copies of a text may differ in the Unicode form of an accent, or in a zero-width space. Comparisons of
wording use cleaned forms.
"""

import re
import unicodedata

# Default_Ignorable_Code_Point of Unicode's DerivedCoreProperties.txt, and control characters except spaces.
_INVISIBLE = re.compile(
    "[\x00-\x08\x0e-\x1b\x7f-\x84\x86-\x9f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f"
    "\u202a-\u202e\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufff8\U0001bca0-\U0001bca3"
    "\U0001d173-\U0001d17a\U000e0000-\U000e0fff]+"
)
_SUPERSCRIPT = re.compile("[\u00b2\u00b3\u00b9\u2070\u2074-\u207c]+")
_SUBSCRIPT = re.compile("[\u2080-\u208c]+")
_MARKS = re.compile("[\u2120\u2122]")  # service mark and trade mark, which NFKC turns into letters
# Fractions, and numbers in circles or parentheses.
_COUNTING = re.compile(
    "[\u00bc-\u00be\u2150-\u215f\u2189\u2460-\u249b\u24ea-\u24ff\u2776-\u2793\u3192-\u3195\u3220-\u3229"
    "\u3248-\u324f\u3251-\u325f\u3280-\u3289\u32b1-\u32bf\U0001f100-\U0001f10c]"
)
_FRACTION_SLASH = "\u2044"
_DOTTED = "i\u0307"  # casefold's result for a capital I with a dot


def patterns() -> dict[str, str]:
    """The regular expressions of :func:`cleaned`, for other languages."""
    found = {"unseen": _INVISIBLE, "superscript": _SUPERSCRIPT, "subscript": _SUBSCRIPT, "trade": _MARKS}
    return {name: one.pattern for name, one in (found | {"circled": _COUNTING}).items()}


def tidied(text: str) -> str:
    """Text in NFC, without invisible characters, and with repeated spaces collapsed."""
    if not text.isascii():
        text = unicodedata.normalize("NFC", text)
    return " ".join(_INVISIBLE.sub("", text).split())


def cleaned(text: str) -> str:
    """Text in compatibility form (NFKC), without invisible characters; superscripts stay separate.

    A superscript becomes ``10^2``, a subscript after a digit ``10_2``, and a fraction ``1 1/2``, where NFKC
    would join the digits to their neighbours.
    """
    text = _INVISIBLE.sub("", text)
    if text.isascii():
        return text
    text = _SUPERSCRIPT.sub(lambda found: f"^{_plain(found[0])}", _MARKS.sub("", text))
    text = _SUBSCRIPT.sub(lambda found: _lowered(text, found), text)
    text = _COUNTING.sub(lambda found: _apart(text, found), text)
    return unicodedata.normalize("NFKC", text).replace(_FRACTION_SLASH, "/")


def folded(text: str) -> str:
    """Cleaned text for comparison without case; I is one letter, with a dot or without."""
    if text.isascii():
        return text.lower()
    plain = unicodedata.normalize("NFKC", text.casefold()).replace(_DOTTED, "i")
    return plain.replace("\u0131", "i")


def _plain(characters: str) -> str:
    return unicodedata.normalize("NFKC", characters).replace("\u2212", "-")


def _lowered(text: str, found: re.Match[str]) -> str:
    """A subscript: joined to a letter, as in chemical formulas, and separate from a digit."""
    return f"_{_plain(found[0])}" if _counts(text, found.start() - 1) else _plain(found[0])


def _apart(text: str, found: re.Match[str]) -> str:
    """A fraction or a number in a circle, with a space between it and adjacent digits."""
    before = " " if _counts(text, found.start() - 1) else ""
    after = " " if text[found.end() : found.end() + 1].isdecimal() else ""
    return f"{before}{_plain(found[0])}{after}"


def _counts(text: str, place: int) -> bool:
    """True if there is a digit, or a sign that stands for a number, at a position."""
    return place >= 0 and unicodedata.category(text[place]) in ("Nd", "No")
