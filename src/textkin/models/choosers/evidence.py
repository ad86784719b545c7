"""Evidence for a choice: the texts found for it, and their weights."""

from __future__ import annotations

from dataclasses import dataclass
from typing import final


@final
@dataclass(frozen=True, slots=True)
class Vote:
    """A text found for a choice.

    Attributes:
        source: the id of the question or sentence in its corpus.
        text: the question, or the supporting sentence.
        answer: that question's answer; "" for a sentence.
        question_score: the similarity of the text to the question.
        answer_score: the similarity of the answer to the choice; 1 for a sentence.
    """

    source: str
    text: str
    answer: str
    question_score: float
    answer_score: float = 1.0

    @property
    def product(self) -> float:
        """Its weight."""
        return self.question_score * self.answer_score


@final
@dataclass(frozen=True, slots=True)
class ExplainedChoice:
    """A choice with its votes.

    Attributes:
        choice: the text.
        score: the score of the choice.
        votes: the votes with the highest weights, in descending order.
        more: the number of other votes.
    """

    choice: str
    score: float
    votes: tuple[Vote, ...]
    more: int = 0


@final
@dataclass(frozen=True, slots=True)
class Explanation:
    """An explanation of an answer.

    Attributes:
        question_id: the question's id.
        question: its text.
        choices: the choices, in the question's order.
        chosen: the index of the choice with the highest score; ties go to the first.
    """

    question_id: str
    question: str
    choices: tuple[ExplainedChoice, ...]
    chosen: int
