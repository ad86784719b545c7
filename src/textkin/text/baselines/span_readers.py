"""Untrained baselines for answer extraction, without probabilities."""

import re
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Protocol

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view

from textkin.base.arrays import Floats, Floats32
from textkin.base.errors import unknown_choice
from textkin.base.python_inputs import one_or_several
from textkin.data.protocols import SpanReader
from textkin.data.span_answers import asked_of
from textkin.data.span_records import SpanAnswer
from textkin.text.baselines.names import BaselineNames
from textkin.text.sentences import sentences
from textkin.text.stable_hash import stable_hash

NO_ANSWER = "no-answer"
"""The baseline that never finds an answer."""

SPAN_BASELINES = BaselineNames(
    (NO_ANSWER, "constant", "random", "sentence-tfidf", "sentence-bm25", "sliding-window")
)
_TOKEN = re.compile(r"\S+")
_WORD = re.compile(r"\w+")
_LENGTH = 3  # tokens, the mean length of SQuAD's answers


def build_span_reader(name: str, *, fit_texts: Sequence[str], seed: int = 0) -> SpanReader:
    """The span baseline with the given name.

    Args:
        name: one of :data:`SPAN_BASELINES`; of BM25 with parameters, if any.
        fit_texts: passages, for the word frequencies of their sentences.
        seed: seed of the random spans.

    Raises:
        UsageError: the name is unknown.
    """
    from textkin.text.baselines.bm25 import Bm25
    from textkin.text.baselines.bm25_parameters import Bm25Parameters
    from textkin.text.baselines.tfidf import TfIdf

    plain, parameters = Bm25Parameters.in_name(name)
    made: dict[str, Callable[[], SpanReader]] = {
        "no-answer": NoAnswer,
        "constant": FirstTokens,
        "random": lambda: RandomSpan(seed=seed),
        "sentence-tfidf": lambda: BestSentence(TfIdf.fit(_sentences_of(fit_texts))),
        "sentence-bm25": lambda: BestSentence(Bm25.fit(_sentences_of(fit_texts), parameters)),
        "sliding-window": SlidingWindow,
    }
    if plain not in made:
        raise unknown_choice("model", name, SPAN_BASELINES)
    return made[plain]()


def no_answer() -> SpanAnswer:
    """The empty answer."""
    return SpanAnswer(0, 0, "", 0.0)


class _ReadsEach(ABC):
    """A reader that reads each passage separately."""

    def read(
        self, questions: Sequence[str], passages: Sequence[str], *, k: int = 1
    ) -> list[list[SpanAnswer]]:
        """Up to ``k`` answers per question."""
        return [self._answers(question, passage, k) for question, passage in asked_of(questions, passages, k)]

    @abstractmethod
    def _answers(self, question: str, passage: str, k: int) -> list[SpanAnswer]:
        """Up to ``k`` answers to a question."""


class NoAnswer(_ReadsEach):
    """A reader that never answers: correct for every unanswerable question."""

    name = NO_ANSWER

    def _answers(self, question: str, passage: str, k: int) -> list[SpanAnswer]:
        """The empty answer only."""
        return [no_answer()]


class FirstTokens(_ReadsEach):
    """The first tokens of the passage, for any question.

    Args:
        length: number of tokens.
    """

    name = "constant"

    def __init__(self, *, length: int = _LENGTH) -> None:
        self.length = length

    def _answers(self, question: str, passage: str, k: int) -> list[SpanAnswer]:
        """One answer; the empty one for a blank passage."""
        return _best(passage, _tokens(passage, _TOKEN)[: self.length], [(0, self.length)], np.zeros(1), k=1)


class RandomSpan(_ReadsEach):
    """A random span of 1 to ``length`` tokens, uniformly distributed.

    It depends only on seed, question and passage.

    Args:
        length: maximum number of tokens.
        seed: seed of the spans.
    """

    name = "random"

    def __init__(self, *, length: int = _LENGTH, seed: int = 0) -> None:
        self.length, self.seed = length, seed

    def _answers(self, question: str, passage: str, k: int) -> list[SpanAnswer]:
        """Up to ``k`` different spans, in random order."""
        tokens = _tokens(passage, _TOKEN)
        spans = [
            (start, end)
            for start in range(len(tokens))
            for end in range(start + 1, min(start + self.length, len(tokens)) + 1)
        ]
        seed = stable_hash(f"{len(question)}:{question}{passage}", seed=self.seed)
        chosen = np.random.default_rng(seed).permutation(len(spans))[:k]
        return [_answer(passage, tokens, spans[place], 0.0) for place in chosen.tolist()] or [no_answer()]


class PairScorer(Protocol):
    """A scorer for a question and a sentence."""

    name: str

    @one_or_several
    def score(self, pairs: Sequence[tuple[str, str]]) -> Floats32:
        """One score per pair, shape [pairs]."""


