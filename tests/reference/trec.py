"""trec_eval's measures, one query at a time, in the plainest words."""

from __future__ import annotations

import math
import struct


def float32(value: float) -> float:
    try:
        return struct.unpack("f", struct.pack("f", value))[0]
    except OverflowError:
        return math.copysign(math.inf, value)


def ranking(scores: dict[str, float]) -> list[str]:
    """Document ids, best first."""
    by_id = sorted(scores, key=str.encode, reverse=True)
    return sorted(by_id, key=lambda doc: -float32(scores[doc]))


def value(  # noqa: C901 - a list of rules, one after the other
    name: str, cutoff: float | None, rel: int, scores: dict[str, float], judged: dict[str, int]
) -> float:
    """The value of one query; ``scores`` is empty for a query missing from the run."""
    docs = ranking(scores)
    levels = [judged.get(doc) for doc in docs]
    hits = [level is not None and level >= rel for level in levels]
    total = sum(level >= rel for level in judged.values())
    depth = len(docs) if cutoff is None or name == "IPrec" else int(cutoff)
    counts = {"NumQ": 1, "NumRet": len(docs), "NumRel": total, "NumRelRet": sum(hits)}
    if name in counts:
        return counts[name]
    if name == "nDCG":
        gains = [max(level or 0, 0) for level in levels][:depth]
        ideal = sorted((max(level, 0) for level in judged.values()), reverse=True)
        ideal = ideal if cutoff is None else ideal[:depth]
        return dcg(gains) / dcg(ideal) if dcg(ideal) else 0.0
    if name == "GMAP":
        return max(value("MAP", None, rel, scores, judged), 1e-5)
    if name == "P":
        return sum(hits[:depth]) / depth
    if name == "Success":
        return float(any(hits[:depth]))
    if name == "MRR":
        return next((1 / rank for rank, hit in enumerate(hits[:depth], 1) if hit), 0.0)
    if total == 0:
        return 0.0
    if name == "MAP":
        return (
            sum(precision(hits, rank) for rank in range(1, len(docs) + 1)[:depth] if hits[rank - 1]) / total
        )
    if name == "R":
        return sum(hits[:depth]) / total
    if name == "Rprec":
        return sum(hits[:total]) / total
    if name == "IPrec":
        assert cutoff is not None
        need = int(cutoff * total + 0.9)
        return max(
            (precision(hits, n) for n in range(1, len(docs) + 1) if sum(hits[:n]) >= need), default=0.0
        )
    assert name == "Bpref"
    return binary_preference(levels, rel, total, sum(0 <= level < rel for level in judged.values()))


def precision(hits: list[bool], rank: int) -> float:
    return sum(hits[:rank]) / rank


def dcg(gains: list[int]) -> float:
    return sum(gain / math.log2(rank + 1) for rank, gain in enumerate(gains, 1))


def binary_preference(levels: list[int | None], rel: int, total: int, wrong: int) -> float:
    amount = 0.0
    above = 0
    for level in levels:
        if level is None or level < 0:
            continue
        if level < rel:
            above += 1
        else:
            amount += 1 - min(above, total) / min(wrong, total) if above else 1
    return amount / total
