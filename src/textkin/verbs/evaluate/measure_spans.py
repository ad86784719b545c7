"""Measure SQuAD predictions: the official scripts' figures, with intervals."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from textkin.data.readers.datasets.squad import read_squad
from textkin.data.readers.span_predictions import read_no_answer, read_predictions
from textkin.data.span_records import SpanSet
from textkin.kinds.pair_figures import Sampling
from textkin.kinds.span_grouping import GroupedBy
from textkin.kinds.squad_measures import MeasuredSpans, SpanPredictions, measure_predictions

Answers = Mapping[str, str] | Path | str
NoAnswer = Mapping[str, float] | Path | str


def spans_of(gold: SpanSet | Path | str, answers: Answers, no_answer: NoAnswer | None) -> SpanPredictions:
    """Questions with predictions; a path is read.

    Raises:
        DataError: a file has errors.
    """
    return SpanPredictions(
        gold if isinstance(gold, SpanSet) else read_squad(gold, every=True).data,
        read_predictions(answers) if isinstance(answers, Path | str) else answers,
        read_no_answer(no_answer) if isinstance(no_answer, Path | str) else no_answer,
    )


def measure_spans(
    data: Answers,
    *,
    gold: SpanSet | Path | str,
    no_answer: NoAnswer | None = None,
    threshold: float | None = None,
    threshold_from: tuple[Any, ...] | None = None,
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
