"""What forbids to take two texts for the same, however similar their vectors are.

Vectors hardly see what a single token turns around: "Windows 10" and "Windows 11", "can" and "can't",
"Python" and "Java". A guard compares just that.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from textkin.errors import UsageError, did_you_mean
from textkin.groups.linkage import Edges

_NUMBER = re.compile(r"\d+(?:[.,]\d+)*")
_GROUPED = re.compile(r"\d{1,3}(?:,\d{3})+(?:\.\d+)?")
_WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)?")
# Not "one", which is often no number.
_SPELT = MappingProxyType(
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
    digits = [_plain(found) for found in _NUMBER.findall(text)]
    spelt = [_SPELT[word] for word in _words(text) if word in _SPELT]
    return tuple(sorted(digits + spelt))


def negation(text: str) -> bool:
    """Whether an English text denies something."""
    return any(_NEGATION.fullmatch(word) for word in _words(text))


def names(text: str) -> frozenset[str]:
    """Words that look like names: capitals where a sentence doesn't ask for them.

    A text that is all capitals, or whose words nearly all have them, as in a title, says nothing.
    """
    words = [(found.group(), found.start()) for found in _WORD.finditer(text)]
    capital = [word for word, _ in words if word[0].isupper()]
    if len(words) > 1 and len(capital) * 3 > len(words) * 2:
        return frozenset()
    found = {word for word, start in words if word[1:] != word[1:].lower() or _inside(text, start, word)}
    return frozenset(word.casefold() for word in found if len(word) > 1)


def allowed(edges: Edges, texts: Sequence[str], guards: Sequence[str]) -> NDArray[np.bool_]:
    """Which pairs no guard forbids. Shape [pairs].

    Raises:
        UsageError: there is no such guard.
    """
    kept = np.ones(len(edges), dtype=bool)
    for name in guards:
        if name not in GUARDS:
            raise UsageError(f"there is no guard {name!r}", fix=did_you_mean(name, GUARDS))
        kept &= GUARDS[name](edges, texts)
    return kept


def _same(feature: Callable[[str], Any]) -> Callable[[Edges, Sequence[str]], NDArray[np.bool_]]:
    """A guard that wants something of both texts to be equal."""

    def equal(edges: Edges, texts: Sequence[str]) -> NDArray[np.bool_]:
        codes: dict[Any, int] = {}
        of_text = np.zeros(len(texts), dtype=np.int64)
        for text in np.unique(np.concatenate((edges.a, edges.b))).tolist():
            of_text[text] = codes.setdefault(feature(texts[text]), len(codes))
        found: NDArray[np.bool_] = of_text[edges.a] == of_text[edges.b]
        return found

    return equal


def _names_shared(edges: Edges, texts: Sequence[str]) -> NDArray[np.bool_]:
    """Whether each name of one text is a word of the other, in any case of letters."""
    used = np.unique(np.concatenate((edges.a, edges.b))).tolist()
    named = {text: names(texts[text]) for text in used}
    words = {text: frozenset(map(str.casefold, _WORD.findall(texts[text]))) for text in used}
    return np.fromiter(
        (
            named[a] <= words[b] and named[b] <= words[a]
            for a, b in zip(edges.a.tolist(), edges.b.tolist(), strict=True)
        ),
        dtype=bool,
        count=len(edges),
    )


def _words(text: str) -> list[str]:
    return [word.lower().replace("’", "'") for word in _WORD.findall(text)]


def _plain(number: str) -> str:
    """One spelling for a number: 1,000.50 is 1000.5."""
    if _GROUPED.fullmatch(number):
        number = number.replace(",", "")
    number = number.replace(",", ".")
    if number.count(".") == 1:
        number = number.rstrip("0").rstrip(".")
    return number.lstrip("0") or "0"


def _inside(text: str, start: int, word: str) -> bool:
    """Whether a word with a capital stands within a sentence, where only names have one."""
    before = text[:start].rstrip(" \"'([“‘")
    return word[0].isupper() and word != "I" and bool(before) and before[-1] not in ".!?:;\n"


GUARDS: Mapping[str, Callable[[Edges, Sequence[str]], NDArray[np.bool_]]] = MappingProxyType(
    {"numbers": _same(numbers), "negation": _same(negation), "names": _names_shared}
)
"""Each guard by its name: which of the pairs may be the same as far as it can tell."""
