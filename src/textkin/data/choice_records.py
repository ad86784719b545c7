"""Multiple-choice questions, and names of retrieval-based systems for them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import final

from textkin.base.errors import UsageError
from textkin.base.python_values import plain

LUCENE = "lucene"
"""The system that retrieves the answers of similar questions."""

BEST_PAIR = "lucene-best-pair"
"""The system that retrieves the single question-answer pair most similar to a question and a choice."""

LOOKING_UP = (LUCENE, BEST_PAIR)
"""The systems that need a corpus of questions with their answers."""

SUPPORT = "support:"
"""Prefix before the name of the scorer that compares a question and a choice with sentences."""


FEWEST, MOST = 2, 8
"""Range of the number of choices."""


@final
@dataclass(frozen=True, slots=True)
class ChoiceQuestion:
    """A multiple-choice question.

    Attributes:
        question_id: unique in its set.
        question: the question's text.
        choices: the texts to choose from, 2 to 8.
        answer: index of the correct choice, from 0; None if unknown.
        support: texts that imply the answer, such as the plot of a film; usually none.

    Raises:
        UsageError: there are too few or too many choices, or ``answer`` is out of range.

    Example:
        >>> import textkin as tk
        >>> tk.ChoiceQuestion("q1", "What melts?", ("ice", "fire"), answer=0).letter
        'A'
    """

    question_id: str
    question: str
    choices: tuple[str, ...]
    answer: int | None = None
    support: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        for text in (self.question, *self.choices):
            if not isinstance(text, str):
                raise UsageError(f"question {self.question_id!r} holds {text!r}", fix="give texts")
        answer = plain(self.answer)
        if answer is not None and (isinstance(answer, bool) or not isinstance(answer, int)):
            raise UsageError(
                f"question {self.question_id!r} has answer {answer!r}, expected its place",
                fix="count choices from 0",
            )
        count = len(self.choices)
        if not FEWEST <= count <= MOST:
            raise UsageError(
                f"question {self.question_id!r} has {count} choices", fix=f"give {FEWEST} to {MOST}"
            )
        if self.answer is not None and not 0 <= self.answer < count:
            raise UsageError(
                f"question {self.question_id!r} has answer {self.answer}", fix=f"give 0 to {count - 1}"
            )

    @property
    def letter(self) -> str:
        """The correct choice as a letter, from A; "" if unknown."""
        return "" if self.answer is None else letter_of(self.answer)


@final
@dataclass(frozen=True, slots=True)
class ChoiceSet:
    """A set of multiple-choice questions.

    Raises:
        UsageError: an id is repeated, or an item is not a ``ChoiceQuestion``.

    Example:
        >>> import textkin as tk
        >>> one = tk.ChoiceQuestion("q1", "What melts?", ("ice", "fire"), answer=0)
        >>> len(tk.ChoiceSet((one,)).texts)
        2
    """

    questions: tuple[ChoiceQuestion, ...]
    name: str = ""

    def __post_init__(self) -> None:
        seen = set[str]()
        for one in self.questions:
            if not isinstance(one, ChoiceQuestion):
                raise UsageError(f"a question is {str(one)[:40]!r}", fix="give a tk.ChoiceQuestion")
            if one.question_id in seen:
                raise UsageError(f"the id {one.question_id!r} comes twice", fix="make the ids unique")
            seen.add(one.question_id)

    @property
    def texts(self) -> list[tuple[str, str]]:
        """The pairs of each question with each of its choices."""
        return [(one.question, choice) for one in self.questions for choice in one.choices]

    @property
    def is_answered(self) -> bool:
        """True if the correct choice of every question is known, and there is a question."""
        return bool(self.questions) and all(one.answer is not None for one in self.questions)

    def __len__(self) -> int:
        return len(self.questions)

    def __iter__(self) -> Iterator[ChoiceQuestion]:
        return iter(self.questions)


def letter_of(place: int) -> str:
    """The letter of a choice: A for 0."""
    return chr(ord("A") + place)
