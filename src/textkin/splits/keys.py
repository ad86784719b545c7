"""Normalised keys: two texts with one key are the same text to splits, lint and samplers."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable

_NEITHER_LETTER_NOR_DIGIT = re.compile(r"[\W_]+")
_VARIATION_SELECTORS = range(0xFE00, 0xFE10)


def key_of(text: str) -> str:
    """The text in Unicode NFKC and case-folded, with everything but letters and digits removed.

    Marks that belong to a letter stay: without its vowel signs a Hindi word would become another one. A text
    without any letter or digit ("???", an emoji) would have nothing left and all such texts would be equal,
    so its key is the normalised text itself, stripped. It can't collide with the key of a text with letters.

    Signs that carry meaning go too: "C++" and "C#" share a key. That errs on the safe side for splits.
    """
    if text.isascii():
        folded = text.lower()
        return _NEITHER_LETTER_NOR_DIGIT.sub("", folded) or folded.strip()
    folded = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", text).casefold())
    if not any(map(str.isalnum, folded)):
        return folded.strip()
    return unicodedata.normalize("NFKC", "".join(filter(_is_kept, folded)))


def keys_of(texts: Iterable[str]) -> dict[str, str]:
    """The key of each distinct text."""
    return {text: key_of(text) for text in dict.fromkeys(texts)}


def _is_kept(character: str) -> bool:
    return character.isalnum() or (
        unicodedata.category(character) in {"Mn", "Mc"} and ord(character) not in _VARIATION_SELECTORS
    )
