"""The wealth of a bettor on draws without replacement, by its definition; and every order of draws."""

import itertools
from math import comb


def wealth_of(labels, whole, least, bets=128):
    """The mean over bets of the product of ratios of likelihoods, one label at a time."""
    total = 0.0
    for place in range(bets):
        rate = (whole - least + 0.5) / whole * ((place + 0.5) / bets) ** 2  # number believed to be negative
        own = 1.0
        for drawn, label in enumerate(labels):
            found = sum(labels[:drawn])
            fair = (least - 1 - found) / (whole - drawn)  # positives in the rest, if one fewer is positive
            if 1 - rate <= fair:
                continue
            if label:
                own *= (1 - rate) / fair if fair > 0 else float("inf")
            else:
                own *= rate / (1 - fair) if fair > 0 else rate
        total += own
    return total / bets


def all_orders(whole, so):
    """Every sequence of labels of a whole that is drawn to its end; all are equally likely."""
    assert comb(whole, so) < 100_000
    for places in itertools.combinations(range(whole), so):
        yield [place in places for place in range(whole)]
