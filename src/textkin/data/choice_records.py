"""Multiple-choice questions, and names of retrieval-based systems for them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from textkin.base.errors import invalid
from textkin.base.python_values import plain
from textkin.base.results import Result, ResultRow

LUCENE = "lucene"
"""The system that retrieves the answers of similar questions."""

BEST_PAIR = "lucene-best-pair"
"""The system that retrieves the single question-answer pair most similar to a question and a choice."""

LOOKING_UP = (LUCENE, BEST_PAIR)
"""The systems that need a corpus of questions with their answers."""

SUPPORT = "support:"
"""Prefix before the name of the scorer that compares a question and a choice with sentences."""


_WITH_NUMBER = re.compile(rf"({LUCENE}|{SUPPORT}.+):([0-9]+)")


def with_number(word: str) -> tuple[str, int | None]:
    """A chooser and the number in its name: ``lucene:500`` has 500 voters; None without one.

    Example:
        >>> with_number("lucene:500"), with_number("lucene")
        (('lucene', 500), ('lucene', None))
    """
    found = _WITH_NUMBER.fullmatch(word)
    return (word, None) if found is None else (found[1], int(found[2]))


FEWEST, MOST = 2, 8
"""Range of the number of choices."""


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
                raise invalid("choices", text, expected=f"texts, in question {self.question_id!r}")
        answer = plain(self.answer)
        if answer is not None and (isinstance(answer, bool) or not isinstance(answer, int)):
            raise invalid("answer", answer, expected=f"its number from 0, in question {self.question_id!r}")
        count = len(self.choices)
        if not FEWEST <= count <= MOST:
            raise invalid(
                "choices", count, expected=f"{FEWEST} to {MOST} of them, in question {self.question_id!r}"
            )
        if self.answer is not None and not 0 <= self.answer < count:
            raise invalid(
                "answer", self.answer, expected=f"0 to {count - 1}, in question {self.question_id!r}"
            )

    @property
    def letter(self) -> str:
        """The correct choice as a letter, from A; "" if unknown."""
        return "" if self.answer is None else letter_of(self.answer)


@dataclass(frozen=True, slots=True, repr=False)
class ChoiceSet(Result):
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
                raise invalid("questions", one, expected="a tk.ChoiceQuestion each")
            if one.question_id in seen:
                raise invalid("question_id", one.question_id, expected="a different one for each question")
            seen.add(one.question_id)

    def _rows(self) -> Iterator[ResultRow]:
        has_support = any(one.support for one in self.questions)
        for one in self.questions:
            support = {"support": "\n".join(one.support)} if has_support else {}
            yield {
                "id": one.question_id,
                "question": one.question,
                "choices": list(one.choices),
                "answer": one.letter,
                **support,
            }

    @property
    def texts(self) -> list[tuple[str, str]]:
        """The pairs of each question with each of its choices."""
        return [(one.question, choice) for one in self.questions for choice in one.choices]

    def content(self) -> list[object]:
        """Questions, choices and answers in order, as JSON values."""
        return [[one.question, list(one.choices), one.answer] for one in self.questions]

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
