"""Losses as plain loops over Python floats, written from the published formulas."""

from __future__ import annotations

import math
from itertools import pairwise


def relu(value):
    return value if value > 0 else 0.0


def reduce(rows, reduction):
    if reduction == "sum":
        return sum(rows)
    return sum(rows) / len(rows) if rows else 0.0


def negatives_of(row, size, allowed):
    return [column for column in range(size) if column != row and (allowed is None or allowed[row][column])]


def triplet_in_batch(similarities, allowed=None, *, margin, closest, reduction):
    rows = []
    for i, row in enumerate(similarities):
        columns = negatives_of(i, len(row), allowed)
        loss = 0.0
        if columns:
            loss += relu(margin - row[i] + sum(row[j] for j in columns) / len(columns))
        if closest == "below-positive":
            columns = [j for j in columns if row[j] <= row[i]]
        if columns:
            loss += relu(margin - row[i] + max(row[j] for j in columns))
        rows.append(loss)
    return reduce(rows, reduction)


def cosine(a, b):
    lengths = math.sqrt(sum(x * x for x in a)) * math.sqrt(sum(x * x for x in b))
    return sum(x * y for x, y in zip(a, b, strict=True)) / lengths if lengths else 0.0


def distance_of(a, b, measure):
    if measure == "manhattan":
        return sum(abs(x - y) for x, y in zip(a, b, strict=True))
    return 1 - cosine(a, b) if measure == "cosine" else math.dist(a, b)


def triplet(anchors, positives, negatives, *, margin, measure, reduction):
    def distance(a, b):
        return distance_of(a, b, measure)

    triples = zip(anchors, positives, negatives, strict=True)
    return reduce([relu(margin + distance(a, p) - distance(a, n)) for a, p, n in triples], reduction)


def cosine_ranking_of_rows(rows, *, margin):
    """Rows 3i, 3i + 1 and 3i + 2 are a question, its right answer and a wrong one."""
    losses = [
        relu(margin - cosine(rows[i], rows[i + 1]) + cosine(rows[i], rows[i + 2]))
        for i in range(0, len(rows), 3)
    ]
    return sum(losses) / len(losses)


def contrastive(distances, labels, *, margin, reduction):
    rows = [
        0.5 * (d * d if y == 1 else relu(margin - d) ** 2) for d, y in zip(distances, labels, strict=True)
    ]
    return reduce(rows, reduction)


def online_contrastive(distances, labels, *, margin, least):
    """The sum as sentence-transformers publishes it; ``least`` pairs of a class define hardness."""
    positives = [d for d, y in zip(distances, labels, strict=True) if y == 1]
    negatives = [d for d, y in zip(distances, labels, strict=True) if y == 0]
    total = 0.0
    if negatives:
        limit = max(positives) if len(positives) >= least else sum(negatives) / len(negatives)
        total += sum(relu(margin - d) ** 2 for d in negatives if d < limit)
    if positives:
        limit = min(negatives) if len(negatives) >= least else sum(positives) / len(positives)
        total += sum(d * d for d in positives if d > limit)
    return total


def multiple_negatives(similarities, allowed=None, *, scale, reduction, symmetric=False):
    """The loss of a first text with all second ones; columns beyond the square belong to hard negatives."""
    size = len(similarities)
    rows = []
    for i in range(size):
        own = scale * similarities[i][i]
        references = [scale * similarities[i][j] for j in negatives_of(i, len(similarities[i]), allowed)]
        loss = math.log(math.exp(own) + sum(map(math.exp, references))) - own
        if symmetric:
            column = [j for j in range(size) if j != i and (allowed is None or allowed[j][i])]
            back = sum(math.exp(scale * similarities[j][i]) for j in column)
            loss = (loss + math.log(math.exp(own) + back) - own) / 2
        rows.append(loss)
    return reduce(rows, reduction)


