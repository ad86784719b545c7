"""Unknown parts of a text: those without a vector in a model, and their number of tokens.

A part is a string between spaces and known tokens: a word, an emoji, a flag, a run of characters in a script
without spaces. Two parts are equal if they are equal in Unicode NFKC, ignoring case and invisible characters:
variation selectors, soft hyphens and direction marks.
"""

import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from textkin.text.case_folding import compatible

NOTICEABLE = 0.2
"""Proportion of unknown tokens at which a text's score becomes unreliable."""

_TAGS = range(0xE0020, 0xE0080)  # they spell the regions of flags
_SELECTORS = "\ufe00-\ufe0f\U000e0100-\U000e01ef"
_INVISIBLE = re.compile(f"[{_SELECTORS}\u00ad\u034f\u200b\u200c\u200e\u200f\u2060-\u206f\ufeff]")
_ACCENT = re.compile(f"[{_SELECTORS}\u0300-\u036f\u1ab0-\u1aff\u1dc0-\u1dff\ufe20-\ufe2f]")
# Latin and its accents, punctuation, and invisible characters.
_HARMLESS = "\u0000-\u024f\u0300-\u036f\u1e00-\u1eff\u2000-\u206f\ufe00-\ufe0f\ufeff"
_SUSPECT = re.compile(f"[^{_HARMLESS}]")
_BETWEEN_BLANKS = re.compile(r"\S+")
_MARKS_AND_NUMBERS = ("Mn", "Mc", "Me", "Nd", "Nl", "No")
_COUNTING = frozenset(("Ll", "Lu", "Lt", "Lo", "Lm", *_MARKS_AND_NUMBERS, "So", "Cn", "Co", "Cs"))


@dataclass(frozen=True, slots=True)
class Unknown:
    """The unknown parts of a text.

    Attributes:
        parts: the unknown parts, spelt as by :func:`part_of`.
        sizes: number of tokens of each part, at least 1.
        tokens: number of tokens of the whole text, known or not.
    """

    parts: tuple[str, ...]
    sizes: tuple[int, ...]
    tokens: int

    @property
    def share(self) -> float:
        """The proportion of unknown tokens."""
        return sum(self.sizes) / self.tokens

    @property
    def noticeable(self) -> bool:
        """True if the proportion makes the score unreliable."""
        return self.share >= NOTICEABLE


UnknownOf = Mapping[int, Unknown]
"""Unknown parts of texts, by position; fully known texts are omitted."""


@dataclass(frozen=True, slots=True)
class TokenSpan:
    """A token with its position.

    Attributes:
        start: position of its first character.
        end: position after its last character.
        known: True if the model has a vector for it.
    """

    start: int
    end: int
    known: bool


def patterns() -> dict[str, str]:
    """The regular expressions of :func:`part_of` and :func:`is_suspect`, for other languages."""
    return {"invisible": _INVISIBLE.pattern, "suspect": _SUSPECT.pattern}


def part_of(raw: str) -> str:
    """The form in which parts of texts are compared."""
    plain = unicodedata.normalize("NFKC", _INVISIBLE.sub("", raw)).casefold().strip()
    return plain or raw


def retold(text: str, has_unknown: Callable[[str], bool]) -> str:
    """A text with its unknown words replaced by their form from :func:`compatible`.

    So ligatures and full-width letters are looked up again before a vector is made from their spelling.

    Args:
        text: the text.
        has_unknown: True if a whitespace-separated word has an unknown part.
    """
    if unicodedata.is_normalized("NFKC", text):
        return text

    def told(found: re.Match[str]) -> str:
        form = compatible(found[0])
        return form if form != found[0] and has_unknown(found[0]) else found[0]

    return _BETWEEN_BLANKS.sub(told, text)


def suspects(texts: Sequence[str]) -> list[int]:
    """The positions of texts with characters beyond Latin and punctuation, which tokenizers may lack."""
    return [place for place, text in enumerate(texts) if not text.isascii() and _SUSPECT.search(text)]


def is_suspect(text: str) -> bool:
    """True if there is a character beyond Latin and punctuation."""
    return bool(_SUSPECT.search(text))


def counts(character: str) -> bool:
    """True if a character that a tokenizer drops carries meaning.

    Letters, digits, symbols and unassigned characters do. Punctuation, spaces, accents and invisible
    characters don't.
    """
    if unicodedata.category(character) in _COUNTING:
        return not _ACCENT.match(character)
    return ord(character) in _TAGS


def unknown_of(text: str, spans: Sequence[TokenSpan], *, whole: bool = True) -> Unknown | None:
    """The unknown parts of a text; None if there are none.

    Args:
        text: the text.
        spans: its tokens in order; characters between them were dropped.
        whole: True if these are all tokens; False if the text was truncated before the first or after the
            last.
    """
    found: list[list[int]] = []  # start, end and size of each part
    known, touching = 0, False
    start, end = (0, len(text)) if whole else (spans[0].start, spans[-1].end) if spans else (0, 0)
    for span, size in _with_dropped(text, spans, start, end):
        if span.known:
            known, touching = known + 1, False
        elif touching and not any(map(str.isspace, text[found[-1][1] : span.start])):
            found[-1][1:] = [span.end, found[-1][2] + size]
        elif span.start < span.end:
            found.append([span.start, span.end, 1])
            touching = True
    if not found:
        return None
    parts = tuple(part_of(text[start:end]) for start, end, _ in found)
    sizes = tuple(size for _, _, size in found)
    return Unknown(parts, sizes, known + sum(sizes))


def unknown_words(words: Sequence[str], known: Sequence[bool], text: str) -> Unknown | None:
    """The unknown parts of a text that was split into words; None if there are none.

    Unknown punctuation doesn't count. Symbols and characters removed by a normalisation step count as one
    part.

    Args:
        words: words in order.
        known: True for words with a vector.
        text: the original text.
    """
    parts: list[str] = []
    symbols: list[str] = []
    for word, there in zip(words, known, strict=True):
        if there or not any(map(counts, word)):
            continue
        if any(map(str.isalnum, word)):
            parts.append(part_of(word))
        else:
            symbols.append(word)
    if is_suspect(text):
        held = set("".join(words))
        plain = unicodedata.normalize("NFKC", text)
        symbols += [one for one in plain if one not in held and one.lower() not in held and _odd(one)]
    if symbols:
        parts.append(part_of("".join(symbols)))
    if not parts:
        return None
    return Unknown(tuple(parts), (1,) * len(parts), sum(known) + len(parts))


def _odd(character: str) -> bool:
    return bool(_SUSPECT.match(character)) and counts(character)


def _with_dropped(
    text: str, spans: Iterable[TokenSpan], start: int, end: int
) -> Iterator[tuple[TokenSpan, int]]:
    """The tokens, and the dropped characters between them that count, which have size 0."""
    for span in spans:
        yield from _dropped(text, start, span.start)
        yield span, 1
        start = max(start, span.end)
    yield from _dropped(text, start, end)


def _dropped(text: str, start: int, end: int) -> Iterator[tuple[TokenSpan, int]]:
    return ((TokenSpan(one, one + 1, known=False), 0) for one in range(start, end) if counts(text[one]))
