"""The contents of a report: small frozen dataclasses of metrics and texts, without any layout.

Every part of a :class:`StudyReport` is optional; a part that is None or empty is omitted from every output.
Intervals are 95 % intervals throughout.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, ClassVar, Self

from textkin.report.data_facts import DataFacts, Reproduction
from textkin.report.json_codec import plain, restore


class VerdictKind(StrEnum):
    """The result of comparing the best trained model with the best reference."""

    BETTER = "better"
    INDISTINGUISHABLE = "indistinguishable"
    WORSE = "worse"
    UNDECIDABLE = "undecidable"


@dataclass(frozen=True, slots=True)
class Estimate:
    """A value and its interval; ``low`` and ``high`` are both None without an interval."""

    value: float
    low: float | None = None
    high: float | None = None


def ends_of(figures: Mapping[str, Estimate]) -> dict[str, tuple[float, float, float]]:
    """Value and interval of each metric that has one, for a file."""
    return {
        name: (one.value, one.low, one.high)
        for name, one in figures.items()
        if one.low is not None and one.high is not None
    }


@dataclass(frozen=True, slots=True)
class Verdict:
    """The answer to "is the gain real?".

    Attributes:
        kind: better, indistinguishable or worse, decided by the test; undecidable if no result could have
            been significant.
        model: the evaluated model.
        reference: the reference it is compared with.
        measure: the unit of the difference.
        difference: model minus reference.
        low: lower bound of the difference's interval.
        high: upper bound of the difference's interval.
        p: the p value of the paired test, corrected for the number of comparisons.
        seeds: the number of seeds the model was trained with; 0 if unknown.
        reference_trained: True if the reference was trained, too, so that using it saves no training.
        reference_is_chance: True if the reference reads no texts; no baseline that reads them was better.
        above_chance: those of model and reference that are significantly above chance; None without a test.
    """

    kind: VerdictKind
    model: str
    reference: str
    measure: str
    difference: float
    low: float
    high: float
    p: float
    seeds: int = 0
    reference_trained: bool = False
    reference_is_chance: bool = False
    above_chance: tuple[str, ...] | None = None


@dataclass(frozen=True, slots=True)
class ReferenceDifference:
    """One system minus a reference.

    Attributes:
        difference: the difference in the main measure.
        p: the p value of the paired test, corrected over all tests of the table.
        decidable: True if the test could have given a p below the level.
    """

    difference: Estimate
    p: float
    decidable: bool = True


@dataclass(frozen=True, slots=True)
class SystemRow:
    """One line of the table of systems.

    Attributes:
        name: the system's name.
        trained: True if it learnt from the labels; otherwise it is a baseline.
        measures: test metrics by name.
        seeds_sd: standard deviation of the main measure over the seeds.
        against: the difference from each reference other than itself, by the reference's name.
        seconds: the training time of one seed.
        parameters: the number of trained parameters.
        note: a short remark below the name.
    """

    name: str
    trained: bool
    measures: Mapping[str, Estimate]
    seeds_sd: float | None = None
    against: Mapping[str, ReferenceDifference] = field(default_factory=dict)
    seconds: float | None = None
    parameters: int | None = None
    note: str = ""


@dataclass(frozen=True, slots=True)
class Systems:
    """The table of systems and its data.

    Attributes:
        rows: the systems, in any order.
        references: the names of the rows that the others are compared with, the most important first.
        pairs: size of the test set in pairs.
        queries: size of the test set in queries.
        questions: size of the test set in questions about passages or with choices.
        components: independent groups in the test set, the unit of the resampling.
        detectable: the minimum detectable difference of the main measure on this test set.
        least_p: the smallest corrected p that a test of this table can give.
        predictions: the names of the rows of which only predictions are known.
    """

    rows: tuple[SystemRow, ...]
    references: tuple[str, ...] = ()
    pairs: int | None = None
    queries: int | None = None
    questions: int | None = None
    components: int | None = None
    detectable: float | None = None
    least_p: float | None = None
    predictions: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ClassRow:
    """The test pairs of one class; ``called[i]`` of them were predicted as ``ByClass.classes[i]``."""

    name: str
    pairs: int
    precision: Estimate
    recall: Estimate
    f1: Estimate
    called: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class ByClass:
    """One system's decisions by class; counts are averaged over seeds."""

    system: str
    classes: tuple[str, ...]
    rows: tuple[ClassRow, ...]
    seeds: int = 1


@dataclass(frozen=True, slots=True)
class PrecisionRecallCurve:
    """One system's curve: ``precision[i]`` at ``recall[i]``, recall rising."""

    system: str
    trained: bool
    recall: tuple[float, ...]
    precision: tuple[float, ...]
    area: Estimate | None = None


@dataclass(frozen=True, slots=True)
class PrecisionRecall:
    """Curves in one plot; ``positive_share`` is the precision of a random order."""

    curves: tuple[PrecisionRecallCurve, ...]
    positive_share: float | None = None


@dataclass(frozen=True, slots=True)
class ScoreHistogram:
    """One system's scores of both classes: counts of bin i, from ``edges[i]`` to ``edges[i + 1]``."""

    system: str
    edges: tuple[float, ...]
    positives: tuple[int, ...]
    negatives: tuple[int, ...]
    threshold: float | None = None


@dataclass(frozen=True, slots=True)
class ReliabilityBin:
    """Pairs with similar probability: mean predicted probability, fraction of positives, count."""

    probability: float
    positive_share: float
    count: int


