"""Tests of change, by their definitions: loops over each time at which a change may have begun."""

import math


def rank_of(score, before, draw):
    """The rank of a score among those before it, 0 for the highest; a draw between 0 and 1 breaks ties."""
    higher = sum(1 for one in before if one > score)
    equal = sum(1 for one in before if one == score)
    return (higher + draw * (equal + 1)) / (len(before) + 1)


def left(number):
    return 1 / (1 + math.log(number))


def stake_of(gains):
    """The stake after the last event, from the gains of all bets on each event."""
    count = len(gains)
    stake = left(count + 1)
    bets = len(gains[0]) if gains else 0
    for begins in range(count):
        for bet in range(bets):
            part = (left(begins + 1) - left(begins + 2)) / bets
            for event in range(begins, count):
                part *= gains[event][bet]
            stake += part
    return stake


def best_of(gains):
    """The bet and the beginning, from 1, with the highest gain until the end; ties go to the first."""
    found = None
    for bet in range(len(gains[0])):
        for begins in range(len(gains)):
            part = math.prod(gains[event][bet] for event in range(begins, len(gains)))
            if found is None or part > found[0] * (1 + 1e-12):
                found = part, bet, begins + 1
    return found[1:]
