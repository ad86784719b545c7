"""``tk.measure`` and ``tk.measure_spans``: the official figures of files."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from textkin.base.argument_checks import checked
from textkin.base.python_inputs import several
from textkin.base.standard_streams import refuse_two_inputs
from textkin.data.records import Qrels, Run
from textkin.data.span_records import SpanSet
from textkin.kinds.pair_figures import Sampling
from textkin.kinds.span_grouping import GroupedBy
from textkin.kinds.squad_measures import MeasuredSpans
from textkin.verbs.evaluate.measure_run import MeasureResult
from textkin.verbs.evaluate.measure_run import measure as measure_run
from textkin.verbs.evaluate.measure_spans import Answers, NoAnswer
from textkin.verbs.evaluate.measure_spans import measure_spans as measure_answers


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


@checked
def measure_spans(
    data: Answers,
    *,
    gold: SpanSet | Path | str,
    no_answer: NoAnswer | None = None,
    threshold: float | None = None,
    threshold_from: tuple[SpanSet | Path | str, Answers, NoAnswer] | None = None,
    by: GroupedBy | str = GroupedBy.PARAGRAPH,
    sampling: Sampling | None = None,
) -> MeasuredSpans:
    """Measure SQuAD predictions as the official scripts do, with intervals.

    Args:
        data: question ids to answers, or the path of such a JSON file; "" stands for no answer.
        gold: the questions, or the path of a file of SQuAD. Its content says which version's rules hold.
        no_answer: for version 2.0: question ids to probabilities of no answer, or the path of such a file.
        threshold: of these, above which the answer is none; 1 if left out, as in the official script.
        threshold_from: gold, predictions and probabilities of other questions; exact match and F1 are then
            also told at the thresholds that are best there.
        by: "paragraph" or "article": which questions are drawn together for the intervals.
        sampling: of the intervals.

    Raises:
        UsageError: an unknown ``by``, a threshold without probabilities, or probabilities for version 1.1.
        DataError: a file is not what it must be, or a prediction has no probability.
        LeakError: the threshold is from some of the measured questions.

    Example:
        >>> import textkin as tk
        >>> passage = tk.Passage("0-0", "Ada", "Ada met Bob.")
        >>> asked = tk.SpanQuestion("q1", "Who met Bob?", "0-0", (tk.Span(0, "Ada"),))
        >>> data = tk.SpanSet({"0-0": passage}, (asked,))
        >>> tk.measure_spans({"q1": "ADA!"}, gold=data).official
        {'exact_match': 100.0, 'f1': 100.0}
    """
    return measure_answers(
        gold,
        data,
        no_answer=no_answer,
        threshold=threshold,
        threshold_from=threshold_from,
        by=by,
        sampling=sampling,
    )
