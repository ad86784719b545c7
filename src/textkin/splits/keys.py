"""Normalised keys: two texts with one key are the same text to splits, lint and samplers."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable

_NEITHER_LETTER_NOR_DIGIT = re.compile(r"[\W_]+")
_PUNCTUATION = re.compile(
    r"[\s\x00-\x1f\x7f!-#%-*,-/:;?@\[-\]_{}]+"
)  # and blanks; symbols are $ + < = > ^ ` | ~
_TAGS = range(0xE0020, 0xE0080)
_VARIATION_SELECTORS = range(0xFE00, 0xFE10)


def key_of(text: str) -> str:
    """The text in Unicode NFKC and case-folded, with everything but letters and digits removed.

    Marks that belong to a letter stay: without its vowel signs a Hindi word would become another one. Without
    a letter, symbols say what a text means and stay beside its digits: flags with a number, sums, prices. A
    text without any letter or digit ("???", an emoji) would have nothing left and all such texts would be
    equal, so its key is the normalised text itself, stripped. It can't collide with the key of a text with
    letters.

    Beside letters, signs that carry meaning go too: "C++" and "C#" share a key. That errs on the safe side
    for splits.
    """
    if text.isascii():
        folded = text.lower()
        key = _NEITHER_LETTER_NOR_DIGIT.sub("", folded)
        return _PUNCTUATION.sub("", folded) if key.isdigit() else key or folded.strip()
    folded = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", text).casefold())
    if not any(map(str.isalnum, folded)):
        return folded.strip()
    kept = _is_kept if any(map(str.isalpha, folded)) else _is_kept_beside_digits
    return unicodedata.normalize("NFKC", "".join(filter(kept, folded)))


def keys_of(texts: Iterable[str]) -> dict[str, str]:
    """The key of each distinct text."""
    return {text: key_of(text) for text in dict.fromkeys(texts)}


def _is_kept_beside_digits(character: str) -> bool:
    # Tags, which spell the regions of flags, and what Unicode doesn't know yet are symbols too.
    category = unicodedata.category(character)
    return _is_kept(character) or category[0] == "S" or category in {"Co", "Cn"} or ord(character) in _TAGS


def _is_kept(character: str) -> bool:
    return character.isalnum() or (
        unicodedata.category(character) in {"Mn", "Mc"} and ord(character) not in _VARIATION_SELECTORS
    )
