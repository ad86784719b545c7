"""``tk.measure``: measure one run against judgements."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

from textkin.base.options import Option
from textkin.base.verbs import verb
from textkin.verbs.options import DropIdenticalIds, Measures, Resamples, Seed

if TYPE_CHECKING:
    from textkin.verbs.evaluate.measure_run import MeasureResult

_Run = Annotated[
    Any,
    Option(
        "The run: {query: {document: score}}, a data frame, rows (query, document, score), or a TREC file."
    ),
]
_Qrels = Annotated[
    Any,
    Option("The judgements: {query: {document: relevance}}, a data frame, rows, or a TREC file."),
]


@verb
def measure(
    run: _Run,
    /,
    qrels: _Qrels,
    *,
    measures: Measures = ("official",),
    drop_identical_ids: DropIdenticalIds = False,
    resamples: Resamples = 1000,
    seed: Seed = 0,
) -> MeasureResult:
    """Measure a run against judgements, with intervals.

    Every judged query counts. One that the run lacks scores zero. Measures have the names of trec_eval,
    ir_measures or ranx; "official" stands for trec_eval's usual ones. A data frame has the columns query_id,
    doc_id, and score or relevance. To test the differences of several runs, give them to compare.

    Raises:
        UsageError: no measure is given, or one is unknown.
        DataError: a file can't be read, or the run shares no query with the judgements.

    Example:
        >>> import textkin as tk
        >>> found = tk.measure({"q1": {"d1": 2.0, "d2": 1.0}}, {"q1": {"d2": 1}}, measures=["mrr", "P@5"])
        >>> found["mrr"], found["P@5"]
        (0.5, 0.2)
    """
    from textkin.verbs.evaluate.measure_run import measure as measured

    return measured(
        run, qrels, measures, drop_identical_ids=drop_identical_ids, resamples=resamples, seed=seed
    )
