"""What of a text a model has no vector for: which parts, and how many of its tokens they are.

A part is what stands between blanks and known tokens: a word, an emoji, a flag, a run of characters of a
script that has no blanks. Two parts are the same if they are equal in Unicode NFKC, case and what can't be
seen aside: variation selectors, soft hyphens and marks of direction.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import final

from textkin.text.case_folding import compatible

NOTICEABLE = 0.2
"""From this share of its tokens on, what is unknown of a text is too much to rely on its score."""

_TAGS = range(0xE0020, 0xE0080)  # they spell the regions of flags
_SELECTORS = "\ufe00-\ufe0f\U000e0100-\U000e01ef"
_INVISIBLE = re.compile(f"[{_SELECTORS}\u00ad\u034f\u200b\u200c\u200e\u200f\u2060-\u206f\ufeff]")
_ACCENT = re.compile(f"[{_SELECTORS}\u0300-\u036f\u1ab0-\u1aff\u1dc0-\u1dff\ufe20-\ufe2f]")
# Latin and its accents, punctuation, and the invisible.
_HARMLESS = "\u0000-\u024f\u0300-\u036f\u1e00-\u1eff\u2000-\u206f\ufe00-\ufe0f\ufeff"
_SUSPECT = re.compile(f"[^{_HARMLESS}]")
_BETWEEN_BLANKS = re.compile(r"\S+")
_MARKS_AND_NUMBERS = ("Mn", "Mc", "Me", "Nd", "Nl", "No")
_COUNTING = frozenset(("Ll", "Lu", "Lt", "Lo", "Lm", *_MARKS_AND_NUMBERS, "So", "Cn", "Co", "Cs"))


@final
@dataclass(frozen=True, slots=True)
class Unknown:
    """What is unknown of a text.

    Attributes:
        parts: what it consists of, as :func:`part_of` spells it.
        sizes: how many tokens each part is, at least 1.
        tokens: of the whole text, known or not.
    """

    parts: tuple[str, ...]
    sizes: tuple[int, ...]
    tokens: int

    @property
    def share(self) -> float:
        """The unknown tokens among all."""
        return sum(self.sizes) / self.tokens

    @property
    def noticeable(self) -> bool:
        """Whether the share is too large to rely on a score."""
        return self.share >= NOTICEABLE


UnknownOf = Mapping[int, Unknown]
"""What is unknown of texts, by their places; texts of which all is known are not in it."""


@final
@dataclass(frozen=True, slots=True)
class TokenSpan:
    """A token and where it stands.

    Attributes:
        start: its first character.
        end: the one after its last.
        known: whether the model has a vector for it.
    """

    start: int
    end: int
    known: bool


def part_of(raw: str) -> str:
    """A part of a text as parts are compared."""
    plain = unicodedata.normalize("NFKC", _INVISIBLE.sub("", raw)).casefold().strip()
    return plain or raw


def retold(text: str, has_unknown: Callable[[str], bool]) -> str:
    """A text in which what is unknown stands in the form that :func:`compatible` gives it.

    So ligatures and full-width letters are looked up again before their spelling is made into a vector.

    Args:
        text: the text.
        has_unknown: whether something is unknown of what stands between two blanks.
    """
    if unicodedata.is_normalized("NFKC", text):
        return text

    def told(found: re.Match[str]) -> str:
        form = compatible(found[0])
        return form if form != found[0] and has_unknown(found[0]) else found[0]

    return _BETWEEN_BLANKS.sub(told, text)


def suspects(texts: Sequence[str]) -> list[int]:
    """The places of texts with characters beyond Latin and punctuation, which tokenizers may not know."""
    return [place for place, text in enumerate(texts) if not text.isascii() and _SUSPECT.search(text)]


def is_suspect(text: str) -> bool:
    """Whether there is a character beyond Latin and punctuation."""
    return bool(_SUSPECT.search(text))


def counts(character: str) -> bool:
    """Whether a character that a tokenizer drops was part of what the text says.

    Letters, digits, symbols and what Unicode doesn't know are; punctuation, blanks, accents and the invisible
    are not.
    """
    if unicodedata.category(character) in _COUNTING:
        return not _ACCENT.match(character)
    return ord(character) in _TAGS


def unknown_of(text: str, spans: Sequence[TokenSpan], *, whole: bool = True) -> Unknown | None:
    """What is unknown of a text, or None.

    Args:
        text: the text.
        spans: its tokens in their order; what lies between them was dropped.
        whole: whether these are all tokens; else the text was cut before the first or after the last.
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
    """What is unknown of a text that was cut into words, or None.

    Punctuation that is unknown does not count. Symbols and characters that a step left out count together.

    Args:
        words: in their order.
        known: which of them have a vector.
        text: what they come from.
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
    """The tokens, and between them the characters that were dropped though they count, which have no size."""
    for span in spans:
        yield from _dropped(text, start, span.start)
        yield span, 1
        start = max(start, span.end)
    yield from _dropped(text, start, end)


def _dropped(text: str, start: int, end: int) -> Iterator[tuple[TokenSpan, int]]:
    return ((TokenSpan(one, one + 1, known=False), 0) for one in range(start, end) if counts(text[one]))
