"""Why a choice was made: what was found for it, and how much each counted."""

from __future__ import annotations

from dataclasses import dataclass
from typing import final


@final
@dataclass(frozen=True, slots=True)
class Vote:
    """What was found for a choice.

    Attributes:
        source: the id of the question or sentence in its corpus.
        text: the question, or the sentence of support.
        answer: that question's answer; "" for a sentence.
        question_score: how like the text is to what was asked.
        answer_score: how like the answer is to the choice; 1 for a sentence.
    """

    source: str
    text: str
    answer: str
    question_score: float
    answer_score: float = 1.0

    @property
    def product(self) -> float:
        """What it counts."""
        return self.question_score * self.answer_score


@final
@dataclass(frozen=True, slots=True)
class ExplainedChoice:
    """A choice with its votes.

    Attributes:
        choice: the text.
        score: that decides.
        votes: those that count most, first.
        more: how many others count.
    """

    choice: str
    score: float
    votes: tuple[Vote, ...]
    more: int = 0


@final
@dataclass(frozen=True, slots=True)
class Explanation:
    """Why a question was answered so.

    Attributes:
        question_id: of the question.
        question: its text.
        choices: in the question's order.
        chosen: the place of the one with the highest score, the first of equals.
    """

    question_id: str
    question: str
    choices: tuple[ExplainedChoice, ...]
    chosen: int
