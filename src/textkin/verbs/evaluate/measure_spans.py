"""Measure SQuAD predictions: the official scripts' figures, with intervals."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from textkin.data.readers.datasets.squad import read_squad
from textkin.data.readers.span_predictions import read_no_answer, read_predictions
from textkin.data.span_records import SpanSet
from textkin.kinds.pair_figures import Sampling
from textkin.kinds.span_grouping import GroupedBy
from textkin.kinds.squad_measures import MeasuredSpans, SpanPredictions, measure_predictions

Answers = Mapping[str, str] | Path | str
NoAnswer = Mapping[str, float] | Path | str


def spans_of(gold: SpanSet | Path | str, answers: Answers, no_answer: NoAnswer | None) -> SpanPredictions:
    """Questions with what was predicted; what is a path is read.

    Raises:
        DataError: a file is not what it must be.
    """
    return SpanPredictions(
        gold if isinstance(gold, SpanSet) else read_squad(gold, every=True).data,
        read_predictions(answers) if isinstance(answers, Path | str) else answers,
        read_no_answer(no_answer) if isinstance(no_answer, Path | str) else no_answer,
    )


def measure_spans(
    gold: SpanSet | Path | str,
    answers: Answers,
    *,
    no_answer: NoAnswer | None = None,
    threshold: float | None = None,
    threshold_from: tuple[SpanSet | Path | str, Answers, NoAnswer] | None = None,
    by: GroupedBy | str = GroupedBy.PARAGRAPH,
    sampling: Sampling | None = None,
) -> MeasuredSpans:
    """Measure predictions, see ``kinds.squad_measures.measure_predictions``.

    Raises:
        UsageError: an unknown ``by``, a threshold without probabilities, or probabilities for version 1.1.
        DataError: a file is not what it must be, or a prediction has no probability.
        LeakError: the threshold is from some of the measured questions.
    """
    return measure_predictions(
        spans_of(gold, answers, no_answer),
        threshold=threshold,
        dev=None if threshold_from is None else spans_of(*threshold_from),
        by=GroupedBy.of(by),
        sampling=sampling or Sampling(),
    )
