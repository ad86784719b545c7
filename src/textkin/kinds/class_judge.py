"""The judge of pairs with classes, such as entailment and contradiction."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from textkin.base.arrays import Floats, Floats32
from textkin.base.errors import DataError, invalid
from textkin.data.protocols import Classifier, System
from textkin.data.readers.labels import ONE_SPELLING, differ_in_case
from textkin.data.records import PairSet
from textkin.kinds.judge import estimate
from textkin.kinds.labelled_judge import LabelledJudge
from textkin.kinds.pair_figures import class_test_set, interval
from textkin.kinds.score_file import write_scores
from textkin.measures.intervals.sampling import Sampling
from textkin.measures.metrics.classes import confusion_matrix, one_class_by_weight
from textkin.report.content import ByClass, ClassRow, Estimate
from textkin.text.baselines.classifiers import CLASS_BASELINES, LEARNERS

if TYPE_CHECKING:
    from textkin.models.ensembles.ensemble_folder import SavedEnsemble
    from textkin.models.manifest import ModelFacts


_CLASSES = "classes.tsv"


class ClassJudge(LabelledJudge):
    """Pairs labelled with classes: accuracy and macro F1 of the systems' decisions.

    Attributes:
        classes: the classes of the data, then further ones that some system predicted, which are always
            wrong.

    Raises:
        DataError: there are no pairs, their labels aren't classes, all have the same one, or two classes
            differ only in case.
    """

    known = CLASS_BASELINES

    def __init__(self, data: PairSet, *, sampling: Sampling) -> None:
        super().__init__(data, class_test_set(data), sampling=sampling)
        self.baselines = tuple(name for name in CLASS_BASELINES if name not in LEARNERS)
        self.classes = list(data.classes)
        if (pair := differ_in_case(self.classes)) is not None:
            raise DataError(
                f"{data.name or 'the data'}: classes {pair[0]!r} and {pair[1]!r} differ in case only",
                fix=ONE_SPELLING,
            )

    def take(self, name: str, *seeds: System) -> None:
        """Assign each pair its most probable class; ties go to the data's first class."""
        given = [self._probabilities(name, system) for system in seeds]
        probabilities = np.zeros((len(seeds), len(self.data), len(self.classes)))
        for row, (columns, values) in zip(probabilities, given, strict=True):
            row[:, columns] = values
        self.take_scores(name, probabilities)
        for system in seeds:
            saved: ModelFacts | SavedEnsemble | None = getattr(system, "model", None)
            if saved is not None:
                self.note_training(name, saved)

    def _probabilities(self, name: str, system: System) -> tuple[list[int], Floats32]:
        """A system's probabilities for every pair, and the class number of each column."""
        if not isinstance(system, Classifier):
            raise invalid(
                "models",
                name,
                expected=f"models that predict the classes {', '.join(self.data.classes)}, or a baseline: "
                f"{', '.join(self.known)}",
            )
        columns = self._columns(name, system.labels)
        given = system.classify(self.data.texts)
        if given.shape != (len(self.data), len(columns)):
            raise DataError(
                f"{name} gave probabilities of shape {given.shape} for {len(self.data)} pairs and "
                f"{len(columns)} classes"
            )
        return columns, given

    def take_scores(self, name: str, scores: Floats) -> None:
        """Keep a system's scores for every seed.

        Args:
            name: the system's name.
            scores: numbers of classes, shape [seeds, pairs]; or probabilities (or any numbers of which the
                highest decides) in the order of ``classes``, shape [seeds, pairs, classes].

        Raises:
            DataError: see :meth:`objection`.
        """
        if scores.ndim == 3:
            scores = np.where(np.isfinite(scores).all(axis=2), scores.argmax(axis=2), np.nan)
        super().take_scores(name, scores)

    def objection(self, scores: Floats) -> str:
        """The reason why class numbers, shape [seeds, pairs], can't be measured, or ""."""
        if np.isnan(scores).any():
            return "gives probabilities that are not finite"
        odd = scores[~np.isin(scores, np.arange(len(self.classes)))]
        return f"decides for class {odd[0]:g}, expected 0 to {len(self.classes) - 1}" if len(odd) else ""

    def by_class(self, name: str) -> ByClass:
        """Precision, recall and F1 of every class, and its confusions, over all seeds."""
        scores, labels = self.scores[name], self.test.labels
        cells = [confusion_matrix(labels, row, classes=len(self.classes)) for row in scores]
        called = np.mean(cells, axis=0).round().astype(np.int64).tolist()
        rows = []
        for number in np.unique(labels).astype(np.int64).tolist():
            figures = {
                key: estimate(interval(self.test, figure, sampling=self.sampling))
                for key, figure in one_class_by_weight(labels, scores, number=number).items()
                if key != "precision" or np.any(scores == number)
            }
            rows.append(
                ClassRow(
                    name=self.classes[number],
                    pairs=int(np.sum(labels == number)),
                    precision=figures.get("precision", Estimate(0.0)),  # without any decision
                    recall=figures["recall"],
                    f1=figures["F1"],
                    called=tuple(called[number]),
                )
            )
        return ByClass(name, tuple(self.classes), tuple(rows), seeds=len(scores))

    def write(self, folder: Path) -> None:
        """Write ``classes.tsv``."""
        write_scores(folder / _CLASSES, self.test.labels, self.scores, classes=self.classes)

    def read(self, folder: Path, names: Sequence[str]) -> None:
        """Read the table's decisions."""
        self.take_table(folder / _CLASSES, names, classes=self.classes)

    def _columns(self, name: str, labels: Sequence[str]) -> list[int]:
        """The number of each label among the classes, ignoring case.

        Raises:
            DataError: the class of some pair isn't among the labels.
        """
        theirs = {label.casefold() for label in labels}
        for number in np.unique(self.test.labels).astype(np.int64).tolist():
            if self.classes[number].casefold() not in theirs:
                raise DataError(
                    f"{name} knows the classes {', '.join(labels)}, and {self.data.name or 'the data'} has "
                    f"{self.classes[number]!r}",
                    fix="name a model that was trained on the same classes",
                )
        for label in labels:
            if label.casefold() not in map(str.casefold, self.classes):
                self.classes.append(label)
        places = {known.casefold(): place for place, known in enumerate(self.classes)}
        return [places[label.casefold()] for label in labels]
