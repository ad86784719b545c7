"""Baselines that read answers out of passages without having learnt to, and so without probabilities."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Sequence
from itertools import pairwise
from typing import Protocol, final

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view
from numpy.typing import NDArray

from textkin.base.errors import unknown_choice
from textkin.base.python_inputs import one_or_several
from textkin.data.protocols import SpanReader
from textkin.data.span_answers import asked_of
from textkin.data.span_records import SpanAnswer
from textkin.text.sentences import sentences
from textkin.text.stable_hash import stable_hash

_Floats = NDArray[np.float64]

NO_ANSWER = "no-answer"
"""The baseline that never finds an answer."""

SPAN_BASELINES = (NO_ANSWER, "constant", "random", "sentence-tfidf", "sentence-bm25", "sliding-window")
_TOKEN = re.compile(r"\S+")
_WORD = re.compile(r"\w+")
_LENGTH = 3  # tokens, as SQuAD's answers have on average


def build_span_reader(name: str, *, fit_texts: Sequence[str], seed: int = 0) -> SpanReader:
    """The baseline of that name.

    Args:
        name: one of :data:`SPAN_BASELINES`.
        fit_texts: passages; the frequencies of words in their sentences are counted.
        seed: of the random spans.

    Raises:
        UsageError: there is no such baseline.
    """
    from textkin.text.baselines.bm25 import Bm25
    from textkin.text.baselines.tfidf import TfIdf

    match name:
        case "no-answer":
            return NoAnswer()
        case "constant":
            return FirstTokens()
        case "random":
            return RandomSpan(seed=seed)
        case "sentence-tfidf":
            return BestSentence(TfIdf.fit(_sentences_of(fit_texts)))
        case "sentence-bm25":
            return BestSentence(Bm25.fit(_sentences_of(fit_texts)))
        case "sliding-window":
            return SlidingWindow()
    raise unknown_choice("model", name, SPAN_BASELINES)


def no_answer() -> SpanAnswer:
    """The answer that there is none."""
    return SpanAnswer(0, 0, "", 0.0)


class _ReadsEach(ABC):
    """A reader that reads each passage by itself."""

    def read(
        self, questions: Sequence[str], passages: Sequence[str], *, k: int = 1
    ) -> list[list[SpanAnswer]]:
        """Up to ``k`` answers each."""
        return [self._answers(question, passage, k) for question, passage in asked_of(questions, passages, k)]

    @abstractmethod
    def _answers(self, question: str, passage: str, k: int) -> list[SpanAnswer]:
        """Up to ``k`` answers to a question."""


@final
class NoAnswer(_ReadsEach):
    """Finds no answer, ever: right wherever there is none."""

    name = NO_ANSWER

    def _answers(self, question: str, passage: str, k: int) -> list[SpanAnswer]:
        """One: none."""
        del question, passage, k
        return [no_answer()]


@final
class FirstTokens(_ReadsEach):
    """The first tokens of the passage, whatever is asked.

    Args:
        length: how many tokens.
    """

    name = "constant"

    def __init__(self, *, length: int = _LENGTH) -> None:
        self.length = length

    def _answers(self, question: str, passage: str, k: int) -> list[SpanAnswer]:
        """One; none where the passage is blank."""
        del question, k
        return _best(passage, _tokens(passage, _TOKEN)[: self.length], [(0, self.length)], np.zeros(1), k=1)


@final
class RandomSpan(_ReadsEach):
    """A span of 1 to ``length`` tokens, each as likely.

    It depends on seed, question and passage alone.

    Args:
        length: the most tokens.
        seed: another one gives other spans.
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
    """What compares a question with a sentence."""

    name: str

    @one_or_several
    def score(self, pairs: Sequence[tuple[str, str]]) -> NDArray[np.float32]:
        """One number a pair, shape [pairs]."""
        ...


@final
class BestSentence:
    """The whole sentence that is most like the question; of equal ones the first.

    Args:
        scorer: what compares them.
    """

    def __init__(self, scorer: PairScorer) -> None:
        self.name = f"sentence-{scorer.name}"
        self._scorer = scorer

    def read(
        self, questions: Sequence[str], passages: Sequence[str], *, k: int = 1
    ) -> list[list[SpanAnswer]]:
        """Up to ``k`` sentences each."""
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
        """Whether no word of the question stands in the sentence."""
        del question, passage
        return answer.score <= 0


@final
class SlidingWindow(_ReadsEach):
    """A short run of words amid many of the question's words, rare ones counting more.

    As the sliding window of Richardson, Burges and Renshaw, "MCTest" (2013), algorithm 1, with every run of 1
    to ``length`` words that are not the question's in the place of the given choices: a window has as many
    words as question and run together, and earns ``log(1 + 1 / count)`` for each of their words in it, where
    the count is the word's in the passage. A run counts with the best window around it, and does not cross
    punctuation.

    Args:
        length: the most words of an answer.
    """

    name = "sliding-window"

    def __init__(self, *, length: int = _LENGTH) -> None:
        self.length = length

    def _answers(self, question: str, passage: str, k: int) -> list[SpanAnswer]:
        """Up to ``k`` runs; none where the question's words are all that there is."""
        words = _tokens(passage, _WORD)
        asked = {word.lower() for word in _WORD.findall(question)}
        runs, scores = self._runs(passage, words, asked)
        return _best(passage, words, runs, scores, k=k)

    def nothing_in_common(self, question: str, passage: str, answer: SpanAnswer) -> bool:
        """Whether no word of the question stands in the passage."""
        del answer
        asked, said = ({word.lower() for word in _WORD.findall(text)} for text in (question, passage))
        return asked.isdisjoint(said)

    def _runs(
        self, passage: str, words: list[tuple[int, int]], asked: set[str]
    ) -> tuple[list[tuple[int, int]], _Floats]:
        """Runs of words, as places of the first and behind the last, and what each earns."""
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
            # What each window earns by the question's words; it may hang over the ends of the passage.
            starts = np.arange(-window, len(words) + 1)
            sums = earned[np.clip(starts + window, 0, len(words))] - earned[np.clip(starts, 0, len(words))]
            # Windows that hold all of a run start from its end less the window's length to its first word.
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
    scores: _Floats,
    *,
    k: int,
) -> list[SpanAnswer]:
    """The ``k`` best of some spans of tokens, equal ones in order, or no answer."""
    if not tokens or not spans:
        return [no_answer()]
    best = np.argsort(-scores, kind="stable")[:k].tolist()
    return [_answer(passage, tokens, spans[place], float(scores[place])) for place in best]


def _answer(
    passage: str, tokens: Sequence[tuple[int, int]], span: tuple[int, int], score: float
) -> SpanAnswer:
    start, end = tokens[span[0]][0], tokens[min(span[1], len(tokens)) - 1][1]
    return SpanAnswer(start, end, passage[start:end], score)
