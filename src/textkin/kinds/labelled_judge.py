"""Common parts of the judges of labelled pairs."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from textkin.base.arrays import Floats
from textkin.base.errors import DataError
from textkin.data.records import PairSet
from textkin.kinds.judge import Judge
from textkin.kinds.leak_check import seen_in_words
from textkin.kinds.pair_figures import TestSet, difference, intervals, main_figure
from textkin.kinds.score_file import read_scores
from textkin.measures.intervals.bootstrap import Interval
from textkin.measures.intervals.paired_tests import Difference
from textkin.measures.intervals.sampling import Sampling

if TYPE_CHECKING:
    from textkin.models.ensembles.ensemble_folder import SavedEnsemble
    from textkin.models.manifest import ModelFacts


class LabelledJudge(Judge):
    """Base class of judges of labelled pairs: one result per seed and pair, resampled by component.

    Attributes:
        data: the pairs.
        test: their labels and components.
        scores: each system's results, shape [seeds, pairs]: similarities, or class numbers.

    Raises:
        DataError: all pairs have one label.
    """

    kind = "pairs"

    def __init__(self, data: PairSet, test: TestSet, *, sampling: Sampling) -> None:
        if len(np.unique(test.labels)) < 2:
            raise DataError(
                f"{data.name or 'the file'} has one kind of label only, so there is nothing to tell apart",
                fix="give pairs of every kind",
            )
        self.data, self.test, self.sampling = data, test, sampling
        self.main = test.main
        self.scores: dict[str, Floats] = {}
        self._notes: list[str] = []

    @abstractmethod
    def objection(self, scores: Floats) -> str:
        """The reason why scores, shape [seeds, pairs], can't be measured, or ""."""

    def take_scores(self, name: str, scores: Floats) -> None:
        """Keep scores, shape [seeds, pairs].

        Raises:
            DataError: see :meth:`objection`.
        """
        if objection := self.objection(scores):
            raise DataError(f"{name} {objection}", fix="leave it out")
        self.scores[name] = scores

    @property
    def texts(self) -> list[str]:
        """The distinct texts of both sides."""
        return list(dict.fromkeys(text for pair in self.data.texts for text in pair))

    @property
    def names(self) -> list[str]:
        """The systems taken so far."""
        return list(self.scores)

    def drop(self, name: str) -> None:
        """Forget a system."""
        del self.scores[name]

    def value(self, name: str) -> float:
        """The main measure, averaged over seeds."""
        return main_figure(self.test, self.scores[name])

    def by_seed(self, name: str) -> list[float]:
        """The main measure for each seed."""
        return [main_figure(self.test, one) for one in self.scores[name]]

    def figures(self, name: str) -> dict[str, Interval]:
        """AP and ROC AUC, Spearman and Pearson, or accuracy and macro F1."""
        return intervals(self.test, self.scores[name], sampling=self.sampling)

    def difference(self, name: str, reference: str, *, tests: int = 1) -> Difference:
        """A difference tested over components."""
        scores, theirs = self.scores[name], self.scores[reference]
        return difference(self.test, scores, theirs, sampling=self.sampling, tests=tests)

    def sizes(self) -> dict[str, int]:
        """The numbers of pairs and of components."""
        return {"pairs": len(self.data), "components": self.test.components}

    def notes(self) -> tuple[str, ...]:
        """Notes on decisions at saved thresholds, and on models that have seen these pairs."""
        return tuple(self._notes)

    def take_table(self, path: Path, names: Sequence[str], *, classes: Sequence[str] = ()) -> None:
        """Read these systems' results from a table of scores or classes.

        Raises:
            DataError: it isn't such a table, has other labels, or lacks a system.
        """
        labels, systems = read_scores(path, classes=classes)
        if not np.array_equal(labels, self.test.labels):
            raise DataError("has other labels than the data", path=path, fix="measure again")
        for name in names:
            if name not in systems:
                raise DataError(f"has no column of {name}", path=path, fix="measure again")
            self.take_scores(name, systems[name])

    def note_training(self, name: str, model: ModelFacts | SavedEnsemble) -> None:
        """Note models that were trained or selected on some of these pairs."""
        for words in seen_in_words(name, model, self.data):
            self._note(words)

    def _note(self, text: str) -> None:
        if text not in self._notes:  # the seeds of a system have the same training data
            self._notes.append(text)
