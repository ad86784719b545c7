"""Pairs labelled with classes, such as entailment and contradiction."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from textkin.base.arrays import Floats
from textkin.base.errors import DataError, invalid, required
from textkin.data.pair_set_operations import with_classes
from textkin.data.protocols import Classifier, System
from textkin.data.readers import load_pairs
from textkin.data.records import LabelKind, PairSet
from textkin.kinds.agreement import Decisions
from textkin.kinds.baseline_fits import Fitted
from textkin.kinds.class_judge import ClassJudge
from textkin.kinds.dev_data import THEM, DevData
from textkin.kinds.judge import Judge
from textkin.kinds.kind import Trial
from textkin.kinds.labelled_kind import LabelledKind
from textkin.kinds.measuring import Options
from textkin.kinds.prepared_systems import shared_texts
from textkin.kinds.systems import NONE_GIVEN, AnyModel, resolve_for_classes
from textkin.measures.decisions.member_scores import JudgedBy, Votes
from textkin.measures.intervals.sampling import Sampling
from textkin.models.ensembles.ensemble_folder import Together
from textkin.models.ensembles.scorer import classify_by
from textkin.text.baselines.classifiers import LEARNERS


class ClassKind(LabelledKind[ClassJudge]):
    """Pairs labelled with classes."""

    task = "classes"
    words = "classes of pairs"
    takes = frozenset({"cache"})
    measured_by = "accuracy and macro F1"

    def holds(self, data: object) -> bool:
        """Pairs whose labels are classes."""
        return isinstance(data, PairSet) and data.kind is LabelKind.CLASSES

    def judge(self, data: PairSet, options: Options) -> ClassJudge:
        """Accuracy and macro F1."""
        return ClassJudge(data, sampling=options.sampling)

    def fitted(self, data: PairSet, judge: ClassJudge, options: Options) -> Fitted:
        """Labelled pairs of the file ``fit``; without one, the data themselves, for the commonest class."""
        return FittedClasses.of(data, options)

    def extras(self, judge: Judge, trial: Trial[PairSet]) -> dict[str, Any]:
        """The decisions of named systems, class by class."""
        assert isinstance(judge, ClassJudge)  # noqa: S101 - it is this kind's
        return {"by_class": tuple(map(judge.by_class, trial.named))}

    def require_decisions(self, judge: ClassJudge, systems: Mapping[str, Any], options: Options) -> None:
        """All classifiers decide."""

    def decisions(
        self, judge: ClassJudge, systems: Mapping[str, Any], options: Options
    ) -> tuple[Decisions, str, tuple[str, ...]]:
        """The class of each pair."""
        decided = np.stack([judge.scores[name][0] for name in judge.names]).astype(np.int64)
        right = decided == judge.test.labels
        return Decisions(tuple(judge.names), decided, right, judge.test.clusters), "the class of a pair", ()

    def dev_data(self, data: PairSet, sampling: Sampling) -> DevData:
        """A row a pair and class."""
        return DevClasses(data, sampling=sampling)


@dataclass(frozen=True, slots=True)
class FittedClasses(Fitted):
    """Labelled pairs that baselines learn classes from.

    Attributes:
        train: the pairs.
        words: their source in words.
        further: the baselines that learn, if there are pairs to learn from.
        seed: seed of the baselines.
        shared: notes on texts that the pairs share with the data.
    """

    train: PairSet
    words: str
    further: tuple[str, ...]
    seed: int
    shared: tuple[str, ...] = ()

    @classmethod
    def of(cls, data: PairSet, options: Options) -> FittedClasses:
        """The pairs of the file ``fit``, or the data themselves.

        Raises:
            DataError: the file can't be read, or has no classes.
        """
        seed = options.sampling.seed
        if options.fit is None:
            words = "the labels of this data: the majority class is the best constant"
            return cls(data, words, (), seed)
        train = load_pairs(options.fit, reading=options.reading.layout()).data
        if train.kind is not LabelKind.CLASSES:
            raise DataError("has other labels, expected pairs labelled with classes", path=options.fit)
        words = f"{len(train):,} labelled pairs of {options.fit.name}"
        return cls(train, words, LEARNERS, seed, shared_texts(train, data))

    def open(self, model: AnyModel, *, named: bool = True, given: Mapping[str, Any] = NONE_GIVEN) -> System:
        """A classifier."""
        if not self.further and model in LEARNERS:
            raise required("fit", by=f"{model}, which learns from labelled pairs,")
        return resolve_for_classes(model, train=self.train, seed=self.seed, given_systems=given)

    def notes(self) -> tuple[str, ...]:
        """Notes on shared texts."""
        return self.shared


class DevClasses(DevData):
    """Pairs with classes; the first member says in which order the classes stand."""

    kind = Together.CLASSES

    def __init__(self, data: PairSet, *, sampling: Sampling) -> None:
        self._given, self._sampling = data, sampling
        self._judge: ClassJudge = ClassJudge(data, sampling=sampling)
        self.pairs = data.texts
        self._probabilities: list[Floats] = []

    def ask(self, name: str, system: Any) -> None:
        """Classify all pairs."""
        if not isinstance(system, Classifier):
            raise invalid("members", name, expected="models that predict the classes of the data")
        if not self.classes:
            self.classes = tuple(system.labels)
            self._judge = ClassJudge(with_classes(self._given, self.classes), sampling=self._sampling)
        found = classify_by(system, self.pairs, self.classes)
        self._judge.take_scores(name, found[None])
        self._probabilities.append(found)

    def votes(self) -> Votes:
        """A row a pair and class."""
        test, width = self._judge.test, len(self.classes)
        right = np.arange(width) == test.labels[:, None]
        return Votes(
            np.stack([one.ravel() for one in self._probabilities], axis=1),
            right.ravel().astype(np.float64),
            np.repeat(test.clusters, width),
            JudgedBy.CHOSEN,
            questions=np.repeat(np.arange(len(right)), width),
            are_probabilities=True,
        )

    def take(self, combined: Floats) -> None:
        """Measure the combination by accuracy."""
        single = combined.astype(np.float32).astype(np.float64)
        self._judge.take_scores(THEM, single.reshape(1, -1, len(self.classes)))