class BestSentence:
    """The sentence most similar to the question; ties by position.

    Args:
        scorer: scorer for question and sentence.
    """

    def __init__(self, scorer: PairScorer) -> None:
        self.name = f"sentence-{scorer.name}"
        self._scorer = scorer

    def read(
        self, questions: Sequence[str], passages: Sequence[str], *, k: int = 1
    ) -> list[list[SpanAnswer]]:
        """Up to ``k`` sentences per question."""
        asked = asked_of(questions, passages, k)
        cut = {passage: [(one.start, one.end) for one in sentences(passage)] for passage in set(passages)}
        pairs = [(question, passage[start:end]) for question, passage in asked for start, end in cut[passage]]
        scores = self._scorer.score(pairs).astype(np.float64) if pairs else np.zeros(0)
        found, first = [], 0
        for _, passage in asked:
            spans = cut[passage]
            own = scores[first : first + len(spans)]
            found.append(_best(passage, spans, [(place, place + 1) for place in range(len(spans))], own, k=k))
            first += len(spans)
        return found

    def nothing_in_common(self, question: str, passage: str, answer: SpanAnswer) -> bool:
        """True if no word of the question occurs in the sentence."""
        return answer.score <= 0


class SlidingWindow(_ReadsEach):
    """A short run of words surrounded by many of the question's words, with more weight for rare ones.

    This is the sliding window of Richardson, Burges and Renshaw, "MCTest" (2013), algorithm 1, with every run
    of 1 to ``length`` words that are not the question's in place of the given choices. A window has as many
    words as question and run together, and scores ``log(1 + 1 / count)`` for each of their words in it, where
    the count is the word's in the passage. A run gets the score of the best window around it, and doesn't
    cross punctuation.

    Args:
        length: maximum number of words of an answer.
    """

    name = "sliding-window"

    def __init__(self, *, length: int = _LENGTH) -> None:
        self.length = length

    def _answers(self, question: str, passage: str, k: int) -> list[SpanAnswer]:
        """Up to ``k`` runs; the empty answer if the passage contains only the question's words."""
        words = _tokens(passage, _WORD)
        asked = {word.lower() for word in _WORD.findall(question)}
        runs, scores = self._runs(passage, words, asked)
        return _best(passage, words, runs, scores, k=k)

    def nothing_in_common(self, question: str, passage: str, answer: SpanAnswer) -> bool:
        """True if no word of the question occurs in the passage."""
        asked, said = ({word.lower() for word in _WORD.findall(text)} for text in (question, passage))
        return asked.isdisjoint(said)

    def _runs(
        self, passage: str, words: list[tuple[int, int]], asked: set[str]
    ) -> tuple[list[tuple[int, int]], Floats]:
        """Runs of words, as start and end positions, with their scores."""
        said = [passage[start:end].lower() for start, end in words]
        counts = Counter(said)
        worth = np.array([np.log1p(1 / counts[word]) for word in said])
        is_asked = np.array([word in asked for word in said], dtype=np.bool_)
        joined = [not passage[end:start].strip() for (_, end), (start, _) in pairwise(words)]
        earned = np.concatenate(([0.0], np.cumsum(np.where(is_asked, worth, 0.0))))
        total = np.concatenate(([0.0], np.cumsum(worth)))
        runs, scores = [], []
        for size in range(1, self.length + 1):
            window = len(asked) + size
            # The score of each window from the question's words; it may extend beyond the passage.
            starts = np.arange(-window, len(words) + 1)
            sums = earned[np.clip(starts + window, 0, len(words))] - earned[np.clip(starts, 0, len(words))]
            # Windows around a run start between its end minus the window's length and its first word.
            best = sliding_window_view(sums, len(asked) + 1).max(axis=1)
            for first in range(len(words) - size + 1):
                if is_asked[first : first + size].any() or not all(joined[first : first + size - 1]):
                    continue
                runs.append((first, first + size))
                scores.append(float(best[first + size] + total[first + size] - total[first]))
        return runs, np.array(scores)


def _sentences_of(passages: Sequence[str]) -> list[str]:
    return [passage[start:end] for passage in passages for start, end in sentences(passage)]


def _tokens(passage: str, pattern: re.Pattern[str]) -> list[tuple[int, int]]:
    """Offsets of the tokens of a passage."""
    return [found.span() for found in pattern.finditer(passage)]


def _best(
    passage: str,
    tokens: Sequence[tuple[int, int]],
    spans: Sequence[tuple[int, int]],
    scores: Floats,
    *,
    k: int,
) -> list[SpanAnswer]:
    """The ``k`` best of some token spans, ties by position, or the empty answer."""
    if not tokens or not spans:
        return [no_answer()]
    best = np.argsort(-scores, kind="stable")[:k].tolist()
    return [_answer(passage, tokens, spans[place], float(scores[place])) for place in best]


def _answer(
    passage: str, tokens: Sequence[tuple[int, int]], span: tuple[int, int], score: float
) -> SpanAnswer:
    start, end = tokens[span[0]][0], tokens[min(span[1], len(tokens)) - 1][1]
    return SpanAnswer(start, end, passage[start:end], score)
