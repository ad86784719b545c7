"""Scripts without spaces between words, and Korean, whose particles follow without a space.

No dictionary is needed: runs of characters are split into overlapping pairs. An ideograph or a Korean
syllable can be a word by itself, so it is a term of its own, too.
"""

import re
from collections.abc import Iterator
from functools import lru_cache

_WORDS = (  # characters that can be words: Han, Yi, Hangul
    *("\u3005", "\u3007", "\u3021-\u3029", "\u3038-\u303b", "\u3400-\u4dbf", "\u4e00-\u9fff"),
    *("\uf900-\ufaff", "\U00020000-\U0003ffff", "\ua000-\ua48c", "\uac00-\ud7a3"),
)
_LETTERS = (  # others: kana, bopomofo, Hangul's letters, Thai, Lao, Burmese, Khmer, Tai, Javanese, Balinese
    *("\u3006", "\u3031-\u3035", "\u3041-\u3096", "\u3099\u309a", "\u309d-\u309f", "\u30a1-\u30fa"),
    *("\u30fc-\u30ff", "\u31f0-\u31ff", "\U0001aff0-\U0001afff", "\U0001b000-\U0001b16f"),
    *("\u3105-\u312f", "\u31a0-\u31bf", "\u1100-\u11ff", "\ua960-\ua97c", "\ud7b0-\ud7fb"),
    *("\u0e01-\u0e3a", "\u0e40-\u0e4e", "\u0e81-\u0ece", "\u0edc-\u0edf"),
    *("\u1000-\u103f", "\u1050-\u108f", "\u109a-\u109d", "\ua9e0-\ua9ef", "\ua9fa-\ua9fe", "\uaa60-\uaa76"),
    *("\uaa7a-\uaa7f", "\u1780-\u17d3", "\u17d7", "\u17dc\u17dd", "\u1950-\u1974", "\u1980-\u19c9"),
    *("\u1a20-\u1a7c", "\u1aa7", "\uaa80-\uaadd", "\ua980-\ua9c0", "\u1b00-\u1b4c"),
)


def patterns() -> dict[str, str]:
    """The regular expressions of :func:`is_paired` and :func:`is_word`, for other languages."""
    return {"paired": _paired().pattern, "word": _word().pattern}


def is_paired(character: str) -> bool:
    """True if words in the character's script are indexed as pairs."""
    return not character.isascii() and bool(_paired().match(character))


def is_word(character: str) -> bool:
    """True if such a character can be a word by itself, besides its pairs."""
    return not character.isascii() and bool(_word().match(character))


def has_paired(text: str) -> bool:
    """True if there is a character from a script indexed as pairs."""
    return bool(_paired().search(text))


def parts_of_run(run: str) -> Iterator[str]:
    """Split a run of letters, digits and marks into parts that are indexed as pairs, and others."""
    return (found[0] for found in _parts().finditer(run))


def pairs_of(part: str) -> Iterator[str]:
    """The words of a part indexed as pairs, from left to right.

    Example:
        >>> list(pairs_of("\u767b\u5f55\u3066")), list(pairs_of("\u306e"))
        (['\u767b', '\u767b\u5f55', '\u5f55', '\u5f55\u3066'], ['\u306e'])
    """
    for place, character in enumerate(part):
        if place:
            yield part[place - 1 : place + 1]
        if len(part) == 1 or is_word(character):
            yield character


@lru_cache(maxsize=1)
def _paired() -> re.Pattern[str]:
    return re.compile(f"[{''.join((*_WORDS, *_LETTERS))}]")


@lru_cache(maxsize=1)
def _word() -> re.Pattern[str]:
    return re.compile(f"[{''.join(_WORDS)}]")


@lru_cache(maxsize=1)
def _parts() -> re.Pattern[str]:
    kinds = "".join((*_WORDS, *_LETTERS))
    return re.compile(f"[{kinds}]+|[^{kinds}]+")
