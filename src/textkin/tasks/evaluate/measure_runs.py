"""Measure several TREC runs against the same judgements, and test their differences."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import final

from textkin.errors import UsageError, did_you_mean
from textkin.evaluation.given_runs import GivenRun, take_given
from textkin.evaluation.runs_judge import RunsJudge
from textkin.evaluation.test_set import Sampling
from textkin.readers.trec import read_qrels
from textkin.records import Qrels
from textkin.report.content import Systems
from textkin.report.tables import system_rows, systems_caption, systems_grid
from textkin.results import Result, ResultRow, Table


@final
@dataclass(frozen=True, slots=True, eq=False, repr=False)
class MeasuredRuns(Result):
    """What several runs score.

    Attributes:
        measure: the main measure: differences and tests are of it.
        systems: the table.
        rival: the run that the others are compared with.
        notes: what a reader of the table must know, such as queries that a run lacks.

    Example:
        >>> import textkin as tk
        >>> qrels = tk.Qrels.from_dict({f"q{n}": {"good": 1} for n in range(20)})
        >>> right = tk.Run.from_dict({f"q{n}": {"good": 2.0, "bad": 1.0} for n in range(20)})
        >>> wrong = tk.Run.from_dict({f"q{n}": {"good": 1.0, "bad": 2.0} for n in range(20)})
        >>> found = tk.measure_runs({"a": right, "b": wrong}, qrels=qrels, measures=["RR"])
        >>> [row["RR"] for row in found.rows()]
        [1.0, 0.5]
    """

    measure: str
    systems: Systems
    rival: str
    notes: tuple[str, ...] = ()

    def _rows(self) -> Iterator[ResultRow]:
        yield from system_rows(self.systems, self.measure)

    def _table(self) -> Table:
        grid = systems_grid(self.systems, self.measure)
        return grid.header, grid.rows

    def _said(self) -> tuple[str, ...]:
        return (
            systems_caption(self.systems, self.measure),
            f"Differences are from {self.rival}; p values are corrected for their number (Holm).",
            *self.notes,
        )


def measure_runs(
    qrels: Qrels | Path | str,
    runs: Mapping[str, GivenRun],
    measures: Sequence[str] = (),
    *,
    against: str | None = None,
    drop_identical_ids: bool = False,
    sampling: Sampling | None = None,
) -> MeasuredRuns:
    """Read what are files, measure each run, and test the differences from one of them over the queries.

    Args:
        qrels: the judgements.
        runs: by the names that they get.
        measures: by textkin's names (``nDCG@10``) or trec_eval's; a few usual ones if none is given. The
            first that is a mean over queries is tested.
        against: the run that the others are compared with; the first if None.
        drop_identical_ids: leave out documents with the id of their query (BEIR's rule).
        sampling: of intervals and tests.

    Raises:
        UsageError: there are fewer than two runs, none is called ``against``, or a measure is not known.
        DataError: a file is not what it must be, or a run shares no query with the judgements.
    """
    if len(runs) < 2:
        raise UsageError("differences are between two runs or more", fix="give another run")
    rival = next(iter(runs)) if against is None else against
    if rival not in runs:
        raise UsageError(f"there is no run {rival!r}", fix=did_you_mean(rival, tuple(runs)))
    judged = qrels if isinstance(qrels, Qrels) else read_qrels(Path(qrels))
    judge = RunsJudge(judged, measures=measures, sampling=sampling or Sampling())
    notes = take_given(judge, runs, drop_identical_ids=drop_identical_ids)
    systems = replace(judge.table(rival, trained=()), runs=tuple(runs))
    return MeasuredRuns(judge.main, systems, rival, (*notes, *judge.notes()))