def cosent(scores, labels, *, scale):
    total = 1.0
    for lower, low in zip(scores, labels, strict=True):
        for higher, high in zip(scores, labels, strict=True):
            if low < high:
                total += math.exp(scale * (lower - higher))
    return math.log(total)


def angle(a, b, labels, *, scale):
    scores = []
    for x, y in zip(a, b, strict=True):
        x, y = complex_unit(x), complex_unit(y)
        product = sum(z * w.conjugate() for z, w in zip(x, y, strict=True))
        scores.append(abs(product.real + product.imag))
    return cosent(scores, labels, scale=scale)


def complex_unit(vector):
    vector = [*vector, *[0.0] * (len(vector) % 2)]
    half, length = len(vector) // 2, math.sqrt(sum(x * x for x in vector)) or 1.0
    return [complex(vector[i], vector[half + i]) / length for i in range(half)]


def margin_mean_square(positives, negatives, margins, *, reduction):
    rows = [
        (positive - negative - margin) ** 2
        for positive, several, wanted in zip(positives, negatives, margins, strict=True)
        for negative, margin in zip(several, wanted, strict=True)
    ]
    return reduce(rows, reduction)


def distillation(vectors, teacher, *, measure, reduction):
    rows = []
    for found, wanted in zip(vectors, teacher, strict=True):
        squares = [(x - y) ** 2 for x, y in zip(found, wanted, strict=True)]
        rows.append(1 - cosine(found, wanted) if measure == "cosine" else sum(squares) / len(squares))
    return reduce(rows, reduction)


def grouped_triplets(vectors, groups, *, hard, margin, measure, soft, reduction):
    def distance(i, j):
        return distance_of(vectors[i], vectors[j], measure)

    def lost(gap):
        return math.log(1 + math.exp(gap)) if soft else relu(margin + gap)

    rows, texts = [], range(len(vectors))
    for i in texts:
        positives = [distance(i, j) for j in texts if j != i and groups[j] == groups[i]]
        negatives = [distance(i, j) for j in texts if groups[j] != groups[i]]
        if hard and positives and negatives:
            rows.append(lost(max(positives) - min(negatives)))
        elif not hard:
            losses = [lost(p - n) for p in positives for n in negatives]
            rows += [loss for loss in losses if loss > 0]
    return reduce(rows, reduction)


def rank_hinge(positives, negatives, *, margin, reduction):
    rows = [
        relu(margin - p + sum(several) / len(several))
        for p, several in zip(positives, negatives, strict=True)
    ]
    return reduce(rows, reduction)


def hinge(scores, labels, *, margin, reduction):
    rows = [relu(margin - (s if y == 1 else -s)) for s, y in zip(scores, labels, strict=True)]
    return reduce(rows, reduction)


def categorical_hinge(scores, labels, *, margin, reduction):
    rows = [
        relu(margin - row[y] + max(score for c, score in enumerate(row) if c != y))
        for row, y in zip(scores, labels, strict=True)
    ]
    return reduce(rows, reduction)


def logistic(scores, labels, *, reduction):
    rows = []
    for score, label in zip(scores, labels, strict=True):
        probability = 1 / (1 + math.exp(-score))
        rows.append(-label * math.log(probability) - (1 - label) * math.log(1 - probability))
    return reduce(rows, reduction)


def mean_square(scores, labels, *, reduction):
    return reduce([(s - y) ** 2 for s, y in zip(scores, labels, strict=True)], reduction)


def listwise_softmax(scores, labels, offsets, *, reduction):
    rows = []
    for start, end in pairwise(offsets):
        gains = [max(0, label) for label in labels[start:end]]
        if sum(gains) == 0:
            continue
        total = sum(math.exp(score) for score in scores[start:end])
        shares = [gain / sum(gains) for gain in gains]
        guesses = [math.exp(score) / total for score in scores[start:end]]
        rows.append(sum(p * math.log(p / q) for p, q in zip(shares, guesses, strict=True) if p > 0))
    return reduce(rows, reduction)
