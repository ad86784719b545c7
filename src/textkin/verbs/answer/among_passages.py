"""Answers among many passages: which are read, and what each says once it is one of many.

A reader takes each passage as if it were the only one. Of many passages most hold no answer, and a few only
seem to hold one. So the odds that a passage holds an answer, by its reader, are divided by the square of its
rank by BM25. With a single passage nothing changes.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import log

from textkin.data.span_overlaps import apart
from textkin.data.span_records import SpanAnswer
from textkin.text.baselines.bm25 import Bm25
from textkin.vectors.index.exact_search import nearest, place

_POWER = 2  # of the rank: 0 to 3 were tried, see docs/results/spans.md
_LEAST = 1e-15  # of a probability, so that it has a logarithm


@dataclass(frozen=True, slots=True)
class FoundAnswer:
    """An answer and where it stands.

    Attributes:
        passage_id: the passage.
        start: the offset of its first character in the passage.
        end: the offset after its last one.
        text: its text.
        score: by which answers are ordered, see :meth:`ReadPassage.answers`; higher is better.
        probability: that this is the answer, and not another span of its passage or none; None of a reader
            that has learnt none, such as a baseline.
    """

    passage_id: str
    start: int
    end: int
    text: str
    score: float
    probability: float | None = None


@dataclass(frozen=True, slots=True)
class ReadPassage:
    """What a reader found in a passage.

    Attributes:
        passage_id: the passage.
        rank: its rank among the passages, from 1.
        spans: the spans found, of which one without text stands for no answer.
        is_calibrated: True if the probability of no answer is calibrated.
    """

    passage_id: str
    rank: int
    spans: Sequence[SpanAnswer]
    is_calibrated: bool

    @property
    def none(self) -> SpanAnswer | None:
        """The span for no answer; None from a reader that takes for granted that there is one."""
        return next((span for span in self.spans if not span.text), None)

    @property
    def no_answer(self) -> float | None:
        """The probability that the passage, one of many, holds no answer; None if the reader doesn't tell."""
        if self.none is None or self.none.probability is None:
            return None
        return none_among(self.none.probability, self.rank)

    def answers(self) -> Iterator[FoundAnswer]:
        """The answers in the passage, one of many.

        Their scores are logarithms of odds: of a calibrated reader those of the passage, less what an answer
        scores below the passage's best; of another one what an answer scores above no answer, less the
        logarithm of the square of the rank. The scores of baselines, which know no probability, stay.
        """
        best = max((span.score for span in self.spans if span.text), default=0.0)
        no_answer, none = self.no_answer, self.none
        for span in self.spans:
            if not span.text:
                continue
            score, probability = span.score - (0.0 if none is None else none.score), span.probability
            if probability is not None:
                score -= _POWER * log(self.rank)
            if no_answer is not None and none is not None and none.probability is not None:
                if self.is_calibrated:
                    score = log(max(1 - no_answer, _LEAST) / max(no_answer, _LEAST)) + span.score - best
                if probability is not None:
                    probability *= (1 - no_answer) / max(1 - none.probability, _LEAST)
            yield FoundAnswer(self.passage_id, span.start, span.end, span.text, score, probability)


def none_among(alone: float, rank: int, power: float = _POWER) -> float:
    """The probability of no answer in a passage among many, by that in the passage alone and by its rank."""
    return alone / (alone + (1 - alone) / rank**power)


def passages_to_read(
    questions: Sequence[str], passages: Sequence[str], most: int | None
) -> list[dict[int, int]]:
    """The passages to read for each question, in their own order, with their ranks by BM25 from 1.

    Of more than ``most`` those are read that rank highest; one that shares no word with the question is left
    unread then. Where all are read, those without a common word have the rank after the last of the others.
    Equal passages have the rank of the first of them.
    """
    depth = len(passages) if most is None else min(most, len(passages))
    space = place(Bm25.fit(passages), questions, passages)
    chosen = []
    for row in nearest(space.queries, space.documents, depth, floor=space.floor):
        first: dict[str, int] = {}  # so that equal passages give equal probabilities
        ranks = {
            number: first.setdefault(passages[number], rank)
            for rank, number in enumerate(row[row >= 0].tolist(), 1)
        }
        read = range(len(passages)) if depth == len(passages) else sorted(ranks)
        chosen.append({number: ranks.get(number, len(ranks) + 1) for number in read})
    return chosen


def best_answers(found: Sequence[ReadPassage], k: int) -> tuple[tuple[FoundAnswer, ...], float | None]:
    """The best answers of all passages, and the probability that none of them holds an answer.

    Of answers that overlap, the best one stays.

    That probability is the lowest of theirs: it can't be higher, however the passages hang together. It is
    None from a reader that takes for granted that there is an answer.
    """
    answers = sorted((one for read in found for one in read.answers()), key=lambda one: -one.score)
    told = [one for read in found if (one := read.no_answer) is not None]
    # A passage of which it isn't told takes for granted that it holds an answer.
    is_complete = len(told) == sum(bool(read.spans) for read in found) or not answers
    return tuple(apart(answers)[:k]), None if not told else min(told) if is_complete else 0.0
