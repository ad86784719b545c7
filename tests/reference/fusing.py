"""Fusion of rankings by its definitions: one query, one document at a time."""

from __future__ import annotations


def ranked(scores, depth=None):
    """Document ids, best first: score descending, then id descending by its bytes."""
    return sorted(scores, key=lambda one: (scores[one], one.encode()), reverse=True)[:depth]


def reciprocal_ranks(rankings, k, depth=None):
    """The sum of 1 / (k + rank) over rankings that list a document; ties share their mean rank."""
    found = {}
    for scores in rankings:
        listed = ranked(scores, depth)
        for one in listed:
            places = [place for place, other in enumerate(listed, 1) if scores[other] == scores[one]]
            found[one] = found.get(one, 0.0) + 1 / (k + sum(places) / len(places))
    return found


def decided(combined, last, depth=None):
    """Document ids by their combined scores; ties by their scores in the last ranking, then by id."""
    keys = {one: (score, last.get(one, float("-inf")), one.encode()) for one, score in combined.items()}
    return sorted(combined, key=keys.__getitem__, reverse=True)[:depth]


def weighted(rankings, locations, scales, weights, depth=None):
    """The weighted sum of normalised scores; a document missing from a ranking has its lowest score, or 0."""
    lists = [{one: scores[one] for one in ranked(scores, depth)} for scores in rankings]
    found = {}
    for one in {name for scores in lists for name in scores}:
        total = 0.0
        for scores, location, scale, weight in zip(lists, locations, scales, weights, strict=True):
            score = scores.get(one, min(scores.values(), default=0.0))
            total += weight * (score - location) / scale
        found[one] = total
    return found
