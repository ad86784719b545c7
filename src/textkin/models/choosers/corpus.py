"""Questions with their answers, for lookup of similar questions."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from typing import Self, final

from textkin.base.errors import DataError
from textkin.data.records import PairSet


@final
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
