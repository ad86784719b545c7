"""Slow and obvious: Lucene's classic similarity, one clause at a time; its words, one boundary at a time."""

from __future__ import annotations

import math

import numpy as np

STOP_WORDS = (
    *("a", "an", "and", "are", "as", "at", "be", "but", "by", "for", "if", "in", "into", "is", "it", "no"),
    *("not", "of", "on", "or", "such", "that", "the", "their", "then", "there", "these", "they", "this"),
    *("to", "was", "will", "with"),
)

_MARKS = {":": "ml", ".": "mnl", "'": "q", ",": "mn", ";": "mn", "_": "ex"}
_EXTEND = "\u0301\u200d"


def _kind(char: str) -> str:
    if char in _MARKS:
        return _MARKS[char]
    if char in _EXTEND:
        return "extend"
    if char in "カナー":
        return "kata"
    if char in "日本あ":
        return "alone"
    return "num" if char.isdecimal() else "letter" if char.isalpha() else "other"


def words(text: str) -> list[str]:
    """UAX #29's rules WB5 to WB13b for the characters of the tests, each pair of neighbours separately."""
    units: list[tuple[str, str]] = []  # WB4: marks belong to the character before them
    for char in text:
        if _kind(char) == "extend" and units:
            units[-1] = units[-1][0] + char, units[-1][1]
        else:
            units.append((char, _kind(char)))
    kinds = [kind for _, kind in units]

    def joined(place: int) -> bool:
        """True if there is no boundary before ``place``."""
        before, after = kinds[place - 1], kinds[place]
        earlier = kinds[place - 2] if place > 1 else ""
        later = kinds[place + 1] if place + 1 < len(kinds) else ""
        inside = {"letter": ("ml", "mnl", "q"), "num": ("mn", "mnl", "q")}
        return (
            (before in ("letter", "num") and after in ("letter", "num"))
            or any(before == kind == later and after in signs for kind, signs in inside.items())
            or any(earlier == kind == after and before in signs for kind, signs in inside.items())
            or before == after == "kata"
            or (before in ("letter", "num", "kata", "ex") and after == "ex")
            or (before == "ex" and after in ("letter", "num", "kata"))
        )

    runs: list[list[int]] = []
    for place in range(len(units)):
        if place and joined(place):
            runs[-1].append(place)
        else:
            runs.append([place])
    kept = [run for run in runs if {kinds[place] for place in run} & {"letter", "num", "kata", "alone"}]
    return ["".join(units[place][0] for place in run).lower() for run in kept]


def terms(text: str) -> list[str]:
    return [word for word in words(text) if word not in STOP_WORDS]


def byte315(value: float) -> float:
    """The largest number of the form 2^e (1 + m / 4), m from 0 to 3, that isn't above it."""
    mantissa, exponent = math.frexp(value)
    return math.ldexp(math.floor(mantissa * 8) / 8, exponent)


def score(query: list[str], document: list[str], indexed: list[list[str]]) -> np.float32:
    single = np.float32
    idf = []
    for term in query:
        frequency = sum(term in one for one in indexed)
        idf.append(single(math.log(len(indexed) / (frequency + 1)) + 1))
    squares = single(0)
    for one in idf:
        squares = single(squares + single(one * one))
    if not query or not document:
        return single(0)
    query_norm = single(1 / math.sqrt(float(squares)))
    norm = single(byte315(float(single(1 / math.sqrt(len(document))))))
    total, matched = 0.0, 0
    for term, one in zip(query, idf, strict=True):
        count = document.count(term)
        if count:
            weight = single(single(one * query_norm) * one)
            total += float(single(single(single(math.sqrt(count)) * weight) * norm))
            matched += 1
    return single(single(total) * single(single(matched) / single(len(query))))


class OneDocument:
    """A scorer whose index has the second text of each pair alone."""

    name = "lucene-one-document"

    def score(self, pairs: list[tuple[str, str]]) -> np.ndarray:
        return np.array([score(terms(a), terms(b), [terms(b)]) for a, b in pairs], dtype=np.float32)
