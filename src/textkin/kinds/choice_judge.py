"""The judge of systems that answer multiple-choice questions, such as exams."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from textkin.base.arrays import Floats, Ints
from textkin.base.counts import count
from textkin.base.errors import DataError, invalid
from textkin.base.first_seen_numbers import enumerated
from textkin.base.hub import DEFAULT
from textkin.base.text_equality import key_of
from textkin.data.choice_records import ChoiceSet
from textkin.data.choice_scores import Scores, answers_of, chosen, scores_by, undecided
from textkin.data.protocols import Chooser, System
from textkin.data.readers.choice_predictions import read_choice_scores, write_choices
from textkin.kinds.mean_judge import MeanJudge, mean_interval
from textkin.kinds.seed_files import seed_files, tagged
from textkin.measures.intervals.bootstrap import Interval
from textkin.measures.intervals.sampling import Sampling
from textkin.text.baselines.choosers import CHOICE_BASELINES, QUESTION_FREE
from textkin.text.baselines.names import LEXICAL


class ChoiceJudge(MeanJudge):
    """Multiple-choice questions: accuracy, with ties going to the first choice.

    Questions with the same wording ("Which of these is a mammal?") are resampled together.

    Args:
        data: the questions, all with known answers.
        sampling: settings of intervals and tests.

    Raises:
        DataError: there are no questions, or a right choice isn't known.
    """

    kind = "choices"
    known = CHOICE_BASELINES

    def __init__(self, data: ChoiceSet, *, sampling: Sampling) -> None:
        if not data.is_answered:
            raise DataError(
                f"{data.name or 'the data'} doesn't tell the right choice of every question",
                fix="give answered questions; `answer()` answers others",
            )
        self.data, self.sampling = data, sampling
        self.main = "accuracy"
        self.baselines = (*QUESTION_FREE, "random", *LEXICAL, DEFAULT)
        self.scores: dict[str, tuple[Scores, ...]] = {}
        self.groups = wordings_of(data)
        self._right = answers_of(data)

    @property
    def texts(self) -> list[str]:
        """The distinct questions and choices."""
        return list(dict.fromkeys(text for pair in self.data.texts for text in pair))

    @property
    def names(self) -> list[str]:
        """The systems taken so far."""
        return list(self.scores)

    def take(self, name: str, *seeds: System | Chooser) -> None:
        """Let systems answer all questions.

        Raises:
            UsageError: a system can't choose, or doesn't score each choice.
        """
        questions = self.data.questions
        self.scores[name] = tuple(scores_by(as_chooser(name, one), questions) for one in seeds)

    def take_scores(self, name: str, *seeds: Scores) -> None:
        """Keep a system's scores for each seed, shape [questions, choices] each."""
        self.scores[name] = seeds

    def earned(self, name: str) -> Floats:
        """1 where a question's right choice is taken, else 0."""
        return np.array([chosen(one) == self._right for one in self.scores[name]], dtype=np.float64)

    def figures(self, name: str) -> dict[str, Interval]:
        """Accuracy."""
        earned = self.earned(name).mean(axis=0)
        return {self.main: mean_interval(earned, self.groups, sampling=self.sampling)}

    def notes(self) -> tuple[str, ...]:
        """The numbers of questions with the right choice twice, and of those left to the first choice."""
        return (*self._offered_twice(), *self._left_to_the_first())

    def _offered_twice(self) -> tuple[str, ...]:
        """A note on questions in which another choice has the right one's text, which counts as wrong."""
        right = zip(self.data, self._right.tolist(), strict=True)
        twice = sum(one.choices.count(one.choices[place]) > 1 for one, place in right)
        said = f"{count(twice, 'question')} with the right choice's text twice: the other counts as wrong."
        return (said,) if twice else ()

    def _left_to_the_first(self) -> tuple[str, ...]:
        """A note on questions whose choices all score alike."""
        counts = {name: int(undecided(seeds[0]).sum()) for name, seeds in self.scores.items()}
        said = [f"{name} {count:,}" for name, count in counts.items() if count and name != "first"]
        if not said:
            return ()
        return (
            f"Questions whose choices all score the same, so that the first is taken: {', '.join(said)}.",
        )

    def write(self, folder: Path) -> None:
        """Write ``NAME.csv`` for every system and seed, in the format of ``answer``."""
        for each, one in tagged(self.scores):
            write_choices(folder / f"{each}.csv", self.data.questions, one)

    def read(self, folder: Path, names: Sequence[str]) -> None:
        """Read the scores from these files."""
        for name, paths in seed_files(folder, names, ".csv", what="scores"):
            self.scores[name] = tuple(read_choice_scores(path, self.data.questions) for path in paths)


def wordings_of(data: ChoiceSet) -> Ints:
    """The number of each question's wording, ignoring case and punctuation. Shape [questions]."""
    return enumerated(key_of(one.question) for one in data)[0]


def as_chooser(name: str, system: System | Chooser) -> Chooser:
    """The system, if it can choose.

    Raises:
        UsageError: it can't.
    """
    if isinstance(system, Chooser):
        return system
    raise invalid(
        "models",
        name,
        expected="models that compare texts, or baselines such as bm25, for multiple-choice questions",
    )
