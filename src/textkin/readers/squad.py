"""SQuAD, versions 1.1 and 2.0: questions whose answers are spans of paragraphs, as one JSON document."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from textkin.readers.document import Node, read_document
from textkin.readers.pairs import EMPTY_TEXT
from textkin.readers.report import Loaded, SkipCounter
from textkin.readers.source import head
from textkin.records import Passage, Span, SpanQuestion, SpanSet

_MISPLACED = "answer that does not stand where its offset says"


def is_squad(path: Path) -> bool:
    """Whether this is a document of articles with paragraphs and questions."""
    start = b"" if path.is_dir() else head(path)
    return start.lstrip()[:1] == b"{" and all(
        key in start for key in (b'"paragraphs"', b'"context"', b'"qas"')
    )


def read_squad(path: Path | str) -> Loaded[SpanSet]:
    """Read SQuAD; offsets count characters (code points) of the paragraph.

    A paragraph's id is ``ARTICLE-PARAGRAPH``, both numbers from 0. Questions with an answer that is not at
    its offset, or with an empty text, are counted skips. Questions of version 2 that the paragraph does not
    answer have no answers; the plausible ones that they come with are not read.

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
            question = _question(item, passage.passage_id)
            if question.question_id in questions:
                raise item.fault(f"the id {question.question_id!r} comes twice", fix="make the ids unique")
            if any(not passage.text.startswith(span.text, span.start) for span in question.answers):
                counter.skip(counter.rows, _MISPLACED)
            elif not question.question.strip():
                counter.skip(counter.rows, EMPTY_TEXT)
            else:
                questions[question.question_id] = question
    data = SpanSet(passages, tuple(questions.values()), name=Path(path).name)
    return Loaded(data, counter.report(), "squad")


def _paragraphs(document: Node) -> Iterator[tuple[Passage, Node]]:
    for number, article in enumerate(document.member("data").items()):
        title = article.member("title")
        name = title.text() if title.is_there else ""
        for place, paragraph in enumerate(article.member("paragraphs").items()):
            yield Passage(f"{number}-{place}", name, paragraph.member("context").text()), paragraph


def _question(item: Node, passage_id: str) -> SpanQuestion:
    answers = []
    for answer in item.member("answers").items():
        start, text = answer.member("answer_start"), answer.member("text").text()
        if start.whole() < 0 or not text:
            raise answer.fault(f"answer {text[:40]!r} at {start.whole()}, expected text at an offset from 0")
        answers.append(Span(start.whole(), text))
    return SpanQuestion(
        question_id=item.member("id").text(),
        question=item.member("question").text(),
        passage_id=passage_id,
        answers=tuple(answers),
    )
