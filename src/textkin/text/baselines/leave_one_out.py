"""Word importance by deletion, for scorers that are not sums over tokens.

Source: Li, Monroe and Jurafsky, "Understanding Neural Networks through Representation Erasure" (2016).
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from textkin.base.arrays import Floats, Floats32
from textkin.text.case_folding import marks

ScorePairs = Callable[[Sequence[tuple[str, str]]], Floats32]

# Scripts without spaces between words: each character is deleted separately.
_NO_BLANKS = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff"  # Thai, Lao, Burmese, Khmer
    "\u2e80-\u30ff\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"  # Chinese and Japanese
)
_JOINERS = "\u200c\u200d"  # within words of Persian and of Indic scripts


@dataclass(frozen=True, slots=True, eq=False)
class LeftOut:
    """Score losses by deleted word.

    Attributes:
        score: score of the full texts.
        first: words of the first text.
        second: words of the second text.
        of_first: score minus the score without the word; float64, shape [first].
        of_second: the same for the second text, shape [second].
    """

    score: float
    first: tuple[str, ...]
    second: tuple[str, ...]
    of_first: Floats
    of_second: Floats


def word_places(text: str) -> list[tuple[int, int]]:
    """Start and end of each word of a text, with its vowel signs and accents. Punctuation is a word, too."""
    return [found.span() for found in _words().finditer(text)]


@lru_cache(maxsize=1)
def _words() -> re.Pattern[str]:
    after = f"[{marks()}{_JOINERS}]*"
    part = rf"(?:[^\W{_NO_BLANKS}]{after})+"
    return re.compile(rf"[{_NO_BLANKS}]{after}|{part}(?:['’.\-]{part})*|[^\w\s]+")


def without(text: str, places: Sequence[tuple[int, int]]) -> str:
    """A text without some ranges of characters, given in order."""
    kept, at = [], 0
    for start, end in places:
        kept.append(text[at:start])
        at = end
    return "".join([*kept, text[at:]])


def left_out(score: ScorePairs, first: str, second: str) -> LeftOut:
    """Score two texts unchanged, and once without each of their words.

    Args:
        score: function from pairs to scores, shape [pairs].
        first: a text of N words.
        second: a text of M words; N + M + 1 pairs are scored.
    """
    of_first, of_second = word_places(first), word_places(second)
    pairs = [
        (first, second),
        *((without(first, [place]), second) for place in of_first),
        *((first, without(second, [place])) for place in of_second),
    ]
    scores = np.asarray(score(pairs), dtype=np.float64)
    losses = scores[0] - scores[1:]
    return LeftOut(
        score=float(scores[0]),
        first=tuple(first[start:end] for start, end in of_first),
        second=tuple(second[start:end] for start, end in of_second),
        of_first=losses[: len(of_first)],
        of_second=losses[len(of_first) :],
    )
