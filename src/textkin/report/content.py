"""What a report says: small frozen dataclasses that hold figures and texts, and nothing of how they look.

Every part of a :class:`StudyReport` is optional; a part that is None or empty is left out of every output.
Intervals are 95 % intervals throughout.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, ClassVar, Self, final

from textkin.report.data_facts import DataFacts, Reproduction
from textkin.report.json_codec import plain, restore


class VerdictKind(StrEnum):
    """How the best trained model stands to the best rival."""

    BETTER = "better"
    INDISTINGUISHABLE = "indistinguishable"
    WORSE = "worse"
    UNDECIDABLE = "undecidable"


@final
@dataclass(frozen=True, slots=True)
class Estimate:
    """A figure and its interval; ``low`` and ``high`` are both None where there is no interval."""

    value: float
    low: float | None = None
    high: float | None = None


@final
@dataclass(frozen=True, slots=True)
class Verdict:
    """The answer to "is the gain real?".

    Attributes:
        kind: better, indistinguishable or worse, decided by whoever ran the test; undecidable where no
            result could have made the test decide.
        model: the model that is judged.
        rival: what it is judged against.
        measure: the unit of the difference.
        difference: model minus rival.
        low: lower end of the difference's interval.
        high: upper end of the difference's interval.
        p: of the paired test, corrected for the number of comparisons.
        seeds: with how many seeds the model was trained; 0 where that is unknown.
        rival_trained: the rival was trained too, so that its use saves no training.
        rival_is_chance: the rival reads no texts: no baseline that reads them did better.
        above_chance: which of model and rival a test shows to be above chance; None where none was made.
    """

    kind: VerdictKind
    model: str
    rival: str
    measure: str
    difference: float
    low: float
    high: float
    p: float
    seeds: int = 0
    rival_trained: bool = False
    rival_is_chance: bool = False
    above_chance: tuple[str, ...] | None = None


@final
@dataclass(frozen=True, slots=True)
class RivalDifference:
    """One system minus a rival.

    Attributes:
        difference: of the main measure.
        p: of the paired test, corrected over all tests of the table.
        decidable: the test could have given a p below the level.
    """

    difference: Estimate
    p: float
    decidable: bool = True


@final
@dataclass(frozen=True, slots=True)
class SystemRow:
    """One line of the table of systems.

    Attributes:
        name: how the system is called.
        trained: it learnt from the labels; otherwise it is a baseline.
        measures: name to figure, on the test set.
        seeds_sd: standard deviation of the main measure over the seeds.
        against: the difference from each rival that it is not itself, by the rival's name.
        seconds: the time to train one seed.
        parameters: how many numbers were learnt.
        note: a few words below the name.
    """

    name: str
    trained: bool
    measures: Mapping[str, Estimate]
    seeds_sd: float | None = None
    against: Mapping[str, RivalDifference] = field(default_factory=dict)
    seconds: float | None = None
    parameters: int | None = None
    note: str = ""


@final
@dataclass(frozen=True, slots=True)
class Systems:
    """The table of systems and what it was measured on.

    Attributes:
        rows: the systems, in any order.
        rivals: the names of the rows that the others are compared with, the one that matters most first.
        pairs: size of the test set in pairs.
        queries: size of the test set in queries.
        questions: size of the test set in questions about passages or with choices.
        components: independent groups in the test set, the unit of the resampling.
        detectable: the smallest difference of the main measure that this test set could have shown.
        least_p: the smallest corrected p that a test of this table can give.
        runs: the names of the rows that are rankings of other programs.
    """

    rows: tuple[SystemRow, ...]
    rivals: tuple[str, ...] = ()
    pairs: int | None = None
    queries: int | None = None
    questions: int | None = None
    components: int | None = None
    detectable: float | None = None
    least_p: float | None = None
    runs: tuple[str, ...] = ()


@final
@dataclass(frozen=True, slots=True)
class ClassRow:
    """How the test pairs of one class fared; ``called[i]`` of them were put into ``ByClass.classes[i]``."""

    name: str
    pairs: int
    precision: Estimate
    recall: Estimate
    f1: Estimate
    called: tuple[int, ...]


@final
@dataclass(frozen=True, slots=True)
class ByClass:
    """One system's decisions class by class; counts are means over the seeds."""

    system: str
    classes: tuple[str, ...]
    rows: tuple[ClassRow, ...]
    seeds: int = 1


@final
@dataclass(frozen=True, slots=True)
class PrecisionRecallCurve:
    """One system's curve: ``precision[i]`` at ``recall[i]``, recall rising."""

    system: str
    trained: bool
    recall: tuple[float, ...]
    precision: tuple[float, ...]
    area: Estimate | None = None


@final
@dataclass(frozen=True, slots=True)
class PrecisionRecall:
    """Curves to lay over each other; ``positive_share`` is the precision of a random order."""

    curves: tuple[PrecisionRecallCurve, ...]
    positive_share: float | None = None


