"""Measure several TREC runs against the same judgements, and test their differences."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from textkin.base.errors import unknown_choice
from textkin.base.python_inputs import a_path
from textkin.data.readers.trec import read_qrels
from textkin.data.records import Qrels
from textkin.kinds.foreign_runs import ranking_from
from textkin.kinds.measured_table import SystemTable
from textkin.kinds.runs_judge import RunsJudge
from textkin.kinds.systems import Predictions
from textkin.measures.intervals.sampling import Sampling
from textkin.measures.metrics.measure_names import named
from textkin.report.content import Systems


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class MeasuredRuns(SystemTable):
    """Metrics of several runs.

    Attributes:
        measure: the main measure: differences and tests are of it.
        systems: the table.
        reference: the reference run.
        notes: notes for the table, such as queries that a run lacks.

    Example:
        >>> import textkin as tk
        >>> qrels = tk.Qrels.from_dict({f"q{n}": {"good": 1} for n in range(20)})
        >>> right = tk.Run.from_dict({f"q{n}": {"good": 2.0, "bad": 1.0} for n in range(20)})
        >>> wrong = tk.Run.from_dict({f"q{n}": {"good": 1.0, "bad": 2.0} for n in range(20)})
        >>> found = tk.compare(qrels=qrels, models={"a": right, "b": wrong}, measures=["MRR"])
        >>> [row["MRR"] for row in found.rows()]
        [1.0, 0.5]
    """

    measure: str
    systems: Systems
    reference: str
    notes: tuple[str, ...] = ()

    def _tested(self) -> tuple[str, ...]:
        return (*SystemTable._tested(self), *self.notes)

    def _said(self) -> tuple[str, ...]:
        return self._tested()


def measure_runs(
    data: Mapping[str, Sequence[Predictions]],
    *,
    qrels: Qrels | Path | str,
    measures: Sequence[str] = (),
    against: str | None = None,
    drop_identical_ids: bool = False,
    sampling: Sampling | None = None,
) -> MeasuredRuns:
    """Measure several runs against the same judgements, and test their differences over the queries.

    Args:
        data: the runs of each system, one a seed, by the names that they get.
        qrels: the judgements, or the path of theirs.
        measures: by textkin's names (``nDCG@10``) or trec_eval's; None for MAP, MRR, P@10 and nDCG@10.
            The first that is a mean over queries is tested.
        against: the reference run; the first if None.
        drop_identical_ids: leave out documents with the id of their query (BEIR's rule).
        sampling: the draws for intervals and tests.

    Raises:
        UsageError: none is called ``against``, or a measure is not known.
        DataError: a file has errors, or a run shares no query with the judgements.
    """
    reference = next(iter(data)) if against is None else against
    if reference not in data:
        raise unknown_choice("against", reference, tuple(data))
    judged = qrels if isinstance(qrels, Qrels) else read_qrels(a_path(qrels, "qrels"))
    judge = RunsJudge(judged, measures=named(measures), sampling=sampling or Sampling())
    notes: list[str] = []
    for name, seeds in data.items():
        found = [ranking_from(judge, one, drop_identical_ids=drop_identical_ids) for one in seeds]
        judge.take(name, *(one.system for one in found))
        notes += (note for one in found for note in one.notes)
    systems = replace(judge.table(reference, trained=()), predictions=tuple(data))
    return MeasuredRuns(judge.main, systems, reference, (*notes, *judge.notes()))
