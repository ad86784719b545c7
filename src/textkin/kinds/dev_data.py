"""The data that an ensemble is fitted on, with its members' scores and their quality.

Each kind of data has its own class, beside the kind. The judge computes figures, intervals and tests.
"""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from textkin.base.arrays import Floats
from textkin.kinds.judge import Judge
from textkin.measures.decisions.member_scores import Votes
from textkin.measures.intervals.bootstrap import Interval
from textkin.measures.intervals.paired_tests import Difference
from textkin.models.ensembles.ensemble_folder import Together

THEM = "the ensemble"


@dataclass(frozen=True, slots=True)
class ComparedOnDev:
    """The ensemble, cross-fitted, beside its members, on the data it is fitted on.

    Attributes:
        measure: measure of all figures.
        ensemble: its figure.
        members: the figure of each.
        best: the best member.
        gain: the ensemble minus that.
    """

    measure: str
    ensemble: Interval
    members: dict[str, Interval]
    best: str
    gain: Difference


class DevData(ABC):
    """Scores of an ensemble's members on labelled data.

    Attributes:
        kind: kind of the data.
        pairs: the texts that count as seen by the ensemble, in pairs.
    """

    kind: ClassVar[Together]
    pairs: Sequence[tuple[str, str]]
    classes: tuple[str, ...] = ()
    _judge: Judge

    @property
    def judge(self) -> Judge:
        """The judge of the data."""
        return self._judge

    @abstractmethod
    def ask(self, name: str, system: Any) -> None:
        """Ask a member, and keep its answers.

        Raises:
            UsageError: it can't on such data.
            DataError: a score isn't finite.
        """

    @abstractmethod
    def votes(self) -> Votes:
        """The scores of all members."""

    @abstractmethod
    def take(self, combined: Floats) -> None:
        """Give the judge an ensemble's scores, one for each row of :meth:`votes`."""

    def value(self, combined: Floats) -> float:
        """The main measure of an ensemble by its numbers."""
        self.take(combined)
        return self._judge.value(THEM)

    def compared(self, combined: Floats) -> ComparedOnDev:
        """The ensemble by its cross-fitted numbers beside the members."""
        self.take(combined)
        judge = self._judge
        figures = {name: judge.figures(name)[judge.main] for name in judge.names}
        best = judge.best([name for name in judge.names if name != THEM])
        ensemble = figures.pop(THEM)
        return ComparedOnDev(judge.main, ensemble, figures, best, judge.difference(THEM, best))