@final
@dataclass(frozen=True, slots=True)
class ScoreHistogram:
    """How one system scores both classes: counts of bin i, which spans ``edges[i]`` to ``edges[i + 1]``."""

    system: str
    edges: tuple[float, ...]
    positives: tuple[int, ...]
    negatives: tuple[int, ...]
    threshold: float | None = None


@final
@dataclass(frozen=True, slots=True)
class ReliabilityBin:
    """Pairs of like probability: the mean of what was said, the share that was true, how many."""

    probability: float
    positive_share: float
    count: int


@final
@dataclass(frozen=True, slots=True)
class Reliability:
    """How far probabilities can be believed on the test set."""

    bins: tuple[ReliabilityBin, ...]
    ece: Estimate
    brier: Estimate


@final
@dataclass(frozen=True, slots=True)
class CalibrationPlot:
    """Probabilities before and after calibration, both on test; ``method`` was fitted on ``fitted_on``."""

    system: str
    method: str
    after: Reliability
    before: Reliability | None = None
    fitted_on: str = "dev"


@final
@dataclass(frozen=True, slots=True)
class Epoch:
    """The state after one pass: mean training loss, and the dev measure where it was taken.

    Where dev was measured within epochs too, ``step`` counts the optimiser's steps since the start.
    """

    epoch: int
    loss: float
    dev: float | None = None
    step: int | None = None

    @property
    def at(self) -> int:
        """Its place on the axis of a plot."""
        return self.epoch if self.step is None else self.step


@final
@dataclass(frozen=True, slots=True)
class TrainingCurve:
    """One training of one system; ``best_epoch`` is the one that was kept, at ``best_step`` of several."""

    system: str
    seed: int
    epochs: tuple[Epoch, ...]
    best_epoch: int | None = None
    best_step: int | None = None

    def is_kept(self, each: Epoch) -> bool:
        """Whether the weights of this moment were kept."""
        return (each.epoch, each.step) == (self.best_epoch, self.best_step)


@final
@dataclass(frozen=True, slots=True)
class LabelPoint:
    """What a share of the training labels is worth."""

    share: float
    labels: int
    result: Estimate


@final
@dataclass(frozen=True, slots=True)
class LabelCurve:
    """The same model on growing shares of the labels, beside a baseline that needs none."""

    system: str
    points: tuple[LabelPoint, ...]
    baseline: str = ""
    baseline_value: float | None = None


@final
@dataclass(frozen=True, slots=True)
class ConfusionCounts:
    """Counts at a threshold."""

    true_positives: int
    false_positives: int
    false_negatives: int
    true_negatives: int


@final
@dataclass(frozen=True, slots=True)
class FittedThreshold:
    """A cut that was fitted on dev and applied unchanged on test.

    Attributes:
        system: whose scores are cut.
        goal: in words, like "precision of at least 0.95".
        value: a score at or above it counts as the same.
        dev: name to figure on dev, on the pairs that it was fitted on.
        test: name to figure on test.
        confusion: counts on test.
        goal_measure: the key of ``test`` that the goal is about, or "".
        goal_value: the least that the goal asks of it.
        by_estimate: where the lower confidence end reaches the goal: the recall on dev of the threshold whose
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


@final
@dataclass(frozen=True, slots=True)
class ScoredPair:
    """Two texts and what the model said of them."""

    a: str
    b: str
    score: float
    probability: float | None = None


@final
@dataclass(frozen=True, slots=True)
class WorstErrors:
    """The most confident mistakes on test, worst first."""

    system: str
    false_positives: tuple[ScoredPair, ...] = ()
    false_negatives: tuple[ScoredPair, ...] = ()


@final
@dataclass(frozen=True, slots=True)
class FoundDuplicates:
    """Pairs that the model found among ``texts`` unlabelled texts, best first."""

    system: str
    texts: int
    threshold: float
    pairs: tuple[ScoredPair, ...]


@final
@dataclass(frozen=True, slots=True)
class StudyReport:
    """Everything that a run has to say.

    Attributes:
        title: the heading.
        data: the data's name.
        made: ISO date or time of the run.
        version: textkin's version.
        measure: the main measure: AP, Spearman, accuracy, ...; a key of every row's measures.
        seeds: the seeds that models were trained with.
        notes: warnings that belong beside the verdict.
        no_threshold: why there is no threshold although one was asked for, or "".
    """

    # Read by from_dict's validation: an unknown key anywhere in the report is an error.
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
        """The report in JSON's types; unpaired surrogates become U+FFFD.

        Raises:
            DataError: a number is NaN or infinite.
        """
        return plain(self)

    @classmethod
    def from_dict(cls, value: Mapping[str, Any]) -> Self:
        """Undo :meth:`to_dict`.

        Raises:
            DataError: a key is missing, unknown or of the wrong type, or a newer textkin wrote it.
        """
        return restore(cls, value)
