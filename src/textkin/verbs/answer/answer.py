"""``answer``: find the words in passages that answer a question."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from textkin.base.options import Option
from textkin.base.verbs import verb
from textkin.verbs.options import (
    AttentionFile,
    DecisionFile,
    Download,
    EncodingName,
    Heads,
    IdColumn,
    Layers,
    Quoting,
    TextColumn,
)

if TYPE_CHECKING:
    from textkin.verbs.answer.answers import Answers


Passages = Annotated[
    Any,
    Option(
        "One passage a line, a table, a document in SQuAD's format, or a folder of text files.",
        metavar="PASSAGES",
        command=Path,
        argument=True,
    ),
]
ReaderModel = Annotated[
    Any,
    Option(
        "A folder with a model that points at spans, a cached Hugging Face name, or a baseline: "
        "sentence-bm25, sentence-tfidf, sliding-window, ...",
        metavar="MODEL",
        command=str,
        argument=True,
    ),
]


@verb
def answer(
    question: Annotated[Any, Option("The question.", metavar="QUESTION", command=str)],
    /,
    passages: Passages,
    model: ReaderModel = "sentence-bm25",
    *,
    k: Annotated[int, Option("Maximum number of answers.", flag="-k", metavar="N", low=1)] = 1,
    most_passages: Annotated[
        int | None,
        Option("Read the N passages that BM25 ranks highest; 0 for all.", metavar="N", low=0, rare=True),
    ] = 100,
    text: TextColumn = None,
    id: IdColumn = None,
    decision: DecisionFile = None,
    attention: AttentionFile = None,
    layers: Layers = (),
    heads: Heads = (),
    quoting: Quoting = "auto",
    encoding: EncodingName = None,
    download: Download = False,
) -> Answers:
    """Find the words in passages that answer a question.

    Offsets count characters of the passage from 0. "no answer" comes first where its probability is above the
    calibrated threshold, or, for a model without one, where it scores as high as the best answer in every
    passage. The attention is that to the passage of the best answer.

    Returns:
        :class:`Answers`, a row per answer. ``question`` may be several, and ``passages`` a text or several, a
        frame, or a path.

    Raises:
        UsageError: a question is blank, or an option doesn't fit.
        DataError: the passages can't be read, or there are none.
        ModelError: the model can't be read, or points at no answers.
        OutputError: the attention can't be written.

    Example:
        >>> import textkin as tk
        >>> found = tk.answer("Where can I park?", ["We open at nine. Park behind the hall."])
        >>> found[0].answer
        'Park behind the hall.'
    """
    from dataclasses import replace

    from textkin.base.python_inputs import texts_of
    from textkin.kinds.systems import fetch_named
    from textkin.text.truncation_account import note_truncation
    from textkin.verbs.answer.answers import answer_questions, no_answer_to_show
    from textkin.verbs.inputs import passages_from, text_reading
    from textkin.verbs.use.attention import check_attention, write_attention

    check_attention(attention, layers, heads)
    reading = text_reading(text, id, quoting, encoding)
    known = passages_from(passages, reading)
    fetch_named(model, download=download)
    found = answer_questions(
        model,
        texts_of(question, name="question"),
        known,
        k=k,
        most_passages=most_passages or None,
        decision=decision,
    )
    note_truncation(found.truncation)
    found = replace(found, context=dict(zip(known.ids, known.texts, strict=True)))
    if attention is not None:
        best = found.questions[0].answers
        if not best:
            raise no_answer_to_show()
        pair = found.questions[0].question, found.context[best[0].passage_id]
        write_attention(attention, pair, model=model, layers=layers, heads=heads)
    return found
