"""Ensembles by their definitions: one row, one question, one member at a time."""

from __future__ import annotations

import math


def within(rows, questions, row):
    """The positions of the rows of a row's question."""
    return [place for place in range(len(rows)) if questions[place] == questions[row]]


def rank(numbers, questions, row):
    """0 for the lowest of its question, 1 for the highest; ties share."""
    others = [place for place in within(numbers, questions, row) if place != row]
    if not others:
        return 0.5
    below = sum(numbers[place] < numbers[row] for place in others)
    equal = sum(numbers[place] == numbers[row] for place in others)
    return (below + equal / 2) / len(others)


def softmax(numbers, questions, row):
    powers = [math.exp(numbers[place]) for place in within(numbers, questions, row)]
    return math.exp(numbers[row]) / sum(powers)


def mean_average_precision(relevant, numbers, questions, ties):
    """Best first, among ties that with the higher tie value; questions without relevant rows are skipped."""
    found = []
    for question in dict.fromkeys(questions):
        places = [place for place, one in enumerate(questions) if one == question]
        places.sort(key=lambda place: (-numbers[place], -ties[place]))
        precisions = [
            sum(relevant[other] for other in places[: position + 1]) / (position + 1)
            for position, place in enumerate(places)
            if relevant[place]
        ]
        if precisions:
            found.append(sum(precisions) / len(precisions))
    return sum(found) / len(found) if found else math.nan


def chosen(worth, numbers, questions):
    """The mean over questions of the value of the first best row."""
    earned = []
    for question in dict.fromkeys(questions):
        places = [place for place, one in enumerate(questions) if one == question]
        earned.append(worth[max(places, key=lambda place: (numbers[place], -place))])
    return sum(earned) / len(earned)


def conditional_loss(weights, features, targets, questions, ridge):
    """The loss of the conditional logit."""
    total = sum(ridge * weight * weight for weight in weights) / 2
    logits = [sum(w * x for w, x in zip(weights, row, strict=True)) for row in features]
    for row, target in enumerate(targets):
        whole = sum(targets[place] for place in within(targets, questions, row))
        if target and whole:
            total -= target / whole * math.log(softmax(logits, questions, row))
    return total
