"""What forbids to take two texts for the same, however similar their vectors are.

Vectors hardly see what a single token turns around: "Windows 10" and "Windows 11", "can" and "can't",
"Python" and "Java". To an encoder that takes the mean of token vectors, "cats afraid of tigers" and "tigers
afraid of cats" are one text. A guard compares just that.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from threading import Lock
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from textkin.errors import UsageError, did_you_mean
from textkin.groups.linkage import Edges, Numbers

ORDER = "order"
"""The guard of texts that are the same words in another order."""

Check = Callable[[Numbers, Numbers], NDArray[np.bool_]]
"""Tells which pairs of texts, given by number, are allowed. Shapes [pairs]."""

_NUMBER = re.compile(r"\d+(?:[.,]\d+)*")
_GROUPED = re.compile(r"\d{1,3}(?:,\d{3})+(?:\.\d+)?")
_WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)?")
_ACCENT = re.compile("[\u0300-\u036f]")
_ASCII_WORD = re.compile(r"[a-z0-9]+")
# Scripts without blanks between words: Thai to Tibetan, Burmese, Khmer, Kana and Han.
_ALONE = (
    "\u0e00-\u0fff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
    "\U00020000-\U0003ffff"
)
_UNIT = re.compile(f"[{_ALONE}]|[^\\s{_ALONE}]+")
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


def checks(texts: Sequence[str], guards: Sequence[str]) -> Check:
    """What tells which pairs of these texts no guard forbids; for many calls, from several threads.

    What a guard wants to know of a text it finds out when the text first comes in a pair, and remembers.

    Raises:
        UsageError: there is no such guard.
    """
    for name in guards:
        if name not in GUARDS:
            raise UsageError(f"there is no guard {name!r}", fix=did_you_mean(name, GUARDS))
    ready = [GUARDS[name](texts) for name in guards]

    def none_forbids(a: Numbers, b: Numbers) -> NDArray[np.bool_]:
        kept = np.ones(len(a), dtype=bool)
        for check in ready:
            left = np.flatnonzero(kept)  # what one forbids needn't be looked at again
            kept[left] = check(a[left], b[left])
        return kept

    return none_forbids


def allowed(edges: Edges, texts: Sequence[str], guards: Sequence[str]) -> NDArray[np.bool_]:
    """Which pairs no guard forbids. Shape [pairs].

    Raises:
        UsageError: there is no such guard.
    """
    return checks(texts, guards)(edges.a, edges.b)


def _same(feature: Callable[[str], Any]) -> Callable[[Sequence[str]], Check]:
    """A guard that wants something of both texts to be equal."""

    def prepared(texts: Sequence[str]) -> Check:
        codes: dict[Any, int] = {}
        of_text = np.full(len(texts), -1)
        lock = Lock()

        def equal(a: Numbers, b: Numbers) -> NDArray[np.bool_]:
            with lock:
                for text in np.unique(np.concatenate((a[of_text[a] < 0], b[of_text[b] < 0]))).tolist():
                    of_text[text] = codes.setdefault(feature(texts[text]), len(codes))
            found: NDArray[np.bool_] = of_text[a] == of_text[b]
            return found

        return equal

    return prepared


def _in_order(texts: Sequence[str]) -> Check:
    """Whether two texts are more than the same words in another order."""
    same_words, same_text = _same(_bag)(texts), _same(_letters)(texts)

    def differ_by_more(a: Numbers, b: Numbers) -> NDArray[np.bool_]:
        found = ~same_words(a, b)
        alike = np.flatnonzero(~found)
        found[alike] = same_text(a[alike], b[alike])
        return found

    return differ_by_more


def _letters(text: str) -> str:
    return "".join(units(text))


def _bag(text: str) -> tuple[str, ...]:
    """The words of a text, sorted."""
    return tuple(sorted(units(text)))


def _names_shared(texts: Sequence[str]) -> Check:
    """Whether each name of one text is a word of the other, in any case of letters."""

    @cache
    def named(text: int) -> frozenset[str]:
        return names(texts[text])

    @cache
    def words(text: int) -> frozenset[str]:
        return frozenset(map(str.casefold, _WORD.findall(texts[text])))

    def shared(a: Numbers, b: Numbers) -> NDArray[np.bool_]:
        pairs = zip(a.tolist(), b.tolist(), strict=True)
        return np.fromiter(
            (named(one) <= words(other) and named(other) <= words(one) for one, other in pairs),
            dtype=bool,
            count=len(a),
        )

    return shared


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


GUARDS: Mapping[str, Callable[[Sequence[str]], Check]] = MappingProxyType(
    {"numbers": _same(numbers), "negation": _same(negation), "names": _names_shared, ORDER: _in_order}
)
"""Each guard by its name, for some texts: which of their pairs may be the same, as far as it can tell."""
