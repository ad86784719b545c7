"""SQuAD, versions 1.1 and 2.0: questions whose answers are spans of paragraphs, in JSON."""

import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from textkin.base.errors import DataError
from textkin.base.paths import is_folder, name_of
from textkin.data.readers.datasets.squad_rows import is_span_rows, read_span_rows
from textkin.data.readers.json_document import Node, read_document
from textkin.data.readers.read_report import Loaded, SkipCounter
from textkin.data.readers.span_checks import objection_to, occurrences
from textkin.data.readers.text_files import head
from textkin.data.span_records import Passage, Span, SpanQuestion, SpanSet

_FAR = 1 << 26
_IN_MEMORY = "questions"  # the name of a document in memory
_BARE = re.compile(rb'"(data|paragraphs)"\s*:\s*\[\s*\]')


def is_squad(path: Path) -> bool:
    """True if this is a document of articles with paragraphs and questions, or a table of questions."""
    return _is_document(path) or is_span_rows(path)


def _is_document(path: Path) -> bool:
    """True if this is a document of articles with paragraphs and questions, or an empty one."""
    start = _start(path)
    return (b'"context"' in start and b'"qas"' in start) or _is_bare(path)


def is_contexts(path: Path) -> bool:
    """True if this is a document of articles without questions, as written by ``phrases split``."""
    start = _start(path)
    return b'"context"' in start and b'"qas"' not in start


def read_squad(path: Path | str, *, every: bool = False) -> Loaded[SpanSet]:
    """Read SQuAD, a document or a table; offsets are in characters (code points) of the paragraph.

    A paragraph's id is ``ARTICLE-PARAGRAPH``, both numbers from 0. Questions with an answer that is not at
    its offset, with an empty text, or about an empty paragraph are skipped and counted. Unanswerable
    questions of version 2 have no answers; their plausible answers are not read.

    Args:
        path: the file.
        every: True to keep all questions and answers unchanged, even invalid ones, since the official scripts
            count them.

    Raises:
        DataError: the file is not JSON of this form, or a question's id is repeated.
    """
    if not _is_document(Path(path)) and is_span_rows(path):
        return read_span_rows(path)
    counter = SkipCounter(path, unit="question")
    data = _spans(read_document(path), counter, every=every)
    return Loaded(data, counter.report(), "squad")


def is_squad_document(data: object) -> bool:
    """True for a document of articles with paragraphs, as ``json.load`` gives it."""
    articles = data.get("data") if isinstance(data, Mapping) else None
    return isinstance(articles, list) and all(
        isinstance(one, dict) and "paragraphs" in one for one in articles
    )


def squad_of(document: Mapping[str, Any]) -> SpanSet:
    """The questions of a document in memory.

    Raises:
        DataError: it is not of this form, has no questions, or :func:`read_squad` would skip one.
    """
    counter = SkipCounter(_IN_MEMORY, unit="question")
    data = _spans(Node(dict(document), Path(_IN_MEMORY)), counter, every=False)
    for reason in counter.report().skipped:
        raise DataError(
            f"a question can't be read: {reason}", path=_IN_MEMORY, fix="repair it, or leave it out"
        )
    if not len(data):
        raise without_questions(_IN_MEMORY)
    return data


def _spans(document: Node, counter: SkipCounter, *, every: bool) -> SpanSet:
    passages: dict[str, Passage] = {}
    questions: dict[str, SpanQuestion] = {}
    for passage, paragraph in _paragraphs(document):
        passages[passage.passage_id] = passage
        for item in paragraph.member("qas").items():
            counter.rows += 1
            question = _question(item, passage.passage_id, checked=not every)
            if question.question_id in questions:
                raise item.fault(f"the id {question.question_id!r} comes twice", fix="make the ids unique")
            reason = "" if every else objection_to(question, passage)
            if reason:
                counter.skip(counter.rows, reason, question.question_id)
            else:
                questions[question.question_id] = question
    return SpanSet(passages, tuple(questions.values()), name=name_of(document.path))


def ambiguous(data: SpanSet) -> frozenset[str]:
    """The ids of the questions whose first answer occurs several times in the passage.

    Only whole words count. The occurrence that the annotator meant is unknown: SQuAD's files contain the
    first one.
    """
    return frozenset(
        one.question_id
        for one in data
        if one.answers
        and len({one.answers[0].start, *occurrences(data.passages[one.passage_id].text, one.answers[0].text)})
        > 1
    )


def article_of(passage_id: str) -> str:
    """The article of a passage: the part of its id before the hyphen."""
    return passage_id.partition("-")[0]


def without_questions(path: Path | str) -> DataError:
    """The error for a document without questions."""
    return DataError("holds no questions", path=path, fix="give a file whose paragraphs have some in qas")


def _start(path: Path) -> bytes:
    """The start of a document of articles, up to its first questions; "" for any other file.

    The first context may be a whole book, followed by its questions.
    """
    start = b"" if is_folder(path) else head(path)
    if start.lstrip()[:1] != b"{" or b'"data"' not in start or b'"paragraphs"' not in start:
        return b""
    whole = b'"context"' in start and b'"qas"' in start
    return start if whole else head(path, size=_FAR)


def _is_bare(path: Path) -> bool:
    """True if this is a document without articles, or whose articles have no paragraphs."""
    start = b"" if is_folder(path) else head(path)
    if start.lstrip()[:1] != b"{" or not _BARE.search(start):
        return False
    try:
        document = json.loads(start)
    except (ValueError, RecursionError):  # longer than the part read, so it isn't empty, or not JSON
        return False
    articles = document.get("data")
    return isinstance(articles, list) and all(
        isinstance(article, dict) and article.get("paragraphs") == [] for article in articles
    )


def _paragraphs(document: Node) -> Iterator[tuple[Passage, Node]]:
    for number, article in enumerate(document.member("data").items()):
        for place, paragraph in enumerate(article.member("paragraphs").items()):
            text = paragraph.member("context").text()
            yield Passage(f"{number}-{place}", title_of(article), text), paragraph


def title_of(article: Node) -> str:
    """The title of an article, "" if it has none."""
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
