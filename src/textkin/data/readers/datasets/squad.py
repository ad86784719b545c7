"""SQuAD, versions 1.1 and 2.0: questions whose answers are spans of paragraphs, as one JSON document."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path

from textkin.base.errors import DataError
from textkin.base.paths import is_folder, name_of
from textkin.data.readers.json_document import Node, read_document
from textkin.data.readers.read_report import Loaded, SkipCounter
from textkin.data.readers.table import EMPTY_TEXT
from textkin.data.readers.text_files import head
from textkin.data.span_records import Passage, Span, SpanQuestion, SpanSet

_MISPLACED = "answer that does not stand where its offset says"
_BEYOND = "answer whose offset is beyond the passage"
_NO_PASSAGE = "empty passage"
_FAR = 1 << 26
_BARE = re.compile(rb'"(data|paragraphs)"\s*:\s*\[\s*\]')


def is_squad(path: Path) -> bool:
    """Whether this is a document of articles with paragraphs and questions, or of none."""
    start = _start(path)
    return (b'"context"' in start and b'"qas"' in start) or _is_bare(path)


def is_contexts(path: Path) -> bool:
    """Whether this is such a document with the paragraphs' texts alone, as ``phrases split`` writes it."""
    start = _start(path)
    return b'"context"' in start and b'"qas"' not in start


def read_squad(path: Path | str, *, every: bool = False) -> Loaded[SpanSet]:
    """Read SQuAD; offsets count characters (code points) of the paragraph.

    A paragraph's id is ``ARTICLE-PARAGRAPH``, both numbers from 0. Questions with an answer that is not at
    its offset, with an empty text, or about an empty paragraph are counted skips. Questions of version 2 that
    the paragraph does not answer have no answers; the plausible ones that they come with are not read.

    Args:
        path: the file.
        every: keep all questions and their answers as they are, wherever they stand, since the official
            scripts count them too.

    Raises:
        DataError: the file is no JSON of this form, or a question's id comes twice.
    """
    document = read_document(path)
    counter = SkipCounter(path, unit="question")
    passages: dict[str, Passage] = {}
    questions: dict[str, SpanQuestion] = {}
    for passage, paragraph in _paragraphs(document):
        passages[passage.passage_id] = passage
        for item in paragraph.member("qas").items():
            counter.rows += 1
            question = _question(item, passage.passage_id, checked=not every)
            if question.question_id in questions:
                raise item.fault(f"the id {question.question_id!r} comes twice", fix="make the ids unique")
            reason = "" if every else _objection(question, passage)
            if reason:
                counter.skip(counter.rows, reason, question.question_id)
            else:
                questions[question.question_id] = question
    data = SpanSet(passages, tuple(questions.values()), name=name_of(path))
    return Loaded(data, counter.report(), "squad")


def occurrences(text: str, answer: str) -> list[int]:
    """The offsets of all places where an answer stands in a text as whole words.

    A letter or digit at either end of the answer has no further one beside it there: "art" is not in "party".
    Places may overlap.

    Raises:
        DataError: the answer is empty.
    """
    if not answer:
        raise DataError("an empty answer stands nowhere", fix="leave it out")
    found, start = [], text.find(answer)
    while start >= 0:
        if not _goes_on(text, start) and not _goes_on(text, start + len(answer)):
            found.append(start)
        start = text.find(answer, start + 1)
    return found


def ambiguous(data: SpanSet) -> frozenset[str]:
    """The ids of the questions whose first answer stands in the passage repeatedly.

    Whole words only. Which place the annotator meant can't be known: SQuAD's files give the first one.
    """
    return frozenset(
        one.question_id
        for one in data
        if one.answers
        and len({one.answers[0].start, *occurrences(data.passages[one.passage_id].text, one.answers[0].text)})
        > 1
    )


def article_of(passage_id: str) -> str:
    """The article that a passage is from: what stands before the hyphen of its id."""
    return passage_id.partition("-")[0]


def without_questions(path: Path | str) -> DataError:
    """The error of a document that asks nothing."""
    return DataError("holds no questions", path=path, fix="give a file whose paragraphs have some in qas")


def _start(path: Path) -> bytes:
    """So much of a document of articles that questions are seen, where it has any; "" of anything else.

    The first context may be a whole book, with the questions behind it.
    """
    start = b"" if is_folder(path) else head(path)
    if start.lstrip()[:1] != b"{" or b'"data"' not in start or b'"paragraphs"' not in start:
        return b""
    whole = b'"context"' in start and b'"qas"' in start
    return start if whole else head(path, size=_FAR)


def _is_bare(path: Path) -> bool:
    """Whether this is a document of articles that has no articles, or articles that have no paragraphs."""
    start = b"" if is_folder(path) else head(path)
    if start.lstrip()[:1] != b"{" or not _BARE.search(start):
        return False
    try:
        document = json.loads(start)
    except (ValueError, RecursionError):  # longer than what was read, so it holds something, or no JSON
        return False
    articles = document.get("data")
    return isinstance(articles, list) and all(
        isinstance(article, dict) and article.get("paragraphs") == [] for article in articles
    )


def _goes_on(text: str, place: int) -> bool:
    """Whether a word goes on across the place between two characters."""
    return 0 < place < len(text) and _is_word(text[place - 1]) and _is_word(text[place])


def _is_word(character: str) -> bool:
    return character.isalnum() or character == "_"


def _objection(question: SpanQuestion, passage: Passage) -> str:
    """Why a question can't be learnt from, or ""."""
    if not passage.text.strip():
        return _NO_PASSAGE
    if any(span.end > len(passage.text) for span in question.answers):
        return _BEYOND
    if any(not passage.text.startswith(span.text, span.start) for span in question.answers):
        return _MISPLACED
    return "" if question.question.strip() else EMPTY_TEXT


def _paragraphs(document: Node) -> Iterator[tuple[Passage, Node]]:
    for number, article in enumerate(document.member("data").items()):
        for place, paragraph in enumerate(article.member("paragraphs").items()):
            text = paragraph.member("context").text()
            yield Passage(f"{number}-{place}", title_of(article), text), paragraph


def title_of(article: Node) -> str:
    """The title of an article, "" where it has none."""
    title = article.member("title")
    return title.text() if title.is_there else ""


def _question(item: Node, passage_id: str, *, checked: bool) -> SpanQuestion:
    answers = []
    for answer in item.member("answers").items():
        start, text = answer.member("answer_start"), answer.member("text").text()
        if checked and (start.whole() < 0 or not text):
            raise answer.fault(f"answer {text[:40]!r} at {start.whole()}, expected text at an offset from 0")
        answers.append(Span(start.whole(), text))
    impossible = item.member("is_impossible")
    return SpanQuestion(
        question_id=item.member("id").text(),
        question=item.member("question").text(),
        passage_id=passage_id,
        answers=tuple(answers),
        is_impossible=impossible.is_there and impossible.flag(),
    )
