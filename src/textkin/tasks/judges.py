"""Judges: what measures systems on one kind of data.

A judge takes one system after another, then makes the table: figures with intervals, and differences from a
rival. This module holds the judge of pairs that are scored; ``class_judge.py`` has that of pairs that are
sorted into classes, ``ranking_judges.py`` those of rankings.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar, final

import numpy as np
from numpy.typing import NDArray

from textkin.decision.threshold import Aim
from textkin.errors import DataError, UsageError
from textkin.metrics.pairwise import accuracy_by_weight, confusion, f1_by_weight
from textkin.protocols import Scorer, System
from textkin.records import LabelKind, PairSet
from textkin.report.content import Comparison, Estimate, SystemRow, Systems
from textkin.report.words import LEVEL
from textkin.scorers import BASELINES
from textkin.stats.compare import Difference
from textkin.stats.holm import holm
from textkin.stats.interval import Interval
from textkin.stats.power import smallest_difference
from textkin.stats.seeds import over_seeds
from textkin.tasks.material import content_hash
from textkin.tasks.pair_figures import (
    Sampling,
    TestSet,
    difference,
    interval,
    intervals,
    main_figure,
    mean_of,
    test_set,
)
from textkin.tasks.score_table import read_scores, write_scores
from textkin.tasks.thresholds import Thresholds

if TYPE_CHECKING:
    from textkin.model_dir import Model, SavedThreshold

_SCORES = "scores.tsv"


class Judge(ABC):
    """Measures systems on one data set.

    Attributes:
        kind: "pairs", "candidates", "collection" or "duplicates".
        known: the baselines that can be measured on such data.
        baselines: those of them that fit these data and need nothing else.
        main: the name of the main measure.
        sampling: of intervals and tests.
    """

    kind: ClassVar[str]
    known: ClassVar[tuple[str, ...]] = BASELINES
    baselines: tuple[str, ...]
    main: str
    sampling: Sampling

    @property
    @abstractmethod
    def texts(self) -> list[str]:
        """The distinct texts of the data, for baselines to take word frequencies from."""

    @property
    @abstractmethod
    def names(self) -> list[str]:
        """The systems that were taken, in order."""

    @abstractmethod
    def take(self, name: str, *seeds: System) -> None:
        """Give the data to a system, as it was trained with each of its seeds, and keep what comes out.

        Raises:
            UsageError: such a system can't be measured on such data.
        """

    @abstractmethod
    def figures(self, name: str) -> dict[str, Interval]:
        """Every measure of a system; the main one first."""

    @abstractmethod
    def difference(self, name: str, rival: str) -> Difference:
        """A system minus its rival in the main measure."""

    @abstractmethod
    def value(self, name: str) -> float:
        """The main measure of a system."""

    @abstractmethod
    def by_seed(self, name: str) -> list[float]:
        """The main measure of a system with each of its seeds; one value for a baseline."""

    @abstractmethod
    def sizes(self) -> dict[str, int]:
        """The counts that ``Systems`` names."""

    @abstractmethod
    def notes(self) -> tuple[str, ...]:
        """What a reader of the table must know."""

    @abstractmethod
    def write(self, folder: Path) -> None:
        """Write what others need to compute the figures again."""

    @abstractmethod
    def read(self, folder: Path, names: Sequence[str]) -> None:
        """Take from the files of :meth:`write` what these systems gave.

        Raises:
            DataError: a file is not what was written, or lacks a system.
        """

    def best(self, names: Sequence[str]) -> str:
        """The system with the highest main measure; of equals the first."""
        return max(names, key=self.value)

    def table(self, *rivals: str, trained: Sequence[str]) -> Systems:
        """All systems, compared with each rival; p values are corrected over all these tests.

        The detectable difference is that of the trained system (without one, of any) which can be told apart
        from the first rival most easily, at the level that the strictest correction leaves.
        """
        found = {
            (name, rival): self.difference(name, rival)
            for rival in rivals
            for name in self.names
            if name != rival
        }
        corrected = holm(np.array([one.p for one in found.values()])).tolist()
        against = {
            key: Comparison(Estimate(one.value, one.low, one.high), p)
            for (key, one), p in zip(found.items(), corrected, strict=True)
        }
        rows = [
            SystemRow(
                name=name,
                trained=name in trained,
                measures={key: estimate(value) for key, value in self.figures(name).items()},
                seeds_sd=over_seeds(self.by_seed(name)).sd,
                against={rival: against[name, rival] for rival in rivals if (name, rival) in against},
            )
            for name in self.names
        ]
        differing = {
            name: one.standard_error
            for (name, rival), one in found.items()
            if rival == rivals[0] and one.standard_error > 0
        }
        errors = [differing[name] for name in differing if name in trained] or list(differing.values())
        return Systems(
            rows=tuple(rows),
            rivals=rivals,
            detectable=smallest_difference(min(errors), level=LEVEL / len(found)) if errors else None,
            **self.sizes(),
        )


def estimate(interval: Interval) -> Estimate:
    """An interval as the report writes it."""
    return Estimate(interval.value, interval.low, interval.high)


def as_scorer(name: str, system: System) -> Scorer:
    """The system, if it gives scores.

    Raises:
        UsageError: it gives classes only.
    """
    if isinstance(system, Scorer):
        return system
    raise UsageError(
        f"{name} sorts pairs into the classes {', '.join(system.labels)}, and these data want scores",
        fix="measure it on pairs labelled with these classes",
    )


class LabelledJudge(Judge):
    """What judges of labelled pairs have in common: one result a seed and pair, resampled over components.

    Attributes:
        data: the pairs.
        test: their labels and components.
        scores: what each system gave, shape [seeds, pairs]: similarities, or the numbers of classes.

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
        self.scores: dict[str, NDArray[np.float64]] = {}
        self._notes: list[str] = []

    @abstractmethod
    def objection(self, scores: NDArray[np.float64]) -> str:
        """Why scores, shape [seeds, pairs], can't be measured, or ""."""

    def take_scores(self, name: str, scores: NDArray[np.float64]) -> None:
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
        """The systems that were taken."""
        return list(self.scores)

    def value(self, name: str) -> float:
        """The main measure, the mean over the seeds."""
        return main_figure(self.test, self.scores[name])

    def by_seed(self, name: str) -> list[float]:
        """The main measure with each seed."""
        return [main_figure(self.test, one) for one in self.scores[name]]

    def figures(self, name: str) -> dict[str, Interval]:
        """AP and ROC AUC, Spearman and Pearson, or accuracy and macro F1."""
        return intervals(self.test, self.scores[name], sampling=self.sampling)

    def difference(self, name: str, rival: str) -> Difference:
        """Tested over components."""
        return difference(self.test, self.scores[name], self.scores[rival], sampling=self.sampling)

    def sizes(self) -> dict[str, int]:
        """Pairs and components."""
        return {"pairs": len(self.data), "components": self.test.components}

    def notes(self) -> tuple[str, ...]:
        """What saved thresholds decide here, unchanged, and which models have seen these pairs."""
        return tuple(self._notes)

    def take_table(self, path: Path, names: Sequence[str], *, classes: Sequence[str] = ()) -> None:
        """Take what these systems gave from a table of scores or classes.

        Raises:
            DataError: it is no such table, has other labels, or lacks a system.
        """
        labels, systems = read_scores(path, classes=classes)
        if not np.array_equal(labels, self.test.labels):
            raise DataError("has other labels than the data", path=path, fix="measure again")
        for name in names:
            if name not in systems:
                raise DataError(f"has no column of {name}", path=path, fix="measure again")
            self.take_scores(name, systems[name])

    def note_training(self, name: str, model: Model) -> None:
        """Note models that were trained on these pairs or chosen by them."""
        known = content_hash(self.data)
        for key, what in (("train_sha256", "trained on"), ("dev_sha256", "chosen by")):
            if model.provenance.get(key) == known:
                self._note(f"{name} was {what} these very pairs: its figures are too good")

    def _note(self, text: str) -> None:
        if text not in self._notes:  # the seeds of a system say the same
            self._notes.append(text)


