"""Metrics of systems on labelled pairs: intervals over components, tests against a reference.

Every trained system has the scores of all its seeds. Its metric is the mean over them, and intervals and
tests are of that mean. ``S`` is the number of seeds. If labels are classes, scores are the numbers of
predicted classes.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

import numpy as np

from textkin.base.arrays import Floats, Ints
from textkin.base.errors import DataError, either
from textkin.base.spelling import is_command
from textkin.data.protocols import ByWeight, PairMeasure
from textkin.data.records import LabelKind, PairSet
from textkin.data.splits.components import text_graph
from textkin.measures.intervals.bootstrap import Interval, bootstrap
from textkin.measures.intervals.paired_tests import Difference, compare_scores, compare_shares
from textkin.measures.intervals.proportions import clustered_share
from textkin.measures.intervals.sampling import Sampling
from textkin.measures.intervals.standard_errors import SHARE
from textkin.measures.metrics.binary_pairs import accuracy_by_weight, f1_by_weight, roc_auc_by_weight
from textkin.measures.metrics.classes import class_accuracy_by_weight, macro_f1_by_weight
from textkin.measures.metrics.correlation import pearson_by_weight, spearman_by_weight
from textkin.measures.metrics.resampled_average_precision import average_precision_by_weight

MEASURES: Mapping[LabelKind, Mapping[str, PairMeasure]] = MappingProxyType(
    {
        LabelKind.BINARY: {"AP": average_precision_by_weight, "ROC AUC": roc_auc_by_weight},
        LabelKind.GRADED: {"Spearman": spearman_by_weight, "Pearson": pearson_by_weight},
        LabelKind.CLASSES: {"accuracy": class_accuracy_by_weight, "macro F1": macro_f1_by_weight},
    }
)
"""The metrics of each kind of labels; the first is the main one."""


@dataclass(frozen=True, slots=True, eq=False)
class TestSet:
    """Labelled pairs to measure on.

    Attributes:
        labels: shape [pairs].
        clusters: the component of each pair by shared texts, the unit of resampling. Shape [pairs].
        kind: the meaning of the labels.
    """

    __test__ = False  # the field's usual name, not a test's

    labels: Floats
    clusters: Ints
    kind: LabelKind

    @property
    def main(self) -> str:
        """The name of the main measure."""
        return next(iter(MEASURES[self.kind]))

    @property
    def components(self) -> int:
        """The number of independent units."""
        return len(np.unique(self.clusters))


def test_set(data: PairSet) -> TestSet:
    """Labels and components of pairs, for measuring scores.

    Raises:
        DataError: there are no pairs, a pair has no label, or the labels are classes.
    """
    if data.kind is LabelKind.CLASSES:
        raise DataError(
            f"{data.name or 'this file'} has labels of {len(data.classes)} classes "
            f"({', '.join(data.classes)[:80]}), expected yes or no, or a graded similarity",
            fix=either(
                "write 1 for pairs that are the same and 0 for the others",
                "name another column with `columns=label=NAME`",
            ),
        )
    return _labelled(data)


def class_test_set(data: PairSet) -> TestSet:
    """Labels and components of pairs, for measuring classifiers.

    Raises:
        DataError: there are no pairs, a pair has no label, or the labels aren't classes.
    """
    if data.kind in (LabelKind.BINARY, LabelKind.GRADED):
        raise DataError(
            f"{data.name or 'this file'} has labels of kind {data.kind.value}, expected the names of classes",
            fix=either("name another column with `columns=label=NAME`") or "give pairs with classes",
        )
    return _labelled(data)


def _labelled(data: PairSet) -> TestSet:
    name = data.name or "this file"
    if not len(data):
        raise DataError(f"{name} has no pairs to measure on", fix="give labelled pairs")
    if data.kind is LabelKind.NONE:
        raise DataError(
            f"{name} has no labels, and nothing can be measured without",
            fix=(
                either("name the label's column with `columns=label=NAME`") or "call the label's column label"
            )
            + ("" if is_command() else "; in a list, write (text, text, label)"),
        )
    graph = text_graph(data, quiet=True)
    components = graph.components(pairs=np.ones(len(data), dtype=np.bool_), ids=True)
    return TestSet(data.labels, components[graph.a], data.kind)


def main_figure(test: TestSet, scores: Floats) -> float:
    """The main measure, averaged over the seeds of ``scores`` [S, pairs] or [pairs]."""
    figure = mean_figure(MEASURES[test.kind][test.main], test.labels, scores)
    return float(figure(np.ones((len(test.labels), 1)))[0])


def intervals(test: TestSet, scores: Floats, *, sampling: Sampling) -> dict[str, Interval]:
    """Every metric of the kind with its interval; ``scores`` of shape [S, pairs] or [pairs]."""
    return {
        name: interval(test, mean_figure(measure, test.labels, scores), sampling=sampling)
        for name, measure in MEASURES[test.kind].items()
    }


def interval(test: TestSet, figure: ByWeight, *, sampling: Sampling) -> Interval:
    """One metric with its interval."""
    ends = (-1.0, 1.0) if test.kind is LabelKind.GRADED else SHARE
    return bootstrap(figure, test.clusters, resamples=sampling.resamples, seed=sampling.seed, ends=ends)


def at_threshold(
    test: TestSet, scores: Floats, threshold: float, *, sampling: Sampling
) -> dict[str, Interval]:
    """Precision, recall and the like at a threshold; ``scores``: shape [pairs].

    Precision is omitted if nothing is called the same.
    """
    same, decided = test.labels > 0, scores >= threshold
    shares = {
        "precision": clustered_share(same[decided], test.clusters[decided]),
        "recall": clustered_share(decided[same], test.clusters[same]),
    }
    drawn = {
        name: interval(test, at(threshold)(test.labels, scores), sampling=sampling)
        for name, at in (("F1", f1_by_weight), ("accuracy", accuracy_by_weight))
    }
    return {name: found for name, found in shares.items() if found is not None} | drawn


def mean_figure(measure: PairMeasure, labels: Floats, scores: Floats) -> ByWeight:
    """The mean of a metric over the seeds of ``scores`` [S, pairs] or [pairs]."""
    return mean_of([measure(labels, row) for row in np.atleast_2d(scores)])


def mean_of(figures: Sequence[ByWeight]) -> ByWeight:
    """The mean of several metrics of the same pairs, such as one per seed."""
    return lambda weights: np.asarray(np.mean([figure(weights) for figure in figures], axis=0))


def difference(
    test: TestSet, scores: Floats, reference: Floats, *, sampling: Sampling, tests: int = 1
) -> Difference:
    """A system minus its reference in the main measure; both of shape [S, pairs] or [pairs].

    If labels are classes, a round of the test swaps the correctness of both systems per pair.

    Args:
        test: the labelled pairs.
        scores: the system's scores.
        reference: the reference's scores.
        sampling: settings of interval and test.
        tests: the number of tests to correct for.
    """
    if test.kind is LabelKind.CLASSES:
        right, theirs = (np.mean(np.atleast_2d(side) == test.labels, axis=0) for side in (scores, reference))
        return compare_shares(
            right,
            theirs,
            test.clusters,
            rounds=sampling.rounds_of(tests),
            resamples=sampling.resamples,
            seed=sampling.seed,
        )
    found = compare_scores(
        test.labels,
        scores,
        reference,
        test.clusters,
        measure=MEASURES[test.kind][test.main],
        rounds=sampling.rounds_of(tests),
        resamples=sampling.resamples,
        seed=sampling.seed,
    )
    return found.within(2.0 if test.kind is LabelKind.GRADED else 1.0)  # correlations; proportions
