"""Ensembles of readers, which match the answers of their members."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from textkin.base.arrays import Floats, Ints
from textkin.data.protocols import SpanReader
from textkin.data.span_answers import answers_by, asked_of
from textkin.data.span_records import SpanAnswer
from textkin.measures.decisions.combination import Combination
from textkin.measures.decisions.conditional_logit import softmax_within
from textkin.models.ensembles.ensemble_folder import Ensemble
from textkin.text.truncation_account import ReadsQuestions, Truncation

LISTED = 20
"""The number of answers requested from each member."""


@dataclass(frozen=True, slots=True, eq=False)
class Ballots:
    """All distinct answers of the members, question by question.

    Answers with the same text count as one, wherever they occur. An answer that a member doesn't list has a
    probability of 0.

    Attributes:
        answers: one per text, at its most likely position.
        values: each member's probability for it, summed over positions. Shape [answers, members].
        questions: the question of each answer. Shape [answers].
    """

    answers: tuple[SpanAnswer, ...]
    values: Floats
    questions: Ints


class EnsembleReader(Ensemble[SpanReader]):
    """An ensemble of readers: combines the probabilities of each distinct answer.

    Args:
        members: the readers.
        combination: the fitted combination, see ``measures.decisions.combination_fit``.
        name: its name in tables.
        model: the saved ensemble, if loaded from a folder.
    """

    def read(
        self, questions: Sequence[str], passages: Sequence[str], *, k: int = 1
    ) -> list[list[SpanAnswer]]:
        """Up to ``k`` answers per question, best first, with no answer if a member lists it.

        If the combination gives no probabilities, they are the softmax of its scores over the listed answers.

        Raises:
            UsageError: the numbers of questions and passages differ, k is below 1, or a member's answers
                don't occur in the passages.
        """
        asked = asked_of(questions, passages, k)
        listed = [
            answers_by(one, [a for a, _ in asked], [b for _, b in asked], k=max(k, LISTED))
            for one in self.members
        ]
        return combined_answers(ballots_of(listed), self.combination, questions=len(asked), k=k)

    def question_truncation(self, questions: Sequence[str]) -> Truncation:
        """The number of distinct questions truncated by the member that truncates most."""
        found = [
            one.question_truncation(questions) for one in self.members if isinstance(one, ReadsQuestions)
        ]
        whole = Truncation(self.name, len(dict.fromkeys(questions)))
        return max(found, key=lambda one: one.cut, default=whole)


def ballots_of(listed: Sequence[Sequence[Sequence[SpanAnswer]]]) -> Ballots:
    """The distinct answers that members listed for each question."""
    answers: list[SpanAnswer] = []
    values: list[Floats] = []
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
    """The probability of each answer by a member; without one, the softmax of its scores."""
    told = [one.probability for one in given if one.probability is not None]
    if len(told) == len(given):
        return told
    scores = np.array([one.score for one in given])
    shares = np.exp(scores - scores.max())
    return list((shares / shares.sum()).tolist())


def combined_answers(
    ballots: Ballots, combination: Combination, *, questions: int, k: int
) -> list[list[SpanAnswer]]:
    """Up to ``k`` answers per question, including no answer; ties go to the first given."""
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
