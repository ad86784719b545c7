"""Judges, which measure systems on one kind of data.

A judge takes one system after another, then makes the table: metrics with intervals, and differences from a
reference. Each kind of data has its own module: ``pair_judge.py``, ``class_judge.py``, ``ranking_judge.py``,
``duplicates_judge.py``, ``span_judge.py``, ``choice_judge.py``.
"""

import math
from abc import ABC, abstractmethod
from collections.abc import Container, Sequence
from pathlib import Path
from typing import ClassVar

import numpy as np

from textkin.base.errors import DataError, invalid
from textkin.data.protocols import Scorer, System
from textkin.measures.intervals.bootstrap import Interval
from textkin.measures.intervals.paired_tests import Difference, holm, least_p, smallest_difference
from textkin.measures.intervals.sampling import Sampling
from textkin.measures.intervals.seed_variation import over_seeds
from textkin.report.content import Estimate, ReferenceDifference, SystemRow, Systems
from textkin.report.figure_words import LEVEL
from textkin.text.baselines.names import BASELINES


class Judge(ABC):
    """Base class of judges, which measure systems on one data set.

    Attributes:
        kind: "pairs", "candidates", "collection", "duplicates", "spans" or "choices".
        known: the baselines for this kind of data.
        baselines: those of them that suit these data without further input.
        main: the name of the main measure.
        sampling: settings of intervals and tests.
    """

    kind: ClassVar[str]
    known: ClassVar[tuple[str, ...]] = BASELINES
    baselines: tuple[str, ...]
    main: str
    sampling: Sampling

    @property
    @abstractmethod
    def texts(self) -> list[str]:
        """The distinct texts of the data, for baselines that need word frequencies."""

    @property
    @abstractmethod
    def names(self) -> list[str]:
        """The systems taken so far, in order."""

    @abstractmethod
    def take(self, name: str, *seeds: System) -> None:
        """Run a system, with each of its seeds, on the data, and keep the result.

        Raises:
            UsageError: such a system can't be measured on such data.
        """

    @abstractmethod
    def figures(self, name: str) -> dict[str, Interval]:
        """Every metric of a system, the main one first."""

    @abstractmethod
    def difference(self, name: str, reference: str, *, tests: int = 1) -> Difference:
        """A system minus its reference in the main measure; ``tests``: the number of tests to correct for."""

    @abstractmethod
    def value(self, name: str) -> float:
        """The main measure of a system."""

    @abstractmethod
    def by_seed(self, name: str) -> list[float]:
        """The main measure of a system for each seed; one value for a baseline."""

    @abstractmethod
    def sizes(self) -> dict[str, int]:
        """The counts named by ``Systems``."""

    @abstractmethod
    def notes(self) -> tuple[str, ...]:
        """Notes for readers of the table."""

    @abstractmethod
    def write(self, folder: Path) -> None:
        """Write the data needed to recompute the metrics."""

    @abstractmethod
    def read(self, folder: Path, names: Sequence[str]) -> None:
        """Read these systems' results from the files of :meth:`write`.

        Raises:
            DataError: a file is corrupt, or lacks a system.
        """

    def objection_to(self, name: str, *seeds: System) -> str:
        """Take a system, and return the reason if it can't be measured, "" otherwise."""
        try:
            self.take(name, *seeds)
        except DataError as error:
            return error.message
        return ""

    def fair(self, names: Sequence[str]) -> list[str]:
        """The systems that others may be compared with; :meth:`notes` explains exclusions."""
        return list(names)

    def strongest_baseline(self, trained: Container[str]) -> str:
        """The best fair untrained system on these data, the reference of every verdict.

        Args:
            trained: the names of the trained systems.
        """
        return self.best(self.fair([name for name in self.names if name not in trained]))

    def best(self, names: Sequence[str]) -> str:
        """The system with the highest main measure; ties go to the first."""
        return max(names, key=self.value)

    def table(self, *references: str, trained: Sequence[str]) -> Systems:
        """All systems, compared with each reference; p values are corrected over all these tests.

        The detectable difference is that of the trained system (without one, of any) that is easiest to
        distinguish from the first reference, at the level of the strictest correction. There is none if no
        test can give such a small p.
        """
        asked = [(name, reference) for reference in references for name in self.names if name != reference]
        found = {pair: self.difference(*pair, tests=len(asked)) for pair in asked}
        least = min((least_p(one.rounds, one.n) for one in found.values()), default=0.0) * len(asked)
        corrected = holm(np.array([one.p for one in found.values()])).tolist()
        against = {
            key: ReferenceDifference(estimate(one), p, decidable=least < LEVEL)
            for (key, one), p in zip(found.items(), corrected, strict=True)
        }
        rows = [
            SystemRow(
                name=name,
                trained=name in trained,
                measures={key: estimate(value) for key, value in self.figures(name).items()},
                seeds_sd=over_seeds(self.by_seed(name)).sd,
                against={
                    reference: against[name, reference]
                    for reference in references
                    if (name, reference) in against
                },
            )
            for name in self.names
        ]
        differing = {
            name: one.standard_error
            for (name, reference), one in found.items()
            if reference == references[0] and one.standard_error > 0
        }
        errors = [differing[name] for name in differing if name in trained] or list(differing.values())
        sizes = self.sizes()
        return Systems(
            rows=tuple(rows),
            references=references,
            detectable=smallest_difference(min(errors), level=LEVEL / len(found))
            if errors and least < LEVEL
            else None,
            least_p=min(least, 1.0) if found else None,
            pairs=sizes.get("pairs"),
            queries=sizes.get("queries"),
            questions=sizes.get("questions"),
            components=sizes.get("components"),
        )


def estimate(found: Interval | Difference) -> Estimate:
    """A value with its interval in the report's form; without one if a single unit makes it meaningless."""
    ends = found.low, found.high
    return Estimate(found.value, *ends) if all(map(math.isfinite, ends)) else Estimate(found.value)


def as_scorer(name: str, system: System) -> Scorer:
    """The system, if it gives scores.

    Raises:
        UsageError: it only gives classes.
    """
    if isinstance(system, Scorer):
        return system
    raise invalid(
        "models",
        name,
        expected="models that give scores",
        fix=f"or pairs labelled with its classes: {', '.join(system.labels)}",
    )
