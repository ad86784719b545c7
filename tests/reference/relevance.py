"""Features and probabilities of hits by their definitions: one query, one document at a time."""

from __future__ import annotations

import math

from tests.reference.fusing import ranked


def features(rankings, query, words, document, depth):
    """For each ranking: score, lead, log rank and whether it lacks the document; then log(1 + words)."""
    orders = [ranked(scores.get(query, {}), depth) for scores in rankings]
    pooled = {one for order in orders for one in order}
    found = []
    for scores, order in zip(rankings, orders, strict=True):
        own = {one: scores[query][one] for one in order}
        lowest = min(own.values(), default=0.0)
        full = {one: own.get(one, lowest) for one in pooled}
        others = [score for one, score in full.items() if one != document]
        lead = full[document] - max(others) if others else 0.0
        same = [place for place, one in enumerate(order, 1) if own[one] == own.get(document)]
        place = sum(same) / len(same) if same else len(order) + 1
        found += [full[document], lead, math.log(place), float(document not in own)]
    return [*found, math.log(1 + words)]


def query_features(probabilities):
    """Log-odds of the best hit, and of any hit if each were independent."""
    none = math.prod(1 - one for one in probabilities)
    best = max(probabilities)
    return [math.log(best / (1 - best)), math.log((1 - none) / none)]


def penalised_loss(features_of_rows, labels, weights, intercept):
    """The loss of a logistic regression with a ridge of 1."""
    total = sum(weight * weight for weight in weights) / 2
    for row, label in zip(features_of_rows, labels, strict=True):
        logit = intercept + sum(weight * value for weight, value in zip(weights, row, strict=True))
        total += math.log1p(math.exp(-logit if label else logit))
    return total
