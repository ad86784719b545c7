"""Questions with answers to look up, and the evidence for a choice found in them."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from typing import Self

from textkin.base.errors import DataError
from textkin.data.records import PairSet


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


@dataclass(frozen=True, slots=True, repr=False)
class AnswerCorpus:
    """Questions, each with its answer.

    Attributes:
        ids: the source of each: its file and its id there, or its row.
        questions: the questions' texts.
        answers: the answers, one per question.
        name: the name of their source.

    Raises:
        DataError: there are none.
    """

    ids: tuple[str, ...]
    questions: tuple[str, ...]
    answers: tuple[str, ...]
    name: str = ""

    def __post_init__(self) -> None:
        if not self.questions:
            raise DataError(
                f"{self.name or 'the corpus'} holds no question with its answer", fix="give other files"
            )

    def __len__(self) -> int:
        return len(self.questions)

    @classmethod
    def of(cls, sets: Iterable[PairSet]) -> Self:
        """Pairs from files whose first text is the question; repeated ones count each time.

        Raises:
            DataError: there are none.
        """
        files = list(sets)
        pairs = [(data.name, pair) for data in files for pair in data]
        return cls(
            tuple(f"{name}:{pair.id_a or pair.row}" for name, pair in pairs),
            tuple(pair.a for _, pair in pairs),
            tuple(pair.b for _, pair in pairs),
            ", ".join(data.name for data in files if data.name),
        )

    def without(self, places: Collection[int]) -> AnswerCorpus:
        """The corpus without some positions, such as leaks.

        Raises:
            DataError: none is left.
        """
        kept = [place for place in range(len(self)) if place not in places]
        if not kept:
            raise DataError(
                f"{self.name or 'the corpus'} holds questions of the exam and no others",
                fix="give other files, or `keep_leaks` to search them all the same",
            )
        ids, questions, answers = (
            tuple(column[place] for place in kept) for column in (self.ids, self.questions, self.answers)
        )
        return AnswerCorpus(ids, questions, answers, self.name)
