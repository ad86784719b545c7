"""``tk.measure`` and ``tk.measure_spans``: the official figures of files."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from textkin.base.argument_checks import checked
from textkin.base.python_inputs import several
from textkin.base.standard_streams import refuse_two_inputs
from textkin.data.records import Qrels, Run
from textkin.verbs.evaluate.measure import MeasureResult
from textkin.verbs.evaluate.measure import measure as measure_run


@checked
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
    refuse_two_inputs({"data": data, "qrels": qrels})
    return measure_run(
        qrels,
        data,
        several(measures, "measures"),
        drop_identical_ids=drop_identical_ids,
        resamples=resamples,
        seed=seed,
    )