@dataclass(frozen=True, slots=True)
class Reliability:
    """The calibration of probabilities on the test set."""

    bins: tuple[ReliabilityBin, ...]
    ece: Estimate
    brier: Estimate


@dataclass(frozen=True, slots=True)
class CalibrationPlot:
    """Probabilities before and after calibration, both on test; ``method`` was fitted on ``fitted_on``."""

    system: str
    method: str
    after: Reliability
    before: Reliability | None = None
    fitted_on: str = "dev"


@dataclass(frozen=True, slots=True)
class Epoch:
    """The state after one epoch: mean training loss, and the dev measure if evaluated.

    If dev was also evaluated within epochs, ``step`` counts the optimiser's steps since the start.
    """

    epoch: int
    loss: float
    dev: float | None = None
    step: int | None = None

    @property
    def at(self) -> int:
        """Its position on the axis of a plot."""
        return self.epoch if self.step is None else self.step


@dataclass(frozen=True, slots=True)
class TrainingCurve:
    """One training run of one system; ``best_epoch`` was kept, at ``best_step`` if there are several."""

    system: str
    seed: int
    epochs: tuple[Epoch, ...]
    best_epoch: int | None = None
    best_step: int | None = None

    def is_kept(self, each: Epoch) -> bool:
        """True if the weights of this evaluation were kept."""
        return (each.epoch, each.step) == (self.best_epoch, self.best_step)


@dataclass(frozen=True, slots=True)
class LabelPoint:
    """The result of training with a fraction of the labels."""

    share: float
    labels: int
    result: Estimate


@dataclass(frozen=True, slots=True)
class LabelCurve:
    """The same model on growing fractions of the labels, next to a baseline that needs none."""

    system: str
    points: tuple[LabelPoint, ...]
    baseline: str = ""
    baseline_value: float | None = None


@dataclass(frozen=True, slots=True)
class ConfusionCounts:
    """Counts at a threshold."""

    true_positives: int
    false_positives: int
    false_negatives: int
    true_negatives: int

    @property
    def pairs(self) -> int:
        """The number of pairs."""
        return self.true_positives + self.false_positives + self.false_negatives + self.true_negatives


@dataclass(frozen=True, slots=True)
class FittedThreshold:
    """A threshold fitted on dev and applied unchanged on test.

    Attributes:
        system: the system of the scores.
        goal: the goal in words, like "precision of at least 0.95".
        value: the minimum score of a positive.
        dev: metrics by name on the dev pairs that it was fitted on.
        test: metrics by name on test.
        confusion: counts on test.
        goal_measure: the key of the goal's metric in ``test``, or "".
        goal_value: the minimum that the goal requires of it.
        by_estimate: if the lower confidence bound reaches the goal: the recall on dev of the threshold whose
            estimate does, or the precision for a goal of recall.
    """

    system: str
    goal: str
    value: float
    dev: Mapping[str, Estimate]
    test: Mapping[str, Estimate]
    confusion: ConfusionCounts | None = None
    goal_measure: str = ""
    goal_value: float | None = None
    by_estimate: float | None = None


@dataclass(frozen=True, slots=True)
class ScoredPair:
    """Two texts and the model's score for them."""

    a: str
    b: str
    score: float
    probability: float | None = None


@dataclass(frozen=True, slots=True)
class WorstErrors:
    """The most confident errors on test, worst first."""

    system: str
    false_positives: tuple[ScoredPair, ...] = ()
    false_negatives: tuple[ScoredPair, ...] = ()


@dataclass(frozen=True, slots=True)
class FoundDuplicates:
    """Pairs found by the model among ``texts`` unlabelled texts, best first."""

    system: str
    texts: int
    threshold: float
    pairs: tuple[ScoredPair, ...]


@dataclass(frozen=True, slots=True)
class StudyReport:
    """The complete results of a run.

    Attributes:
        title: the heading.
        data: the data's name.
        made: ISO date or time of the run.
        version: textkin's version.
        measure: the main measure: AP, Spearman, accuracy, ...; a key of every row's measures.
        seeds: the seeds that models were trained with.
        notes: warnings shown with the verdict.
        no_threshold: the reason why a requested threshold is missing, or "".
    """

    # Used by from_dict's validation: an unknown key anywhere in the report is an error.
    __pydantic_config__: ClassVar[Mapping[str, str]] = {"extra": "forbid"}

    title: str
    data: str
    made: str
    version: str
    measure: str
    seeds: tuple[int, ...] = ()
    notes: tuple[str, ...] = ()
    verdict: Verdict | None = None
    systems: Systems | None = None
    by_class: ByClass | None = None
    threshold: FittedThreshold | None = None
    no_threshold: str = ""
    precision_recall: PrecisionRecall | None = None
    histogram: ScoreHistogram | None = None
    calibration: CalibrationPlot | None = None
    training: tuple[TrainingCurve, ...] = ()
    label_curve: LabelCurve | None = None
    errors: WorstErrors | None = None
    duplicates: FoundDuplicates | None = None
    facts: DataFacts | None = None
    reproduction: Reproduction | None = None

    def to_dict(self) -> dict[str, Any]:
        """Convert to JSON types; unpaired surrogates become U+FFFD.

        Raises:
            DataError: a number is NaN or infinite.
        """
        return plain(self)

    @classmethod
    def from_dict(cls, value: Mapping[str, Any]) -> Self:
        """Parse the result of :meth:`to_dict`.

        Raises:
            DataError: a key is missing, unknown or of the wrong type, or a newer textkin wrote it.
        """
        return restore(cls, value)