@final
class PairJudge(LabelledJudge):
    """Labelled pairs that are scored: yes or no, or graded.

    Args:
        data: the pairs.
        sampling: of intervals and tests.
        dev: yes-or-no pairs that thresholds are fitted on, one for the best F1 and one for the best accuracy;
            F1 and accuracy on ``data`` are then measured too.

    Raises:
        DataError: there are no pairs, or no measure is defined on their labels.
    """

    def __init__(self, data: PairSet, *, sampling: Sampling, dev: PairSet | None = None) -> None:
        super().__init__(data, test_set(data), sampling=sampling)
        lexical = ("tfidf", "tfidf-char", "bm25")
        # Nothing correlates with a constant.
        self.baselines = ("constant", "random", *lexical) if self.is_binary else ("random", *lexical)
        self.dev = dev
        self.thresholds = Thresholds(Aim.F1, Aim.ACCURACY)

    @property
    def is_binary(self) -> bool:
        """Whether the labels are yes or no, so that there is something to decide."""
        return self.test.kind is LabelKind.BINARY

    def take(self, name: str, *seeds: System) -> None:
        """Score all pairs."""
        scorers = [as_scorer(name, system) for system in seeds]
        self.take_scores(name, _scores(scorers, self.data))
        if self.dev is not None:
            self.thresholds.fit(name, [(self.dev.labels, row) for row in _scores(scorers, self.dev)])
        for seed, system in enumerate(seeds):
            saved: Model | None = getattr(system, "model", None)
            if saved is not None:
                self.note_training(name, saved)
                if saved.threshold is not None and self.is_binary:
                    self._note_decisions(name, seed, saved.threshold)

    def objection(self, scores: NDArray[np.float64]) -> str:
        """Why scores, shape [seeds, pairs], can't be measured, or ""."""
        if not np.isfinite(scores).all():
            return "gives scores that are no finite numbers"
        if not self.is_binary and np.any(np.ptp(scores, axis=1) == 0):
            return "gives every pair the same score, and nothing correlates with that"
        return ""

    def figures(self, name: str) -> dict[str, Interval]:
        """AP and ROC AUC, or Spearman and Pearson; with thresholds F1 and accuracy too."""
        found = super().figures(name)
        if name in self.thresholds:
            labels, scores = self.test.labels, self.scores[name]
            for key, aim, at in (
                ("F1", Aim.F1, f1_by_weight),
                ("accuracy", Aim.ACCURACY, accuracy_by_weight),
            ):
                rows = zip(self.thresholds.of(name, aim), scores, strict=True)
                figure = mean_of([at(threshold)(labels, row) for threshold, row in rows])
                found[key] = interval(self.test, figure, sampling=self.sampling)
        return found

    def write(self, folder: Path) -> None:
        """``scores.tsv``, and ``thresholds.json`` where there are some."""
        write_scores(folder / _SCORES, self.test.labels, self.scores)
        self.thresholds.write(folder)

    def read(self, folder: Path, names: Sequence[str]) -> None:
        """Take what is in the table."""
        self.take_table(folder / _SCORES, names)
        self.thresholds.read(folder, names)

    def _note_decisions(self, name: str, seed: int, saved: SavedThreshold) -> None:
        cells = confusion(self.test.labels, self.scores[name][seed], saved.threshold.value)
        self._note(
            f"{name}, threshold {saved.threshold.value:.4f} fitted on {saved.fitted_on}: "
            f"precision {cells.precision:.3f}, recall {cells.recall:.3f}, F1 {cells.f1:.3f}, "
            f"accuracy {cells.accuracy:.3f}"
        )


def _scores(scorers: Sequence[Scorer], data: PairSet) -> NDArray[np.float64]:
    """What each scorer says of each pair, shape [scorers, pairs]."""
    return np.stack([scorer.score(data.texts).astype(np.float64) for scorer in scorers])
