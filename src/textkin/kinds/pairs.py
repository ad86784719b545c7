"""Labelled pairs to score: yes or no, or graded."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from textkin.base.arrays import Floats
from textkin.base.errors import UsageError, invalid
from textkin.data.records import LabelKind, PairSet
from textkin.data.splits.training_texts import seen_of
from textkin.kinds.agreement import Decisions
from textkin.kinds.class_judge import ClassJudge
from textkin.kinds.decisions import judge_decisions
from textkin.kinds.dev_data import THEM, DevData
from textkin.kinds.fixed_threshold import check_fixed, fixed_decisions
from textkin.kinds.judge import Judge, as_scorer
from textkin.kinds.kind import Trial
from textkin.kinds.labelled_kind import LabelledKind
from textkin.kinds.leak_check import require_unseen_dev
from textkin.kinds.measuring import Options
from textkin.kinds.pair_judge import PairJudge
from textkin.kinds.predicted_scores import PredictedScorer
from textkin.kinds.prepared_systems import dev_judge, shared_texts
from textkin.kinds.systems import AnyModel
from textkin.measures.decisions.fit_threshold import fit_threshold
from textkin.measures.decisions.goal import Aim, Goal
from textkin.measures.decisions.member_scores import JudgedBy, Votes
from textkin.measures.decisions.saved_thresholds import SavedThreshold
from textkin.measures.intervals.sampling import Sampling
from textkin.models.ensembles.ensemble_folder import Together
from textkin.text.baselines import read_by


class PairKind(LabelledKind[PairJudge]):
    """Pairs labelled yes or no, or graded."""

    task = "pairs"
    words = "pairs"
    takes = frozenset({"dev", "threshold", "vectors", "cache"})
    measured_by = "AP and ROC AUC, graded ones by Spearman and Pearson"

    def holds(self, data: object) -> bool:
        """Pairs whose labels aren't classes."""
        return isinstance(data, PairSet) and data.kind is not LabelKind.CLASSES

    def judge(self, data: PairSet, options: Options) -> PairJudge:
        """AP and ROC AUC, or Spearman and Pearson."""
        return PairJudge(data, sampling=options.sampling)

    def check(self, judge: PairJudge, named: Mapping[str, Sequence[AnyModel]], options: Options) -> None:
        """Refuse a threshold for grades, and one for several models."""
        check_fixed(judge, named, options.threshold)

    def decided(self, trial: Trial[PairSet]) -> tuple[Judge, tuple[str, ...]]:
        """With dev pairs: decisions by thresholds that are fitted on them, for the best accuracy."""
        judge, dev = trial.judge, trial.dev
        if dev is None or not isinstance(judge, PairJudge):
            return judge, ()
        for name in judge.scores:
            dev.take(name, *trial.systems[name])
        said = f"each system decides by its own threshold, fitted on {dev.data.name} for the best accuracy"
        found = judge_decisions(dev, judge, goal=Goal(Aim.ACCURACY))
        return found, (said, *shared_texts(dev.data, judge.data))

    def extras(self, judge: Judge, trial: Trial[PairSet]) -> dict[str, Any]:
        """With dev pairs: decisions class by class. With a threshold: the decisions by it."""
        if isinstance(judge, ClassJudge):
            return {"by_class": tuple(map(judge.by_class, trial.named))}
        named = [read_by(name, trial.options.analyser) for name in trial.named]
        return {"decisions": fixed_decisions(judge, named, trial.options.threshold)}

    def require_decisions(self, judge: PairJudge, systems: Mapping[str, Any], options: Options) -> None:
        """Refuse grades, and systems without a threshold where none can be fitted."""
        if not judge.is_binary:
            raise invalid(
                "data",
                f"{judge.data.name or 'data'} (graded labels)",
                expected="pairs labelled yes or no, or with classes",
                fix=judge.hint or None,
            )
        for name, system in systems.items():
            if options.dev is None and _saved(system) is None and _halved(system) is None:
                raise UsageError(
                    f"{name} has no threshold",
                    fix="give `dev` to fit one, or save one with `calibrate()`",
                    params=("dev",),
                )

    def decisions(
        self, judge: PairJudge, systems: Mapping[str, Any], options: Options
    ) -> tuple[Decisions, str, tuple[str, ...]]:
        """Whether each pair is the same, by saved thresholds, or by those that fit the dev pairs."""
        dev = None if options.dev is None else dev_judge(judge, options.dev, options)
        labels, decided, notes = judge.test.labels > 0, [], []
        for name, system in systems.items():
            saved = _saved(system)
            if saved is not None:
                threshold, source = saved.threshold, f"saved with it, fitted on {saved.fitted_on}"
            elif (half := _halved(system)) is not None:
                decided.append(judge.scores[name][0] >= half)
                notes.append(f"{name} decides by {half}, since its scores are from 0 to 1")
                continue
            else:
                assert dev is not None  # noqa: S101 - require_decisions() has seen to it
                notes += require_unseen_dev(
                    name, seen_of(system), dev.data, accept_leaks=options.accept_leaks
                )
                scores = np.asarray(as_scorer(name, system).score(dev.data.texts))
                threshold = fit_threshold(dev.test.labels, scores, Goal(Aim.ACCURACY))
                source = f"of the best accuracy on {dev.data.name}"
            decided.append(threshold.decide(judge.scores[name][0]))
            notes.append(f"{name} decides by the threshold {threshold.value:.4f}, {source}")
        same = np.stack(decided)
        given = Decisions(tuple(systems), same.astype(np.int64), same == labels, judge.test.clusters)
        return given, "whether a pair is the same, by each system's threshold", tuple(notes)

    def dev_data(self, data: PairSet, sampling: Sampling) -> DevData:
        """A row a pair."""
        return DevPairs(data, sampling=sampling)


class DevPairs(DevData):
    """Labelled pairs: yes or no, or graded."""

    kind = Together.PAIRS

    def __init__(self, data: PairSet, *, sampling: Sampling) -> None:
        self._judge: PairJudge = PairJudge(data, sampling=sampling)
        self.pairs = data.texts

    def ask(self, name: str, system: Any) -> None:
        """Score all pairs."""
        self._judge.take(name, system)

    def votes(self) -> Votes:
        """A row a pair."""
        judge = self._judge
        values = np.stack([one[0] for one in judge.scores.values()], axis=1)
        judged = JudgedBy.PAIRS if judge.is_binary else JudgedBy.GRADED
        return Votes(values, judge.test.labels, judge.test.clusters, judged)

    def take(self, combined: Floats) -> None:
        """Measure the combination by AP or Spearman."""
        self._judge.take_scores(THEM, combined.astype(np.float32).astype(np.float64)[None, :])


def _halved(system: Any) -> float | None:
    """The threshold of predictions that are decisions or probabilities."""
    return system.decides_at if isinstance(system, PredictedScorer) else None


def _saved(system: Any) -> SavedThreshold | None:
    """The threshold that is saved with a model, if there is one."""
    return getattr(getattr(system, "model", None), "threshold", None)
