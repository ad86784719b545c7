"""Words by Lucene's StandardAnalyzer: Unicode word boundaries, lower case, without stop words.

The rules are those of ``StandardTokenizer`` of Lucene 4.10 and 5: UAX #29 of Unicode 6.3, where a token is a
word or number, a run of Thai, Lao, Myanmar or Khmer, or a single Han or Hiragana character. "U.S.A" and
"3,000.5" are one token, "carbon-carbon" is two, "doesn't" and "a:b" are one. Letters of scripts added to
Unicode later are words here too.
"""

import re
import unicodedata
from collections.abc import Iterator
from functools import lru_cache

LONGEST = 255
"""Maximum length of a token in UTF-16 units; longer ones are split."""

_ENGLISH = """
a an and are as at be but by for if in into is it no not of on or such that the their then there these
they this to was will with
"""
STOP_WORDS = frozenset(_ENGLISH.split())
"""The 33 English stop words of Lucene, including AND, OR and NOT."""

# Character classes of the rules.
_LETTER, _HEBREW, _DIGIT, _KATAKANA, _EXTEND, _JOIN = "LHNKXu"
_IN_WORDS, _IN_NUMBERS, _IN_BOTH, _QUOTE, _DOUBLE = "mnbqd"
_COMPLEX, _HAN, _HIRAGANA, _NOTHING = "CIJ "

_SIGNS = {
    _IN_WORDS: ":\u00b7\u02d7\u0387\u05f4\u2027\ufe13\ufe55\uff1a",
    _IN_NUMBERS: ",;\u037e\u0589\u060c\u060d\u066c\u07f8\u2044\ufe10\ufe14\ufe50\ufe54\uff0c\uff1b",
    _IN_BOTH: ".\u2018\u2019\u2024\ufe52\uff07\uff0e",
    _QUOTE: "'",
    _DOUBLE: '"',
    _JOIN: "_\u203f\u2040\u2054\ufe33\ufe34\ufe4d\ufe4e\ufe4f\uff3f",
    _DIGIT: "\u066b",
    _LETTER: "\u05f3\u3005\u303b",
    _KATAKANA: "\u3031\u3032\u3033\u3034\u3035\u309b\u309c\u30a0\u30fc\uff70",
    _EXTEND: "\uff9e\uff9f",
    _HAN: "\u3007",
    _NOTHING: "\u200b\u3006",
}
_COMPLEX_BLOCKS = (
    *((0x0E00, 0x0EFF), (0x1000, 0x109F), (0x1780, 0x17FF), (0x1950, 0x19DF), (0x1A20, 0x1AAF)),
    *((0xA9E0, 0xA9FF), (0xAA60, 0xAADF), (0x11700, 0x1174F)),
)
_CIRCLED = range(0x24B6, 0x24EA)
_NAMES = (
    ("CJK UNIFIED IDEOGRAPH", _HAN),
    ("CJK COMPATIBILITY IDEOGRAPH", _HAN),
    ("HANGZHOU NUMERAL", _HAN),
    ("HIRAGANA", _HIRAGANA),
    ("KATAKANA", _KATAKANA),
    ("HALFWIDTH KATAKANA", _KATAKANA),
    ("HEBREW", _HEBREW),
)


def standard_words(text: str) -> list[str]:
    """The tokens of a text in order, in lower case, stop words included.

    Example:
        >>> standard_words("At 3.5 m, the U.S. doesn't")
        ['at', '3.5', 'm', 'the', 'u.s', "doesn't"]
    """
    classes = text.translate(_classes())
    words: list[str] = []
    for found in _pattern().finditer(classes):
        start, end = found.span()
        if found.lastindex:
            continue
        if end - start <= LONGEST // 2 or _units(text[start:end]) <= LONGEST:
            words.append(_lower(text[start:end]))
        else:
            words += (_lower(text[first:last]) for first, last in _pieces(text, classes, start, end))
    return words


def _pieces(text: str, classes: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """The parts of a token that is too long.

    Lucene's scanner sees only its buffer: it takes the longest token within, and continues after it.
    """
    while start < end:
        found = _pattern().match(classes, start, min(end, _limit(text, start)))
        if found is not None and not found.lastindex:
            yield start, found.end()
        start = start + 1 if found is None else found.end()


def _lower(word: str) -> str:
    """Lower case by character, as in Java: no final sigma, no dot left over from a Turkish I."""
    return word.lower() if word.isascii() else "".join(char.lower()[0] for char in word)


def _units(text: str) -> int:
    return len(text) + sum(char > "\uffff" for char in text)


def _limit(text: str, start: int) -> int:
    """The last possible end of a token that starts at ``start``."""
    stop = min(len(text), start + LONGEST)
    while _units(text[start:stop]) > LONGEST:
        stop -= 1
    return stop


class _Classes(dict[int, str]):
    """The class of each character by code point, cached."""

    def __missing__(self, code: int) -> str:
        self[code] = found = _class_of(chr(code))
        return found


@lru_cache(maxsize=1)
def _classes() -> _Classes:
    return _Classes({ord(sign): name for name, signs in _SIGNS.items() for sign in signs})


def _class_of(char: str) -> str:
    code, category = ord(char), unicodedata.category(char)
    if category[0] in "LM" and any(first <= code <= last for first, last in _COMPLEX_BLOCKS):
        return _COMPLEX
    if category == "Nd":
        return _DIGIT
    if category[0] == "M" or category == "Cf":
        return _EXTEND
    if category[0] == "L" or category == "Nl" or code in _CIRCLED:
        name = unicodedata.name(char, "")
        return next((found for start, found in _NAMES if name.startswith(start)), _LETTER)
    return _NOTHING


@lru_cache(maxsize=1)
def _pattern() -> re.Pattern[str]:
    """A token in character classes; marks and format characters belong to the preceding character."""

    def one(classes: str) -> str:
        return f"[{classes}]{_EXTEND}*"

    join, digit = one(_JOIN), one(_DIGIT)
    hebrew = f"{one(_HEBREW)}(?:{one(_DOUBLE)}(?={_HEBREW})|{one(_QUOTE)})?"
    letter = f"(?:{one(_LETTER)}|{hebrew})"
    in_word, in_number = one(_IN_WORDS + _IN_BOTH + _QUOTE), one(_IN_NUMBERS + _IN_BOTH + _QUOTE)
    run = f"(?:(?:{letter}(?:(?:{in_word})?{letter})*|{digit}(?:(?:{in_number})?{digit})*)+"
    body = f"{run}|(?:{one(_KATAKANA)})+)"
    word = f"(?:{join})*+{body}(?:(?:{join})+{body})*(?:{join})*"
    # Joining characters can form long runs without a token: group 1 skips them at once.
    return re.compile(f"{word}|(?:{one(_COMPLEX)})+|{one(_HAN + _HIRAGANA)}|((?:{join})++)")
