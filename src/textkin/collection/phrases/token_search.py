"""Exact search among phrases that are stored by their tokens.

The product of a question with a phrase is that with its first token plus that with its last one. So each
token is multiplied once, not each of the many phrases that begin there.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from typing import TypeVar

import numpy as np

from textkin.base.arrays import Floats, Floats32, Ints
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
_FEW = 8
_SPARE = 8


@dataclass(frozen=True, slots=True, eq=False)
class _Candidates:
    """The numbers of phrases, and what the question's words add to the score of each."""

    numbers: Ints
    words: Floats32


class TokenSearch(PhraseSearch):
    """Exact search among phrases by their tokens.

    The score of a phrase is its product with the question, plus ``weight`` times the idf of those of the
    question's words that are among the ten before it and the ten after it, plus ``5 weight`` times the BM25
    of its passage. A phrase has the number ``64 first + length - 1``, by its first token and its length in
    tokens.

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
        self._bits = np.min_scalar_type((1 << self._longest) - 1)
        self._near: dict[int, Neighbours] = {}

    def nearest(self, questions: Features, depth: int, texts: Sequence[str] | None = None) -> Nearest:
        """The nearest phrases. Ties go to the first.

        Single precision finds candidates. Their products are computed again in double precision, each by
        itself: equal phrases get equal scores, and questions those that they get alone.

        Args:
            questions: shape [questions, dim].
            depth: the number wanted.
            texts: the questions' texts; None leaves their words out.

        Raises:
            FloatingPointError: a product isn't finite.
        """
        asked = self._asked(np.asarray(questions))
        depth = min(depth, MOST_TOKENS * len(self._rows.vectors))
        found = nothing_found(len(asked), depth)
        pieces = range(0, len(self._rows.vectors), _TOKENS_AT_ONCE)
        for start in range(0, len(asked), _QUESTIONS_AT_ONCE):
            part = slice(start, start + _QUESTIONS_AT_ONCE)
            hits = self._hits(texts and texts[part], len(asked[part]))
            search = partial(self._of_piece, asked[part], hits, depth + _SPARE)
            with one_thread_each():
                bests = list(side_by_side(search, pieces, workers=cores()))
            for place, each in enumerate(zip(*bests, strict=True), start):
                numbers = np.concatenate([one.numbers for one in each])
                products = self._products(numbers, asked[place])
                scores = products.astype(np.float32) + np.concatenate([one.words for one in each])
                order = np.lexsort((numbers, -scores))[:depth]
                found.documents[place, : len(order)] = numbers[order]
                found.scores[place, : len(order)] = scores[order]
        return found

    def of_words(self, found: Nearest, questions: Features) -> Floats32:
        """The part of each question's best score that its words give; 0 if nothing was found."""
        parts = np.zeros(len(found.documents), dtype=np.float32)
        for place, asked in enumerate(self._asked(np.asarray(questions))):
            if len(best := found.documents[place, :1]) and best[0] >= 0:
                product = self._products(best, asked).astype(np.float32)
                parts[place] = found.scores[place, 0] - product[0]
        return parts

    def _products(self, numbers: Ints, asked: Floats32) -> Floats:
        """The products of a question with phrases, in double precision."""
        first, last = self.tokens_of(numbers)
        rows, half = self._rows.vectors, self._half
        phrases = np.concatenate((rows[first, :half], rows[last, half:]), axis=1)
        return np.vecdot(phrases.astype(np.float64), asked.astype(np.float64))

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
    ) -> list[_Candidates]:
        """The best phrases that begin in a piece, for each question."""
        stop = min(start + _TOKENS_AT_ONCE, len(self._rows.vectors))
        tokens = slice(start, min(stop + self._longest, len(self._rows.vectors)))
        lengths = self._rows.lengths[start:stop, 0].astype(self._bits)
        out = [
            np.where(lengths & self._bits.type(1 << length), np.float32(0), np.float32(-np.inf))
            for length in range(self._longest)
        ]
        products = _products_of_ends(questions, self._rows.vectors[tokens])
        begins, ends = products[:, 0, : stop - start], products[:, 1]
        near = None if hits[0] is None else self._neighbours(tokens)
        found = []
        for begin, end, hit in zip(begins, ends, hits, strict=True):
            before, after = np.zeros_like(begin), np.zeros_like(end)
            if near is not None and hit is not None:
                both = near.sums(hit)
                of_passages = both[0] + OF_PASSAGE * hit.passages[near.passages]
                before, after = self._weight * of_passages[: len(begin)], self._weight * both[1]
            whole = np.pad(end + after, (0, self._longest), constant_values=-np.inf)
            whole_begin = begin + before
            scores = [
                whole_begin + whole[length : length + len(begin)] + each for length, each in enumerate(out)
            ]
            numbers = _best(scores, depth, start)
            first, last = self.tokens_of(numbers - start * MOST_TOKENS)
            found.append(_Candidates(numbers, before[first] + after[last]))
        return found

    def _hits(self, texts: Sequence[str] | None, count: int) -> list[Hits | None]:
        if texts is None or not self._weight:
            return [None] * count
        return [self._words.hits(words) for words in asked_words(texts)]

    def _neighbours(self, tokens: slice) -> Neighbours:
        """The words near to the tokens of a piece; 16 bytes a token, which stay in memory."""
        found = self._near.get(tokens.start)
        if found is None:
            found = self._near[tokens.start] = Neighbours(self._rows.around[tokens], self._words.first)
        return found

    @cached_property
    def _words(self) -> IndexedWords:
        return IndexedWords(self._rows.words, self._passages)


def _products_of_ends(questions: Floats32, rows: Floats32) -> Floats32:
    """The products of questions with tokens that begin and that end phrases. Shape [questions, 2, tokens].

    Raises:
        FloatingPointError: one isn't finite.
    """
    half = rows.shape[1] // 2
    with np.errstate(invalid="ignore", over="ignore"):  # checked below
        if len(questions) <= _FEW:  # BLAS takes three times as long for the halves of rows as to read them
            both = rows.reshape(-1, 2, half)
            found = np.stack([np.vecdot(both, one.reshape(2, half)).T for one in questions])
        else:
            found = np.stack(
                (questions[:, :half] @ rows[:, :half].T, questions[:, half:] @ rows[:, half:].T), 1
            )
    if not np.isfinite(found).all():
        raise FloatingPointError
    return found


def _best(scores: Sequence[Floats32], depth: int, start: int) -> Ints:
    """The numbers of the best phrases that begin with some tokens.

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
    return numbers[there]
