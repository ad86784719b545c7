"""Slow and obvious: TF-IDF cosine, BM25, mean vectors and SIF, one pair at a time with dictionaries."""

from __future__ import annotations

import math
from collections import Counter


def tfidf_cosine(a: list[str], b: list[str], fitted: list[list[str]]) -> float:
    def weights(terms: list[str]) -> dict[str, float]:
        table = {}
        for term, count in Counter(terms).items():
            df = sum(term in text for text in fitted)
            if df:
                table[term] = (1 + math.log(count)) * (math.log((1 + len(fitted)) / (1 + df)) + 1)
        return table

    left, right = weights(a), weights(b)
    dot = sum(value * right.get(term, 0.0) for term, value in left.items())
    norm = math.hypot(*left.values()) * math.hypot(*right.values())
    return dot / norm if norm else 0.0


def bm25(
    query: list[str],
    document: list[str],
    fitted: list[list[str]],
    *,
    k1: float,
    b: float,
    variant: str = "lucene",
    delta: float | None = None,
) -> float:
    """BM25 by the formulas of the papers: Kamphuis et al. 2020, table 1; Lv and Zhai 2011 (both)."""
    n, mean = len(fitted), sum(len(text) for text in fitted) / len(fitted)
    norm = 1 - b + b * len(document) / mean
    score = 0.0
    for term in query:
        df = sum(term in text for text in fitted)
        tf = document.count(term)
        if df and tf:
            match variant:
                case "lucene":
                    score += math.log(1 + (n - df + 0.5) / (df + 0.5)) * tf / (tf + k1 * norm)
                case "robertson":
                    score += max(math.log((n - df + 0.5) / (df + 0.5)), 0) * tf / (tf + k1 * norm)
                case "atire":
                    score += math.log(n / df) * (k1 + 1) * tf / (tf + k1 * norm)
                case "plus":
                    bound = 1.0 if delta is None else delta
                    score += math.log((n + 1) / df) * ((k1 + 1) * tf / (tf + k1 * norm) + bound)
                case "l":
                    c, bound = tf / norm, 0.5 if delta is None else delta
                    score += math.log((n + 1) / (df + 0.5)) * (k1 + 1) * (c + bound) / (k1 + c + bound)
    return score


def mean_vector(words: list[str], vectors: dict[str, list[float]], weight: dict[str, float]) -> list[float]:
    known = [word for word in words if word in vectors]
    dim = len(next(iter(vectors.values())))
    if not known:
        return [0.0] * dim
    return [
        sum(vectors[word][column] * weight.get(word, 1.0) for word in known) / len(known)
        for column in range(dim)
    ]


def cosine(a: list[float], b: list[float]) -> float:
    norm = math.hypot(*a) * math.hypot(*b)
    return sum(x * y for x, y in zip(a, b, strict=True)) / norm if norm else 0.0
