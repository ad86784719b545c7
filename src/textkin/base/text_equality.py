"""Equality of texts: one rule with four levels, each ignoring more.

Characters that only look different are equal: full-width letters, ligatures, presentation forms, no-break
spaces. A character that is a special form of a number or a letter (a superscript, a subscript, a fraction, a
circled number) is never decomposed, since ``10²`` is not ``102`` and ``1½`` not ``11⁄2``. Case folding is
simple: ``ß`` is not ``ss``.
"""

import re
import unicodedata
from collections.abc import Iterable
from enum import StrEnum


class Equal(StrEnum):
    """Level of equality; each level ignores everything that the previous ones ignore.

    Example:
        >>> from textkin.verbs import Equal
        >>> [str(level) for level in Equal]
        ['exact', 'form', 'case', 'letters']
    """

    EXACT = "exact"  # no differences
    FORM = "form"  # Unicode forms of a character, whitespace, invisible characters
    CASE = "case"  # case, except in units: a megawatt is not a milliwatt
    LETTERS = "letters"  # everything but letters and digits


_INVISIBLE = re.compile("[\u00ad\u034f\u200b\u200c\u200e\u200f\u202a-\u202e\u2060-\u206f\ufe00-\ufe0f\ufeff]")
_OWN = frozenset({"<super>", "<sub>", "<fraction>", "<circle>"})
_SMALL_SIGNS = frozenset("⁺⁻⁼₊₋₌")
_TAGS = range(0xE0020, 0xE0080)
_THOUSANDS = re.compile(r"(?<=\d),(?=\d{3}(?!\d))")
_DROPPED = re.compile(r"[\W_]+")
_UNITS = re.compile(r"(?<=\d)( ?(?:[kmgt]?b(?:ps)?|[kmg]?w|[kmg]?hz|m?pa|[km]?v|m?j|[mgk])\b)", re.IGNORECASE)
_BETWEEN_DIGITS = re.compile(r"(?<=\d)[\W_]+(?=\d)")


def key_of(text: str, equal: Equal = Equal.LETTERS) -> str:
    """A key that is shared by all equal texts, and by no others.

    With ``LETTERS`` only letters and digits remain. Combining marks of a letter stay: without its vowel
    signs, a Hindi word would become another one. Digits separated by other characters stay separate: ``3.5``
    is not ``35``, except for thousands separators. In a text without letters, symbols carry the meaning and
    stay next to its digits: flags with a number, sums, prices. A text without any letter or digit ("???", an
    emoji) keeps all its characters. Next to letters, even meaningful signs are removed: "C++" and "C#" share
    a key.
    """
    if equal == Equal.EXACT:
        return text
    plain = _plain(text)
    if equal == Equal.FORM:
        return plain
    if equal == Equal.CASE:
        parts = _UNITS.split(plain)  # every second part is a unit after a number
        return "".join(part if place % 2 else _folded(part) for place, part in enumerate(parts))
    return _letters(_folded(plain))


def keys_of(texts: Iterable[str], equal: Equal = Equal.LETTERS) -> dict[str, str]:
    """The key of each distinct text."""
    return {text: key_of(text, equal) for text in dict.fromkeys(texts)}


def _plain(text: str) -> str:
    """The text in canonical form, with single spaces."""
    if not text.isascii():
        text = _INVISIBLE.sub("", text) or text
        if not unicodedata.is_normalized("NFKC", text):
            text = unicodedata.normalize("NFC", unicodedata.normalize("NFD", text).translate(_LOOKS))
    return " ".join(text.split())


def _folded(plain: str) -> str:
    """The text in lower case, one letter for each capital."""
    if plain.isascii():
        return plain.lower()
    # Without its dot above, which a small i has anyway, the Turkish capital equals that of other languages.
    small = unicodedata.normalize("NFC", plain.lower().replace("i\u0307", "i"))
    return small.replace("ς", "σ")


class _Looks(dict[int, str]):
    """The replacement of each character, cached."""

    def __missing__(self, code: int) -> str:
        found = self[code] = _looking_like(chr(code))
        return found


_LOOKS = _Looks()


def _looking_like(character: str) -> str:
    """The plain equivalent of a character that only looks different; itself if it has another meaning."""
    tag, *codes = unicodedata.decomposition(character).split() or [""]
    if not tag.startswith("<") or tag in _OWN:
        return character
    plain = "".join(_looking_like(chr(int(code, 16))) for code in codes)
    if len(plain) > 1 and (plain[0] == " " or any(map(str.isdecimal, plain))):
        return character  # an accent of its own; a number in a form of its own
    return plain


def _letters(folded: str) -> str:
    if not any(map(str.isalnum, folded)):
        return folded
    if folded.isascii():
        kept = _DROPPED.sub("", folded)
        if not kept.isdigit() and not _BETWEEN_DIGITS.search(folded):
            return kept
    is_kept = _is_kept if any(map(str.isalpha, folded)) else _is_kept_beside_digits
    key: list[str] = []
    is_apart = False
    for character in _THOUSANDS.sub("", folded):
        if not is_kept(character):
            is_apart = True
            continue
        if is_apart and character.isdecimal() and key and key[-1].isdecimal():
            key.append(".")
        is_apart = False
        key.append(character)
    return unicodedata.normalize("NFC", "".join(key))


def _is_kept_beside_digits(character: str) -> bool:
    # Tags, which spell the regions of flags, and unassigned characters count as symbols too.
    category = unicodedata.category(character)
    return _is_kept(character) or category[0] == "S" or category in {"Co", "Cn"} or ord(character) in _TAGS


def _is_kept(character: str) -> bool:
    if character.isalnum() or character in _SMALL_SIGNS:
        return True
    return unicodedata.category(character) in {"Mn", "Mc"}
