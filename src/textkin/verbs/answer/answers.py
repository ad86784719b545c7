"""Find the answers to questions in many passages, by reading those that are likeliest to hold them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Protocol, runtime_checkable

from textkin.base.counts import count
from textkin.base.errors import DataError, UsageError, invalid
from textkin.base.frames import column_names
from textkin.base.paths import exists
from textkin.base.python_inputs import count_of, path_of
from textkin.base.results import Result, ResultRow
from textkin.collection.collection import OpenCollection
from textkin.collection.open_collection import open_collection
from textkin.data.protocols import SpanReader
from textkin.data.readers import TextReading
from textkin.data.readers.datasets.squad_rows import has_span_columns
from textkin.data.readers.passages import passages_in, read_passages
from textkin.data.readers.read_report import note_read
from textkin.data.readers.texts import Texts
from textkin.data.span_answers import answers_by
from textkin.data.span_overlaps import overlapping
from textkin.data.span_records import SpanAnswer
from textkin.kinds.registry import records_of
from textkin.kinds.systems import fetch_named, reader_of
from textkin.measures.decisions.no_answer import NoAnswerRule
from textkin.text.truncation_account import ReadsQuestions, Truncation, note_truncation
from textkin.verbs.answer.among_passages import FoundAnswer, ReadPassage, best_answers, passages_to_read
from textkin.verbs.argument_order import is_collection, is_missing_file
from textkin.verbs.inputs import texts_from
from textkin.verbs.use.attention import check_attention, write_attention

_QUESTION_MARKS = ("?", "\uff1f", "\u061f")
_MORE = 8  # times as many spans of a passage, if too many of them overlap
_AROUND = 60  # characters beside an answer

MOST_PASSAGES = 100
"""Default number of passages read for a question."""


@runtime_checkable
class ComparesWords(Protocol):
    """A reader that finds answers by the words of their questions."""

    def nothing_in_common(self, question: str, passage: str, answer: SpanAnswer) -> bool:
        """Check that an answer shares no word with the question."""


@dataclass(frozen=True, slots=True)
class Answered:
    """The answers found for a question.

    Attributes:
        question: the question.
        answers: the best ones, best first; empty where nothing was found at all, or nothing that has a word
            in common with the question.
        no_answer: the probability that no passage holds an answer; None from a reader that takes for granted
            that there is one.
        threshold: above this probability the answer is none; None where no rule was fitted (``textkin
            calibrate``), and the answer is then none where the best one scores 0 or less.
        nothing_in_common: no passage has a word in common with the question, by which the reader looks.
    """

    question: str
    answers: tuple[FoundAnswer, ...]
    no_answer: float | None = None
    threshold: float | None = None
    nothing_in_common: bool = False

    @property
    def is_none(self) -> bool:
        """True for "no answer": by the threshold, or without one by the score of the best answer."""
        if not self.answers:
            return True
        if not self.no_answer:
            return False
        return self.answers[0].score <= 0 if self.threshold is None else self.no_answer > self.threshold


@dataclass(frozen=True, slots=True, repr=False)
class Answers(Result):
    """The answers to questions.

    Attributes:
        model: the reader's name in tables.
        questions: the answers for each, in their order.
        passages: number of passages.
        read: maximum number of passages read for a question.
        truncation: number of questions longer than the reader's maximum; None if unknown.
        context: the passages by id, for display.

    Example:
        >>> import textkin as tk
        >>> found = tk.answer("When do you open?", ["We open at nine."])
        >>> found[0].answer
        'nine'
    """

    model: str
    questions: tuple[Answered, ...]
    passages: int
    read: int
    truncation: Truncation | None = None
    context: Mapping[str, str] = field(default_factory=dict, repr=False)

    def text(self) -> str:
        """Each answer with the words around it."""
        shown = [line for one in self.questions for line in self._answered(one)]
        passages = count(self.passages, "passage")
        return "\n".join([*shown, "", f"{self.model} read {self.read:,} of {passages}"])

    def as_dict(self) -> dict[str, Any]:
        """The answers to each question, and the numbers of passages."""
        return self._fields("model", "questions", "passages", "read", "truncation")

    def _answered(self, answered: Answered) -> Iterator[str]:
        if answered.nothing_in_common:
            yield "no answer: no passage has anything in common with the question"
        elif answered.is_none:
            certain = "" if answered.no_answer is None else f"   probability {_share(answered.no_answer)}"
            yield f"no answer{certain}"
        for one in answered.answers:
            score = f"score {one.score:.4f}"
            likely = score if one.probability is None else f"probability {_share(one.probability)}"
            yield f"{' '.join(one.text.split())}   {likely}"
            place = f"passage {one.passage_id}, characters {one.start} to {one.end}"
            yield f"   {place}: {_around(one, self.context.get(one.passage_id, one.text))}"

    def _summary(self) -> str:
        first = next((one.answers[0].text for one in self.questions if not one.is_none), None)
        answer = "no answer" if first is None else repr(first)
        return f"{count(len(self.questions), 'question')}, {self.model}: {answer}"

    def _rows(self) -> Iterator[ResultRow]:
        """One row an answer; of a question whose answer is none, that comes first."""
        for one in self.questions:
            if one.is_none:
                yield {
                    "question": one.question,
                    "answer": "",
                    "score": None,
                    "probability": one.no_answer,
                    "passage": "",
                    "start": 0,
                    "end": 0,
                }
            for found in one.answers:
                yield {
                    "question": one.question,
                    "answer": found.text,
                    "score": found.score,
                    "probability": found.probability,
                    "passage": found.passage_id,
                    "start": found.start,
                    "end": found.end,
                }

    def _said(self) -> tuple[str, ...]:
        words = f"{self.model} read {self.read:,} of {self.passages:,} passages for a question"
        cut = "" if self.truncation is None else self.truncation.sentence()
        return (words, f"warning: {cut}") if cut else (words,)


def loaded_passages(data: Any, reading: TextReading) -> Texts:
    """The passages of a file, a folder, a collection, a sequence or a frame, with ids as texts.

    Raises:
        UsageError: they are none of these, or an id comes twice, as in a joined frame's index.
        DataError: the file or the collection can't be read.
    """
    if isinstance(data, OpenCollection):
        return _entries(data)
    if is_collection(data):
        with open_collection(data) as opened:
            return _entries(opened)
    if (path := path_of(data, or_text=True)) is not None:
        loaded = read_passages(path, reading=reading)
        note_read(loaded.report)
        return loaded.data
    columns = column_names(data)
    if columns is not None and reading.text is None and has_span_columns(list(map(str, columns))):
        return passages_in(records_of(data, {name: name for name in columns}), "passages")
    given = texts_from([data] if isinstance(data, str) else data, reading, name="passages")
    ids = given.told_apart("passages").ids
    numbered = isinstance(ids, range) or (given.index is not None and list(ids) == list(given.index))
    return Texts(tuple(map(str, ids)), tuple(given.texts), "passages", numbered)


def _entries(collection: OpenCollection) -> Texts:
    found = list(collection.store.entries())
    return Texts(
        tuple(one.entry_id for one in found), tuple(one.text for one in found), collection.store.place.name
    )


@dataclass(frozen=True, slots=True)
class AnswerOptions:
    """Options of answers from passages, by the names that they have in ``answer``."""

    k: int
    most_passages: int | None
    decision: Path | str | None
    attention: Path | None
    layers: Sequence[int]
    heads: Sequence[int]
    download: bool


def answer_given(
    question: Any, passages: Any, model: Any, reading: TextReading, options: AnswerOptions
) -> Answers:
    """Answer one question or several from passages, and write the attention if it is wanted.

    Raises:
        UsageError: there is no answer whose attention could be shown; or as :func:`answer_questions`.
        OutputError: the attention can't be written.
    """
    layers, heads = options.layers, options.heads
    check_attention(options.attention, layers, heads)
    _require_order(question, passages)
    known = loaded_passages(passages, reading)
    fetch_named(model, download=options.download)
    found = answer_questions(
        model,
        asked_in(question),
        known,
        k=options.k,
        most_passages=options.most_passages,
        decision=options.decision,
    )
    note_truncation(found.truncation)
    found = replace(found, context=dict(zip(known.ids, known.texts, strict=True)))
    if options.attention is not None:
        best = found.questions[0].answers
        if not best:
            raise UsageError(
                "no answer was found to look at", fix="give passages with other words", params=("attention",)
            )
        pair = found.questions[0].question, found.context[best[0].passage_id]
        write_attention(options.attention, pair, model=model, layers=layers, heads=heads)
    return found


def _require_order(question: Any, passages: Any) -> None:
    """Check that a question doesn't stand in the place of the passages.

    Raises:
        UsageError: it does.
    """
    if is_collection(passages) or not is_missing_file(passages):
        return
    text = str(passages)
    is_place = is_collection(question) or (isinstance(question, str | Path) and exists(question))
    is_question = not isinstance(question, str) and text.rstrip().endswith(_QUESTION_MARKS)
    if is_place or is_question:
        fix = "give the question first, then the passages"
        raise invalid("passages", text, expected="texts to look in", fix=fix)


def asked_in(data: Any) -> Sequence[str]:
    """One question or several; of a frame the column that is called so, or its texts."""
    column = "question" if "question" in (column_names(data) or ()) else None
    asked = [data] if isinstance(data, str) else data
    return texts_from(asked, TextReading(text=column), name="question").texts


def require_words(questions: Sequence[str]) -> None:
    """Check that no question is blank.

    Raises:
        UsageError: one is.
    """
    if not all(one.strip() for one in questions):
        raise invalid("question", "", expected="words")


def answer_questions(
    model: str | Path | SpanReader,
    questions: Sequence[str],
    passages: Texts,
    *,
    k: int = 1,
    most_passages: int | None = MOST_PASSAGES,
    decision: Path | str | None = None,
) -> Answers:
    """Read passages for each question, and put the answers of all of them in one order.

    Of more than ``most_passages`` those are read that BM25 ranks highest for the question; one that shares no
    word with it is left unread then.

    Each passage counts as one of many (see ``among_passages.py``). A threshold decides by the probability
    that no passage holds an answer.

    Args:
        model: a folder with a reader of spans, a baseline of spans, or an object.
        questions: the questions.
        passages: the passages to search for answers.
        k: answers of each question, at most.
        most_passages: that are read for a question; None for all.
        decision: a file of ``calibrate`` for this reader: its rule of no answer stands for the model's own.

    Raises:
        UsageError: a number is below 1, or a question is blank.
        ModelError: the folder can't be read, or holds another kind of model; or the decision is another's.
        DataError: there are no passages.
    """
    count_of(k, "k")
    require_words(questions)
    if most_passages is not None:
        count_of(most_passages, "most_passages")
    if not any(map(str.strip, passages.texts)):
        raise DataError(
            "there are no passages to look in", fix="give at least one with words", params=("passages",)
        )
    reader = reader_of(model, fit_texts=passages.texts, decision=decision)
    rule: NoAnswerRule | None = getattr(reader, "no_answer", None)
    threshold = None if rule is None else rule.threshold
    chosen = passages_to_read(questions, passages.texts, most_passages)
    asked = [(one, place) for one, places in zip(questions, chosen, strict=True) for place in places]
    texts = [passages.texts[place] for _, place in asked]
    found = answers_by(reader, [question for question, _ in asked], texts, k=overlapping(k))
    if isinstance(reader, ComparesWords):
        found = [
            [one for one in spans if one.text and not reader.nothing_in_common(question, text, one)]
            for (question, _), text, spans in zip(asked, texts, found, strict=True)
        ]
    read = iter(found)
    answered = []
    for question, ranks in zip(questions, chosen, strict=True):
        of_question = [
            ReadPassage(passages.ids[place], rank, next(read), is_calibrated=rule is not None)
            for place, rank in ranks.items()
        ]
        best = best_answers(of_question, k)
        if k > 1 and len(best[0]) < k:
            best = best_answers(_with_more(reader, question, of_question, passages, k=k), k)
        answered.append(Answered(question, *best, threshold))
    if isinstance(reader, ComparesWords):
        answered = [replace(one, nothing_in_common=not one.answers) for one in answered]
    return Answers(
        model=reader.name,
        questions=tuple(answered),
        passages=len(passages),
        read=max((len(places) for places in chosen), default=0),
        truncation=reader.question_truncation(questions) if isinstance(reader, ReadsQuestions) else None,
    )


def _with_more(
    reader: SpanReader, question: str, read: Sequence[ReadPassage], passages: Texts, *, k: int
) -> list[ReadPassage]:
    """Read passages again for more spans, where too many overlap, until ``k`` don't or there are no more."""
    texts = dict(zip(passages.ids, passages.texts, strict=True))
    found, depth = list(read), overlapping(k)
    while full := [place for place, one in enumerate(found) if len(one.spans) >= depth]:
        depth *= _MORE
        again = [texts[found[place].passage_id] for place in full]
        spans = answers_by(reader, [question] * len(full), again, k=depth)
        for place, more in zip(full, spans, strict=True):
            found[place] = replace(found[place], spans=more)
        if len(best_answers(found, k)[0]) >= k:
            break
    return found


def _share(probability: float) -> str:
    """Three places, and small ones by their size."""
    return f"{probability:.3f}" if probability >= 0.001 or not probability else f"{probability:.1e}"


def _around(found: FoundAnswer, text: str) -> str:
    """The answer in brackets, in the middle of its passage."""
    before, after = text[max(0, found.start - _AROUND) : found.start], text[found.end : found.end + _AROUND]
    head = "..." if found.start > _AROUND else ""
    tail = "..." if found.end + _AROUND < len(text) else ""
    return " ".join(f"{head}{before}[{found.text}]{after}{tail}".split())
