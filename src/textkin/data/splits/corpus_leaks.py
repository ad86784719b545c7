"""Test questions that also occur in a corpus, exactly or nearly."""

import math
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from textkin.base.errors import invalid
from textkin.base.shingles import jaccard, shingles
from textkin.base.text_equality import key_of

NEAR = 0.8
"""Minimum fraction of shared four-letter shingles of nearly equal texts."""


@dataclass(frozen=True, slots=True)
class CorpusLeaks:
    """Test questions that occur in a corpus.

    Attributes:
        same: pairs of a question and a text with the same key (``text_equality.py``), by position; sorted.
        near: pairs that are nearly equal, without having the same key; sorted.
    """

    same: tuple[tuple[int, int], ...]
    near: tuple[tuple[int, int], ...]

    @property
    def questions(self) -> frozenset[int]:
        """The positions of the questions that occur in the corpus, exactly or nearly."""
        return frozenset(question for question, _ in (*self.same, *self.near))

    @property
    def texts(self) -> frozenset[int]:
        """The positions of the texts to remove."""
        return frozenset(text for _, text in (*self.same, *self.near))


def corpus_leaks(questions: Sequence[str], texts: Sequence[str], *, near: float | None = NEAR) -> CorpusLeaks:
    """Find the questions that occur in a corpus.

    The search is exact: two similar sets of shingles share a rare shingle, and all pairs that do are compared
    (Chaudhuri, Ganti and Kaushik 2006, "A primitive operator for similarity joins").

    Args:
        questions: test questions.
        texts: texts of the corpus.
        near: minimum fraction of shared shingles (Jaccard), above 0 up to 1; None to find only equal texts.

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
    """Distinct keys that share at least a fraction ``least`` of their shingles."""
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
    """The rarest shingles of a set, enough of them that any similar set contains one."""
    count = len(held) - math.ceil(least * len(held) - 1e-9) + 1
    return sorted(held, key=lambda one: (frequency[one], one))[:count]
