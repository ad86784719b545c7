"""Questions of SQuAD with predictions, from dictionaries, data frames or files."""

from pathlib import Path
from typing import Any

from textkin.base.errors import invalid
from textkin.base.frames import column_names
from textkin.data.readers.datasets.squad import read_squad
from textkin.data.readers.span_predictions import read_no_answer, read_predictions
from textkin.data.span_records import SpanSet
from textkin.kinds.predicted_answers import ANSWERS, NO_ANSWER, by_question
from textkin.kinds.squad_measures import SpanPredictions


def spans_of(gold: Any, answers: Any, no_answer: Any = None) -> SpanPredictions:
    """Questions with predictions; a path is read. Rows of predictions may hold the probabilities, too.

    Raises:
        UsageError: questions, predictions or probabilities are of another form.
        DataError: a file has errors.
    """
    if not isinstance(gold, SpanSet | str | Path):
        raise invalid(
            "data", type(gold).__name__, expected="a file of questions about passages, or a SpanSet"
        )
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
