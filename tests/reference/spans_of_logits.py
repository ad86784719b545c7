"""The best spans, by trying all of them."""

import math


def best(windows, most, k):
    """(first, last, score, probability) of the k best of all spans, and (-1, -1, ...) for no answer.

    Args:
        windows: (start, end, none, first) each, as lists and numbers.
        most: the most tokens of a span, or None.
        k: how many.
    """
    scores, mass = {}, 0.0
    for start, end, _, offset in windows:
        for first in range(len(start)):
            for last in range(first, len(end) if most is None else min(len(end), first + most)):
                score = start[first] + end[last]
                mass += math.exp(score)
                span = (offset + first, offset + last)
                scores[span] = max(score, scores.get(span, -math.inf))
    nones = [none for _, _, none, _ in windows if none is not None]
    if nones:
        scores[-1, -1] = min(nones)
        mass += math.exp(min(nones))
    ordered = sorted(scores.items(), key=lambda item: (-item[1], item[0]))[:k]
    return [(*span, score, math.exp(score) / mass) for span, score in ordered]
