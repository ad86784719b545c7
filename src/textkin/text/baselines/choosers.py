"""Choosers without training: trivial baselines for multiple choice, and any scorer as a chooser."""

import math
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Self

import numpy as np

from textkin.base.errors import DataError, UsageError
from textkin.base.hub import DEFAULT
from textkin.base.text_equality import key_of
from textkin.data.choice_records import ChoiceQuestion
from textkin.data.choice_scores import Scores, rows_of
from textkin.data.protocols import Chooser, Scorer
from textkin.text.baselines.analysers import PLAIN, analyser_of
from textkin.text.baselines.names import BASELINES, BaselineNames

QUESTION_FREE = ("first", "longest", "shortest", "popular")
"""Baselines that don't read the question and need no training."""

CHOICE_WORDS = "choice-words"
"""A baseline that learns from answered questions which words correct choices contain."""

CHOICE_BASELINES = BaselineNames(
    (
        *QUESTION_FREE,
        CHOICE_WORDS,
        "random",
        *(name for name in BASELINES if name not in ("constant", "random", "order")),
        DEFAULT,
    )
)
"""All systems for multiple choice that need no training."""


class ScoredChoices:
    """Choices ranked by a scorer's similarity to the question.

    Args:
        scorer: the scorer; the question comes first, the choice second.
    """

    def __init__(self, scorer: Scorer) -> None:
        self.name, self.members = scorer.name, (scorer,)

    def choose(self, questions: Sequence[ChoiceQuestion]) -> Scores:
        """The similarity of question and choice, shape [questions, choices]."""
        pairs = [(one.question, choice) for one in questions for choice in one.choices]
        (scorer,) = self.members
        scores = np.asarray(scorer.score(pairs)) if pairs else np.empty(0)
        if scores.shape != (len(pairs),):
            raise UsageError(
                f"{self.name} gave scores of the shape {scores.shape} to {len(pairs):,} pairs",
                params=(self.name,),
                value=scores.shape,
            )
        return rows_of(scores, questions)


class _QuestionFree(ABC):
    """A chooser that scores each choice by its text alone."""

    def choose(self, questions: Sequence[ChoiceQuestion]) -> Scores:
        """The score of each choice, shape [questions, choices]."""
        worth = [self._worth(choice) for one in questions for choice in one.choices]
        return rows_of(np.array(worth, dtype=np.float64), questions)

    @abstractmethod
    def _worth(self, choice: str) -> float:
        """The score of a choice."""


class FirstChoice(_QuestionFree):
    """The first choice, always."""

    name = "first"

    def _worth(self, choice: str) -> float:
        """Return 0."""
        return 0.0


class ByLength(_QuestionFree):
    """The choice with the most letters, or the fewest.

    Args:
        shortest: True to take the one with the fewest.
    """

    def __init__(self, *, shortest: bool = False) -> None:
        self.name = "shortest" if shortest else "longest"
        self._sign = -1 if shortest else 1

    def _worth(self, choice: str) -> float:
        """The length, negated for the shortest."""
        return self._sign * len(choice)


class Popular(_QuestionFree):
    """The choice that most questions offer: authors reuse correct answers as wrong ones.

    Args:
        counts: number of questions that offer a choice, by its key.
    """

    name = "popular"

    def __init__(self, counts: Mapping[str, int]) -> None:
        self._counts = counts

    @classmethod
    def fit(cls, questions: Iterable[ChoiceQuestion]) -> Self:
        """Count choices, ignoring the answers."""
        return cls(Counter(key for one in questions for key in set(map(key_of, one.choices))))

    def _worth(self, choice: str) -> float:
        """The number of questions that offer the choice."""
        return self._counts.get(key_of(choice), 0)


class ChoiceWords(_QuestionFree):
    """Naive Bayes on the words of correct and wrong choices, without the question.

    Its accuracy shows how much the choices reveal without their question (Gururangan et al. 2018, "Annotation
    Artifacts in Natural Language Inference Data").

    Args:
        weights: weight of each word: the log ratio of its frequencies in correct and wrong choices.
    """

    name = CHOICE_WORDS

    def __init__(self, weights: Mapping[str, float]) -> None:
        self._weights = weights
        self._analyser = analyser_of(PLAIN)

    @classmethod
    def fit(cls, questions: Iterable[ChoiceQuestion]) -> Self:
        """Count words in correct and wrong choices, once per choice, with add-one smoothing.

        Raises:
            DataError: no question has an answer.
        """
        analyser = analyser_of(PLAIN)
        words: dict[bool, Counter[str]] = {True: Counter(), False: Counter()}
        choices = Counter[bool]()
        for one in questions:
            if one.answer is not None:
                for place, choice in enumerate(one.choices):
                    words[place == one.answer].update(set(analyser.terms_of(choice)))
                    choices[place == one.answer] += 1
        if not choices:
            raise DataError(
                f"{CHOICE_WORDS} learns from answered questions, and there are none",
                fix="give some as `fit`",
                params=("fit",),
            )
        return cls(
            {
                word: math.log((words[True][word] + 1) / (choices[True] + 2))
                - math.log((words[False][word] + 1) / (choices[False] + 2))
                for word in words[True] | words[False]
            }
        )

    def _worth(self, choice: str) -> float:
        """The sum over its words."""
        return sum(self._weights.get(word, 0.0) for word in set(self._analyser.terms_of(choice)))


def build_question_free(name: str, *, questions: Iterable[ChoiceQuestion]) -> Chooser:
    """The question-free baseline with the given name.

    Args:
        name: one of :data:`QUESTION_FREE`, or :data:`CHOICE_WORDS`.
        questions: questions whose choices are counted; for ``choice-words``, answered ones.

    Raises:
        UsageError: the name is unknown.
        DataError: the baseline needs answers, and there are none.
    """
    match name:
        case "first":
            return FirstChoice()
        case "longest" | "shortest":
            return ByLength(shortest=name == "shortest")
        case "popular":
            return Popular.fit(questions)
        case "choice-words":
            return ChoiceWords.fit(questions)
    raise UsageError(f"{name!r} is not a baseline without questions")
