"""``tk.answer``: which words of which passage answer a question."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from textkin.base.argument_checks import checked
from textkin.base.python_inputs import path_of, texts_of
from textkin.data.protocols import SpanReader
from textkin.data.readers import TextReading
from textkin.data.readers.passages import read_passages
from textkin.data.readers.texts import Texts
from textkin.verbs.answer.answer import MOST_PASSAGES, Answers
from textkin.verbs.answer.answer import answer as answer_questions


@checked
def answer(
    questions: str | Sequence[str],
    *,
    passages: Path | str | Sequence[str],
    model: str | Path | SpanReader,
    k: int = 1,
    most_passages: int | None = MOST_PASSAGES,
    decision: Path | str | None = None,
    reading: TextReading | None = None,
) -> Answers:
    """Find the answers to questions in passages.

    Args:
        questions: one, or several.
        passages: a text, or several, whose ids are their numbers from 1; or the path of a file of texts, of a
            document in SQuAD's form, or of a folder of text files.
        model: a folder with a reader of spans, a baseline of spans such as ``sentence-bm25``, or an object
            with ``name`` and ``read(questions, passages, k)``.
        k: answers of each question, at most.
        most_passages: that are read for a question, by BM25; None for all.
        decision: a file of ``calibrate`` for this model, whose rule of no answer is to be used.
        reading: how a file of passages is read.

    Raises:
        UsageError: a number is below 1.
        DataError: the passages can't be read, or there are none.
        ModelError: the model can't be read, or points at no answers.

    Example:
        >>> import textkin as tk
        >>> hall = ["We open at nine. Park behind the hall."]
        >>> found = tk.answer("Where can I park?", passages=hall, model="sentence-tfidf")
        >>> found.questions[0].answers[0].text
        'Park behind the hall.'
    """
    asked = texts_of(questions, name="questions")
    if (path := path_of(passages, or_text=True)) is not None:
        found = read_passages(path, reading=reading).data
    else:
        texts = texts_of(passages, name="passages")
        found = Texts(tuple(str(number) for number in range(1, len(texts) + 1)), tuple(texts))
    return answer_questions(model, asked, found, k=k, most_passages=most_passages, decision=decision)
