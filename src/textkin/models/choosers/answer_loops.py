"""A loop that compares the answers of many hits with choices, each in its own index."""

from typing import NamedTuple

import numpy as np

from textkin.base.arrays import Floats32, Ints, Ints32
from textkin.base.numba_cache import compiled

_KNOWN = np.float32(np.log(1 / 2) + 1)  # idf of a word in the only document
_UNKNOWN = np.float32(1)  # idf of any other word


class AnswerWords(NamedTuple):
    """The words of answers.

    Attributes:
        offsets: answer i holds the words ``terms[offsets[i]:offsets[i + 1]]``. Shape [answers + 1].
        terms: the numbers of its different words.
        roots: the square root of each one's frequency.
        norms: the norms of the answers. Shape [answers].
    """

    offsets: Ints
    terms: Ints32
    roots: Floats32
    norms: Floats32


@compiled
def answer_scores(
    answers: AnswerWords,
    hits: Ints,
    offsets: Ints,
    terms: Ints32,
    held: Floats32,
    scores: Floats32,
) -> None:
    """Compute Lucene's scores of choices as queries, each answer being an index of its own.

    Args:
        answers: all answers.
        hits: the numbers of the answers to score.
        offsets: choice c consists of the words ``terms[offsets[c]:offsets[c + 1]]``. Shape [choices + 1].
        terms: word numbers; -1 for a word in no answer.
        held: zeros, one per word.
        scores: the output. Shape [hits, choices].
    """
    for row in range(len(hits)):
        first, last = answers.offsets[hits[row]], answers.offsets[hits[row] + 1]
        for place in range(first, last):
            held[answers.terms[place]] = answers.roots[place]
        for choice in range(len(offsets) - 1):
            asked = terms[offsets[choice] : offsets[choice + 1]]
            scores[row, choice] = _score(asked, held, answers.norms[hits[row]])
        for place in range(first, last):
            held[answers.terms[place]] = 0


@compiled
def _score(asked: Ints32, held: Floats32, norm: np.float32) -> np.float32:
    squares, matched = np.float32(0), 0
    for term in asked:
        if term >= 0 and held[term] > 0:
            squares += _KNOWN * _KNOWN
            matched += 1
        else:
            squares += _UNKNOWN
    if matched == 0:
        return np.float32(0)
    weight = (_KNOWN * np.float32(1 / np.sqrt(np.float64(squares)))) * _KNOWN
    total = 0.0
    for term in asked:
        if term >= 0 and held[term] > 0:
            total += np.float64((held[term] * weight) * norm)
    return np.float32(np.float32(total) * (np.float32(matched) / np.float32(len(asked))))
