"""``tk.measure``: trec_eval's figures of a run."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from textkin.inputs import several
from textkin.records import Qrels, Run
from textkin.tasks.evaluate.measure import MeasureResult
from textkin.tasks.evaluate.measure import measure as measure_run


def measure(
    data: Run | Path | str,
    *,
    qrels: Qrels | Path | str,
    measures: Sequence[str] = ("official",),
    drop_identical_ids: bool = False,
    resamples: int = 1000,
    seed: int = 0,
) -> MeasureResult:
    """Measure a run against judgements, with intervals.

    Args:
        data: the run, or the path of its TREC file.
        qrels: the judgements, or the path of theirs.
        measures: by textkin's names (``nDCG@10``) or trec_eval's; "official" for its usual ones.
        drop_identical_ids: leave out documents with the id of their query (BEIR's rule).
        resamples: of the bootstrap.
        seed: of it.

    Raises:
        UsageError: no measure is asked for, one has an unknown name, or ``resamples`` is out of range.
        DataError: a file is not what it must be.

    Example:
        >>> import textkin as tk
        >>> run = tk.Run.from_dict({"q1": {"d1": 2.0, "d2": 1.0}})
        >>> qrels = tk.Qrels.from_dict({"q1": {"d2": 1}})
        >>> tk.measure(run, qrels=qrels, measures=["RR"]).rows()[0]["value"]
        0.5
    """
    return measure_run(
        qrels,
        data,
        several(measures, "measures"),
        drop_identical_ids=drop_identical_ids,
        resamples=resamples,
        seed=seed,
    )
