"""Measure SQuAD predictions: the official scripts' figures, with intervals."""

from pathlib import Path
from typing import Any

from textkin.base.errors import invalid
from textkin.base.frames import column_names
from textkin.data.readers.datasets.squad import read_squad
from textkin.data.readers.span_predictions import read_no_answer, read_predictions
from textkin.data.span_records import SpanSet
from textkin.kinds.given_answers import ANSWERS, NO_ANSWER, by_question
from textkin.kinds.span_grouping import GroupedBy
from textkin.kinds.squad_measures import MeasuredSpans, SpanPredictions, measure_predictions
from textkin.measures.intervals.sampling import Sampling


def spans_of(gold: SpanSet | Path | str, answers: Any, no_answer: Any = None) -> SpanPredictions:
    """Questions with predictions; a path is read. Rows of predictions may hold the probabilities, too.

    Raises:
        UsageError: predictions or probabilities are of another form.
        DataError: a file has errors.
    """
    if no_answer is None and NO_ANSWER[0] in (column_names(answers) or ()):
        no_answer = answers
    found = by_question(answers, ANSWERS, read_predictions)
    told = None if no_answer is None else by_question(no_answer, NO_ANSWER, read_no_answer)
    if found is None:
        raise invalid("predictions", answers, expected="{id: answer}, rows with id and answer, or a file")
    if no_answer is not None and told is None:
        raise invalid("na_prob", no_answer, expected="{id: probability}, or a file")
    data = gold if isinstance(gold, SpanSet) else read_squad(gold, every=True).data
    return SpanPredictions(data, found, told)


def measure_spans(
    data: Any,
    *,
    gold: SpanSet | Path | str,
    no_answer: Any = None,
    threshold: float | None = None,
    threshold_from: tuple[Any, ...] | None = None,
    by: GroupedBy | str = GroupedBy.PARAGRAPH,
    sampling: Sampling | None = None,
) -> MeasuredSpans:
    """Measure SQuAD predictions as the official scripts do, with intervals.

    Args:
        data: question ids to answers, rows with both, or the path of a JSON file; "" stands for no answer.
        gold: the questions, or the path of a file of SQuAD. Its content says which version's rules hold.
        no_answer: for version 2.0: question ids to probabilities of no answer, or the path of such a file.
        threshold: of these, above which the answer is none; 1 if left out, as in the official script.
        threshold_from: gold, predictions and probabilities of other questions; exact match and F1 are then
            also given at the thresholds that are best there.
        by: "paragraph" or "article": which questions are drawn together for the intervals.
        sampling: the draws for intervals.

    Raises:
        UsageError: an unknown ``by``, a threshold without probabilities, or probabilities for version 1.1.
        DataError: a file has errors, or a prediction has no probability.
        LeakError: the threshold is from some of the measured questions.
    """
    return measure_predictions(
        spans_of(gold, data, no_answer),
        threshold=threshold,
        dev=None if threshold_from is None else spans_of(*threshold_from),
        by=GroupedBy.of(by),
        sampling=sampling or Sampling(),
    )
