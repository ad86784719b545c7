"""The base of judges whose measure is a mean, and the interval of a mean."""

from abc import abstractmethod

import numpy as np

from textkin.base.arrays import Bools, Floats, Ints
from textkin.kinds.judge import Judge
from textkin.measures.intervals.bootstrap import Interval, bootstrap
from textkin.measures.intervals.paired_tests import Difference, compare_shares
from textkin.measures.intervals.sampling import Sampling


def mean_interval(
    values: Floats, groups: Ints, *, inside: Bools | None = None, sampling: Sampling
) -> Interval:
    """The mean score of questions, with its 95 % interval over groups.

    Args:
        values: scores from 0 to 1, shape [questions].
        groups: the group of each question, shape [questions].
        inside: a mask of the questions that count; None for all. Shape [questions].
        sampling: settings of the bootstrap.

    Raises:
        DataError: none of them counts.
    """
    chosen = slice(None) if inside is None else inside
    earned = values[chosen]

    def mean(weights: Floats) -> Floats:
        return np.asarray((earned @ weights) / weights.sum(axis=0))

    return bootstrap(mean, groups[chosen], resamples=sampling.resamples, seed=sampling.seed)


class MeanJudge(Judge):
    """Base class of judges whose main measure is a mean of scores from 0 to 1.

    Attributes:
        groups: the group of each question; those of a group are drawn together. Shape [questions].
    """

    groups: Ints

    @abstractmethod
    def earned(self, name: str) -> Floats:
        """A system's scores. Shape [seeds, questions]."""

    def value(self, name: str) -> float:
        """The mean, averaged over seeds."""
        return float(self.earned(name).mean(axis=0).mean())

    def by_seed(self, name: str) -> list[float]:
        """The mean for each seed."""
        return [float(row.mean()) for row in self.earned(name)]

    def difference(self, name: str, reference: str, *, tests: int = 1) -> Difference:
        """The mean difference, tested over groups."""
        return compare_shares(
            self.earned(name).mean(axis=0),
            self.earned(reference).mean(axis=0),
            self.groups,
            rounds=self.sampling.rounds_of(tests),
            resamples=self.sampling.resamples,
            seed=self.sampling.seed,
        )

    def sizes(self) -> dict[str, int]:
        """The numbers of questions and of their groups."""
        return {"questions": len(self.groups), "components": len(np.unique(self.groups))}
