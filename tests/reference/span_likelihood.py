"""The likelihood of spans, by loops over its definition."""

import math


def likelihood(start, end, none, spans):
    """Minus the mean over rows of the log of the summed probability of their spans.

    Args:
        start: logits of first tokens, lists of numbers, without padding.
        end: of last tokens.
        none: two logits a row, or None.
        spans: pairs of places a row.
    """
    total = 0.0
    for row, places in enumerate(spans):
        first = [*start[row], *([] if none is None else none[row][:1])]
        last = [*end[row], *([] if none is None else none[row][1:])]
        share = math.fsum(math.exp(one) for one in first) * math.fsum(math.exp(one) for one in last)
        if places:
            right = math.fsum(math.exp(first[i] + last[j]) for i, j in places)
        else:
            right = math.exp(none[row][0] + none[row][1])
        total -= math.log(right / share)
    return total / len(spans)
