"""Questions of a test that stand in a corpus, word for word or nearly: who looks them up finds the answer."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import final

from textkin.base.errors import invalid
from textkin.base.shingles import jaccard, shingles
from textkin.base.text_equality import key_of

NEAR = 0.8
"""Texts are nearly the same if they share so many of their runs of four letters."""


@final
@dataclass(frozen=True, slots=True)
class CorpusLeaks:
    """Which questions stand in a corpus.

    Attributes:
        same: a question and a text of one key (``text_equality.py``), by their places; sorted.
        near: those that are nearly the same without being so; sorted.
    """

    same: tuple[tuple[int, int], ...]
    near: tuple[tuple[int, int], ...]

    @property
    def questions(self) -> frozenset[int]:
        """The places of the questions that stand in the corpus in any way."""
        return frozenset(question for question, _ in (*self.same, *self.near))

    @property
    def texts(self) -> frozenset[int]:
        """The places of the texts to leave out."""
        return frozenset(text for _, text in (*self.same, *self.near))


def corpus_leaks(questions: Sequence[str], texts: Sequence[str], *, near: float | None = NEAR) -> CorpusLeaks:
    """Find the questions that stand in a corpus.

    Nothing is estimated: two sets of shingles that are alike have a rare shingle in common, and all that have
    one are compared (Chaudhuri, Ganti and Kaushik 2006, "A primitive operator for similarity joins").

    Args:
        questions: of the test.
        texts: of the corpus.
        near: the share of the shingles of either text that both have (Jaccard), above 0 up to 1; None to
            look for equal texts alone.

    Raises:
        UsageError: ``near`` is out of range.

    Example:
        >>> leaks(["What melts ice?"], ["Who am I?", "what melts ice"]).same
        ((0, 1),)
    """
    if near is not None and not 0 < near <= 1:
        raise invalid("near", near, expected="a number above 0, at most 1, such as 0.8")
    asked, known = _by_key(questions), _by_key(texts)
    same = [(one, other) for key in asked.keys() & known for one in asked[key] for other in known[key]]
    alike = [] if near is None else _alike(list(asked), list(known), near)
    close = [(one, other) for here, there in alike for one in asked[here] for other in known[there]]
    return CorpusLeaks(tuple(sorted(same)), tuple(sorted(close)))


def _by_key(texts: Sequence[str]) -> dict[str, list[int]]:
    places: dict[str, list[int]] = defaultdict(list)
    for place, text in enumerate(texts):
        if key := key_of(text):
            places[key].append(place)
    return dict(places)


def _alike(asked: Sequence[str], known: Sequence[str], least: float) -> list[tuple[str, str]]:
    """Different keys that share at least so many of their shingles."""
    sets = {key: shingles(key) for key in asked}
    frequency = Counter(one for held in sets.values() for one in held)
    index: dict[str, list[str]] = defaultdict(list)
    for key, held in sets.items():
        for one in _rarest(held, frequency, least):
            index[one].append(key)
    found = []
    for key in known:
        held = shingles(key)
        candidates = {other for one in _rarest(held, frequency, least) for other in index.get(one, ())}
        found += [
            (other, key)
            for other in candidates
            if other != key
            and least * len(held) <= len(sets[other]) <= len(held) / least
            and jaccard(sets[other], held) >= least
        ]
    return found


def _rarest(held: frozenset[str], frequency: Counter[str], least: float) -> list[str]:
    """So many of the rarest shingles that sets which are alike have one of them in common."""
    count = len(held) - math.ceil(least * len(held) - 1e-9) + 1
    return sorted(held, key=lambda one: (frequency[one], one))[:count]
