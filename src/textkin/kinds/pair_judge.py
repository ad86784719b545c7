"""The judge of scored pairs: yes or no, or graded."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from textkin.base.arrays import Floats
from textkin.base.text_equality import keys_of
from textkin.data.protocols import Scorer, System
from textkin.data.readers.labels import two_values
from textkin.data.records import LabelKind, PairSet
from textkin.kinds.judge import as_scorer
from textkin.kinds.labelled_judge import LabelledJudge
from textkin.kinds.pair_figures import interval, mean_of, test_set
from textkin.kinds.score_file import write_scores
from textkin.kinds.systems.predictions import can_be_asked
from textkin.kinds.threshold_choice import Thresholds
from textkin.measures.decisions.goal import Aim
from textkin.measures.intervals.bootstrap import Interval
from textkin.measures.intervals.sampling import Sampling
from textkin.measures.metrics.binary_pairs import accuracy_by_weight, confusion, f1_by_weight
from textkin.text.baselines.names import LEXICAL

if TYPE_CHECKING:
    from textkin.measures.decisions.saved_thresholds import SavedThreshold
    from textkin.models.ensembles.ensemble_folder import SavedEnsemble
    from textkin.models.manifest import ModelFacts

_SCORES = "scores.tsv"
_MOST_SELF_PAIRS = 0.05  # positives; with fewer, metrics say little


class PairJudge(LabelledJudge):
    """Labelled pairs to score: yes or no, or graded.

    Args:
        data: the pairs.
        sampling: settings of intervals and tests.
        dev: yes-or-no pairs that thresholds are fitted on, one for the best F1 and one for the best accuracy;
            F1 and accuracy on ``data`` are then measured too.

    Raises:
        DataError: there are no pairs, or no measure is defined on their labels.
    """

    def __init__(self, data: PairSet, *, sampling: Sampling, dev: PairSet | None = None) -> None:
        super().__init__(data, test_set(data), sampling=sampling)
        # Nothing correlates with a constant.
        self.baselines = ("constant", "random", *LEXICAL) if self.is_binary else ("random", *LEXICAL)
        self.dev = dev
        self.thresholds = Thresholds(Aim.F1, Aim.ACCURACY)

    @property
    def is_binary(self) -> bool:
        """True for yes-or-no labels, which allow decisions."""
        return self.test.kind is LabelKind.BINARY

    @property
    def hint(self) -> str:
        """Advice for grades with two values, which may mean yes and no; "" otherwise."""
        return "" if self.is_binary else two_values(self.test.labels)

    def take(self, name: str, *seeds: System) -> None:
        """Score all pairs."""
        scorers = [as_scorer(name, system) for system in seeds]
        self.take_scores(name, _scores(scorers, self.data))
        if self.dev is not None and can_be_asked(seeds):
            self.thresholds.fit(name, [(self.dev.labels, row) for row in _scores(scorers, self.dev)])
        for seed, system in enumerate(seeds):
            saved: ModelFacts | SavedEnsemble | None = getattr(system, "model", None)
            if saved is not None:
                self.note_training(name, saved)
                if saved.threshold is not None and self.is_binary:
                    self._note_decisions(name, seed, saved.threshold)

    def notes(self) -> tuple[str, ...]:
        """The notes of labelled pairs, and the number of positives with two equal texts."""
        if self.hint:
            return (self.hint, *super().notes())
        keys = keys_of(text for pair in self.data.texts for text in pair)
        same = [
            keys[a] == keys[b]
            for (a, b), label in zip(self.data.texts, self.test.labels, strict=True)
            if label == 1
        ]
        if not self.is_binary or sum(same) <= _MOST_SELF_PAIRS * len(same):
            return super().notes()
        twice = (
            f"{sum(same):,} of {len(same):,} pairs labelled the same are one text twice, but for case and "
            "punctuation: any system gets these right"
        )
        return (twice, *super().notes())

    def objection(self, scores: Floats) -> str:
        """The reason why scores, shape [seeds, pairs], can't be measured, or ""."""
        if not np.isfinite(scores).all():
            return "gives scores that are not finite"
        if not self.is_binary and np.any(np.ptp(scores, axis=1) == 0):
            return "gives every pair the same score, and nothing correlates with that"
        return ""

    def figures(self, name: str) -> dict[str, Interval]:
        """AP and ROC AUC, or Spearman and Pearson; with thresholds also F1 and accuracy."""
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
        """Write ``scores.tsv``, and ``thresholds.json`` if there are thresholds."""
        write_scores(folder / _SCORES, self.test.labels, self.scores)
        self.thresholds.write(folder)

    def read(self, folder: Path, names: Sequence[str]) -> None:
        """Read the table's scores."""
        self.take_table(folder / _SCORES, names)
        self.thresholds.read(folder, names)

    def _note_decisions(self, name: str, seed: int, saved: SavedThreshold) -> None:
        cells = confusion(self.test.labels, self.scores[name][seed], saved.threshold.value)
        self._note(
            f"{name}, threshold {saved.threshold.value:.4f} fitted on {saved.fitted_on}: "
            f"precision {cells.precision:.3f}, recall {cells.recall:.3f}, F1 {cells.f1:.3f}, "
            f"accuracy {cells.accuracy:.3f}"
        )


def _scores(scorers: Sequence[Scorer], data: PairSet) -> Floats:
    """The score of each pair by each scorer, shape [scorers, pairs]."""
    return np.stack([scorer.score(data.texts).astype(np.float64) for scorer in scorers])
