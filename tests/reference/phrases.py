"""Phrases and answers by loops over their definitions."""

import math
import re
from collections import Counter

WORD = re.compile(r"\w+(?:['’.,]\w+)*")


def tfidf_phrases(passages, number):
    """Every run of one to seven words of a passage: its position, and the weights of the words around it."""
    words = [[(each[0].lower(), *each.span()) for each in WORD.finditer(passage)] for passage in passages]
    holds = Counter(word for passage in words for word in {each[0] for each in passage})
    idf = {word: 1 + math.log((1 + len(passages)) / (1 + count)) for word, count in holds.items()}
    here = words[number]
    for first in range(len(here)):
        for last in range(first, min(first + 7, len(here))):
            around = here[max(first - 7, 0) : first] + here[last + 1 : last + 8]
            counts = Counter(each[0] for each in around)
            weights = {word: (1 + math.log(count)) * idf[word] for word, count in counts.items()}
            length = math.sqrt(sum(weight**2 for weight in weights.values()))
            yield (
                (here[first][1], here[last][2]),
                {word: weight * idf[word] / length for word, weight in weights.items()},
            )


def best_phrase(phrases, question, metric):
    """The first of the best phrases, and True if there are several."""
    if metric == "ip":
        scores = [sum(a * b for a, b in zip(phrase, question, strict=True)) for phrase in phrases]
    elif metric == "l2":
        scores = [-math.dist(phrase, question) for phrase in phrases]
    else:
        scores = [-sum(abs(a - b) for a, b in zip(phrase, question, strict=True)) for phrase in phrases]
    best = max(scores)
    return scores.index(best), scores.count(best) > 1
