"""Exact search among phrases that are stored by their tokens.

The product of a question with a phrase is that with its first token plus that with its last one. So each
token is multiplied once, not each of the many phrases that begin there.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property, partial
from typing import TypeVar

import numpy as np

from textkin.base.arrays import Floats32, Ints
from textkin.base.threads import cores, one_thread_each, side_by_side
from textkin.collection.phrases.exact_search import nothing_found
from textkin.collection.phrases.vector_files import TokenRows
from textkin.collection.phrases.words_around import Hits, IndexedWords, Neighbours, asked_words
from textkin.data.protocols import MOST_TOKENS, Features
from textkin.vectors.index.recall import PhraseSearch
from textkin.vectors.join.nearest import Nearest

OF_PASSAGE = 5
"""How much more a word of the question counts in the passage than near to the phrase."""

IntOrInts = TypeVar("IntOrInts", int, Ints)

_TOKENS_AT_ONCE = 1 << 15
_QUESTIONS_AT_ONCE = 32


class TokenSearch(PhraseSearch):
    """Exact search among phrases by their tokens.

    The score of a phrase is its product with the question, plus ``weight`` times the idf of those of the
    question's words that are among the ten before it and the ten after it, plus ``5 weight`` times the BM25
    of its passage.
    A phrase has the number ``64 first + length - 1``, by its first token and its length in tokens.

    Args:
        rows: the tokens.
        dim: width of the questions.
        passages: the number of passages.
        weight: that of words; 0 for none.
    """

    def __init__(self, rows: TokenRows, *, dim: int, passages: int, weight: float) -> None:
        self._rows, self._dim, self._passages, self._weight = rows, dim, passages, np.float32(weight)
        self._half = (dim + 1) // 2
        self._longest = int(rows.lengths.max(initial=0)).bit_length()

    def nearest(self, questions: Features, depth: int, texts: Sequence[str] | None = None) -> Nearest:
        """The nearest phrases, scored in single precision. Ties go to the first.

        Args:
            questions: shape [questions, dim].
            depth: the number wanted.
            texts: the questions' texts; None leaves their words out.
        """
        asked = self._asked(np.asarray(questions))
        hits = self._hits(texts, len(asked))
        found = nothing_found(len(asked), depth)
        pieces = range(0, len(self._rows.vectors), _TOKENS_AT_ONCE)
        for start in range(0, len(asked), _QUESTIONS_AT_ONCE):
            part = slice(start, start + _QUESTIONS_AT_ONCE)
            search = partial(self._of_piece, asked[part], hits[part], depth)
            with one_thread_each():
                bests = list(side_by_side(search, pieces, workers=cores()))
            for place, each in enumerate(zip(*bests, strict=True), start):
                numbers = np.concatenate([one[0] for one in each])
                scores = np.concatenate([one[1] for one in each])
                order = np.lexsort((numbers, -scores))[:depth]
                found.documents[place, : len(order)] = numbers[order]
                found.scores[place, : len(order)] = scores[order]
        return found

    def of_words(self, found: Nearest, questions: Features) -> Floats32:
        """The part of each question's best score that its words give; 0 if nothing was found."""
        numbers, scores = found.documents[:, 0], found.scores[:, 0]
        first, last = self.tokens_of(np.maximum(numbers, 0))
        rows, half = self._rows.vectors, self._half
        phrases = np.concatenate((rows[first, :half], rows[last, half:]), axis=1)
        products = np.vecdot(phrases, self._asked(np.asarray(questions)))
        return np.where(numbers < 0, 0, scores - products).astype(np.float32)

    def tokens_of(self, number: IntOrInts) -> tuple[IntOrInts, IntOrInts]:
        """The first and the last token of a phrase, or of several."""
        first = number // MOST_TOKENS
        return first, first + number % MOST_TOKENS

    def _asked(self, questions: Floats32) -> Floats32:
        """Questions in the width of tokens; the last number of an odd width goes with both ends."""
        width, last = self._dim // 2, questions[:, 2 * (self._dim // 2) :]
        return np.concatenate((questions[:, :width], last, questions[:, width : 2 * width], last), axis=1)

    def _of_piece(
        self, questions: Floats32, hits: Sequence[Hits | None], depth: int, start: int
    ) -> list[tuple[Ints, Floats32]]:
        """The best phrases that begin in a piece, for each question: numbers and scores."""
        stop = min(start + _TOKENS_AT_ONCE, len(self._rows.vectors))
        tokens = slice(start, min(stop + self._longest, len(self._rows.vectors)))
        lengths = self._rows.lengths[start:stop, 0]
        out = [
            np.where(lengths >> np.uint64(length) & np.uint64(1), 0, -np.inf).astype(np.float32)
            for length in range(self._longest)
        ]
        rows = self._rows.vectors[tokens]
        begins = questions[:, : self._half] @ rows[: stop - start, : self._half].T
        ends = np.full((len(questions), stop - start + self._longest), -np.inf, dtype=np.float32)
        ends[:, : len(rows)] = questions[:, self._half :] @ rows[:, self._half :].T
        near = None if hits[0] is None else Neighbours(self._rows.around[tokens], self._words.first)
        found = []
        for begin, end, hit in zip(begins, ends, hits, strict=True):
            if near is not None and hit is not None:
                before, after = near.sums(hit)
                begin += self._weight * (before + OF_PASSAGE * hit.passages[near.passages])[: len(begin)]
                end[: len(rows)] += self._weight * after
            scores = [begin + end[length : length + len(begin)] + out[length] for length in range(len(out))]
            found.append(_best(scores, depth, start))
        return found

    def _hits(self, texts: Sequence[str] | None, count: int) -> list[Hits | None]:
        if texts is None or not self._weight:
            return [None] * count
        return [self._words.hits(words) for words in asked_words(texts)]

    @cached_property
    def _words(self) -> IndexedWords:
        return IndexedWords(self._rows.words, self._passages)


def _best(scores: Sequence[Floats32], depth: int, start: int) -> tuple[Ints, Floats32]:
    """The best phrases that begin with some tokens.

    The tokens that the ``depth`` best ones begin with are among the ``depth`` tokens with the best phrase.

    Args:
        scores: of the phrases of each length, for each first token; minus infinity if there is none.
        depth: the number wanted.
        start: the number of the first of these tokens.
    """
    best = np.maximum.reduce(scores)
    firsts = np.flatnonzero(best > -np.inf)
    if len(firsts) > depth:
        firsts = firsts[best[firsts] >= np.partition(best[firsts], -depth)[-depth]]
    found = np.stack([each[firsts] for each in scores], axis=1).ravel()
    numbers = ((start + firsts)[:, None] * MOST_TOKENS + np.arange(len(scores))).ravel()
    there = np.flatnonzero(found > -np.inf)
    if len(there) > depth:
        there = there[found[there] >= np.partition(found[there], -depth)[-depth]]
    return numbers[there], found[there]
