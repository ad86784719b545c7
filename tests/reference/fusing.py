"""Fusion of rankings by its definitions: one query, one document at a time."""

from __future__ import annotations


def ranked(scores, depth=None):
    """Document ids, best first: score descending, then id descending by its bytes."""
    return sorted(scores, key=lambda one: (scores[one], one.encode()), reverse=True)[:depth]


def reciprocal_ranks(rankings, k, depth=None):
    """The sum of 1 / (k + rank) over the rankings that list a document."""
    found = {}
    for scores in rankings:
        for rank, one in enumerate(ranked(scores, depth), 1):
            found[one] = found.get(one, 0.0) + 1 / (k + rank)
    return found


def weighted(rankings, locations, scales, weights, depth=None):
    """The weighted sum of normalised scores; what a ranking lacks has its lowest score, or 0."""
    lists = [{one: scores[one] for one in ranked(scores, depth)} for scores in rankings]
    found = {}
    for one in {name for scores in lists for name in scores}:
        total = 0.0
        for scores, location, scale, weight in zip(lists, locations, scales, weights, strict=True):
            score = scores.get(one, min(scores.values(), default=0.0))
            total += weight * (score - location) / scale
        found[one] = total
    return found
