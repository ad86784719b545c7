"""Answers from an index of phrases, which was made before the question was known."""

from pathlib import Path
from typing import Any

from textkin.base.python_inputs import count_of
from textkin.collection.phrases.search import PhraseHits
from textkin.verbs.answer.among_passages import FoundAnswer
from textkin.verbs.answer.answers import Answered, Answers, asked_in, require_words
from textkin.verbs.phrases.indexing import AskedIndex


def answer_from_index(question: Any, index: Path | str, *, k: int, model: str | None) -> Answers:
    """Answer one question or several by the nearest phrases of an index.

    Args:
        question: a question, several, or a frame.
        index: the folder of the index.
        k: answers of each question, at most.
        model: the new location of the index's encoder, if it was moved.

    Raises:
        UsageError: a question is blank, or ``k`` is below 1.
        DataError: the index was made by another encoder, or is broken.
        ModelError: the encoder isn't at its place.
    """
    count_of(k, "k")
    questions = asked_in(question)
    require_words(questions)
    with AskedIndex(Path(index), model=model) as asked:
        found = asked.ask(questions, k)
        passages = asked.index.facts.passages
        name = asked.index.model
    context = {hit.passage_id: hit.passage for one in found for hit in one.hits}
    answered = tuple(_answered(text, one) for text, one in zip(questions, found, strict=True))
    return Answers(name, answered, passages=passages, read=passages, context=context)


def _answered(question: str, found: PhraseHits) -> Answered:
    hits = () if found.is_none else found.hits
    answers = (FoundAnswer(one.passage_id, one.start, one.end, one.phrase, one.score) for one in hits)
    return Answered(question, tuple(answers))
