"""Readers of answers that combine others, and what their members' answers are to one another."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import final

import numpy as np
from numpy.typing import NDArray

from textkin.data.protocols import SpanReader
from textkin.data.span_answers import answers_by, asked_of
from textkin.data.span_records import SpanAnswer
from textkin.measures.decisions.combination import Combination
from textkin.measures.decisions.conditional_logit import softmax_within
from textkin.models.ensembles.ensemble import Ensemble
from textkin.text.truncation_account import ReadsQuestions, Truncation

LISTED = 20
"""So many answers each member is asked for."""


@final
@dataclass(frozen=True, slots=True, eq=False)
class Ballots:
    """All different answers that members give, question after question.

    Answers of one text are one answer, wherever they stand. A member that does not list an answer gives it a
    probability of 0.

    Attributes:
        answers: one for each text, at the place where it is the likeliest.
        values: what each member gives it: the sum of its probabilities. Shape [answers, members].
        questions: shape [answers].
    """

    answers: tuple[SpanAnswer, ...]
    values: NDArray[np.float64]
    questions: NDArray[np.int64]


@final
class EnsembleReader(Ensemble[SpanReader]):
    """Several readers as one: the probabilities of each different answer are combined.

    Args:
        members: the readers.
        combination: fitted, see ``measures.decisions.combination_fit``.
        name: how tables call it.
        model: what is saved of it, where it comes from a directory.
    """

    def read(
        self, questions: Sequence[str], passages: Sequence[str], *, k: int = 1
    ) -> list[list[SpanAnswer]]:
        """Up to ``k`` answers each, best first, and no answer at its place where a member gives it.

        Where the combination gives no probabilities, they are the softmax of what it gives over the listed
        answers.

        Raises:
            UsageError: there are more questions than passages or fewer, k is below 1, or a member gives
                answers that don't stand in the passages.
        """
        asked = asked_of(questions, passages, k)
        listed = [
            answers_by(one, [a for a, _ in asked], [b for _, b in asked], k=max(k, LISTED))
            for one in self.members
        ]
        return combined_answers(ballots_of(listed), self.combination, questions=len(asked), k=k)

    def question_truncation(self, questions: Sequence[str]) -> Truncation:
        """How many distinct questions are longer than a member reads: by the member that cuts most."""
        found = [
            one.question_truncation(questions) for one in self.members if isinstance(one, ReadsQuestions)
        ]
        whole = Truncation(self.name, len(dict.fromkeys(questions)))
        return max(found, key=lambda one: one.cut, default=whole)


def ballots_of(listed: Sequence[Sequence[Sequence[SpanAnswer]]]) -> Ballots:
    """The different answers of all members: what each of them listed for each question."""
    answers: list[SpanAnswer] = []
    values: list[NDArray[np.float64]] = []
    questions: list[int] = []
    best: list[float] = []
    for number, of_question in enumerate(zip(*listed, strict=True)):
        places: dict[str, int] = {}
        for member, given in enumerate(of_question):
            for one, share in zip(given, _shares(given), strict=True):
                place = places.setdefault(one.text, len(answers))
                if place == len(answers):
                    answers.append(one)
                    values.append(np.zeros(len(listed)))
                    questions.append(number)
                    best.append(share)
                elif share > best[place]:
                    answers[place], best[place] = one, share
                values[place][member] += share
    stacked = np.stack(values) if values else np.empty((0, len(listed)))
    return Ballots(tuple(answers), stacked, np.array(questions, dtype=np.int64))


def _shares(given: Sequence[SpanAnswer]) -> list[float]:
    """The probability of each answer of a member; without one, the softmax of its scores."""
    told = [one.probability for one in given if one.probability is not None]
    if len(told) == len(given):
        return told
    scores = np.array([one.score for one in given])
    shares = np.exp(scores - scores.max())
    return list((shares / shares.sum()).tolist())


def combined_answers(
    ballots: Ballots, combination: Combination, *, questions: int, k: int
) -> list[list[SpanAnswer]]:
    """Up to ``k`` answers to each question, and no answer among them; of equal ones the first given."""
    found: list[list[SpanAnswer]] = [[] for _ in range(questions)]
    if not ballots.answers:
        return found
    scores = combination.combine(ballots.values, ballots.questions)
    told = scores if combination.is_probability else softmax_within(scores, ballots.questions)
    for place in np.lexsort((-scores, ballots.questions)).tolist():
        one = ballots.answers[place]
        of_question = found[int(ballots.questions[place])]
        if one.text and sum(bool(other.text) for other in of_question) == k:
            continue
        probability = min(max(float(told[place]), 0.0), 1.0)
        of_question.append(SpanAnswer(one.start, one.end, one.text, float(scores[place]), probability))
    return found
