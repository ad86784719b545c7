"""Agreement by its definitions, in loops."""

from __future__ import annotations

import math
from collections import Counter


def kappa(a, b):
    count = len(a)
    alike = sum(x == y for x, y in zip(a, b, strict=True)) / count
    of_a, of_b = Counter(a), Counter(b)
    chance = sum(of_a[one] * of_b[one] for one in of_a) / count**2
    return math.nan if chance == 1 else (alike - chance) / (1 - chance)


def shared_errors(wrong_a, wrong_b):
    both = sum(x and y for x, y in zip(wrong_a, wrong_b, strict=True))
    either = sum(x or y for x, y in zip(wrong_a, wrong_b, strict=True))
    return both / either if either else math.nan


def tau_b(a, b):
    score = untied_a = untied_b = 0
    for i in range(len(a)):
        for j in range(i):
            x, y = (a[i] > a[j]) - (a[i] < a[j]), (b[i] > b[j]) - (b[i] < b[j])
            score += x * y
            untied_a += x != 0
            untied_b += y != 0
    return score / math.sqrt(untied_a * untied_b) if untied_a and untied_b else math.nan


def vote(decisions, item):
    """The decision with the most votes; ties go to the first."""
    votes = Counter(row[item] for row in decisions)
    return max((row[item] for row in decisions), key=lambda one: votes[one])


def alpha(items):
    """Krippendorff's alpha of nominal answers: over all couples of answers, within items and in total."""
    count = sum(len(item) for item in items)
    answers = [one for item in items for one in item]
    apart = sum(
        sum(a != b for x, a in enumerate(item) for y, b in enumerate(item) if x != y) / (len(item) - 1)
        for item in items
    )
    chance = sum(a != b for x, a in enumerate(answers) for y, b in enumerate(answers) if x != y)
    return 1 - (apart / count) / (chance / (count * (count - 1))) if chance else math.nan
