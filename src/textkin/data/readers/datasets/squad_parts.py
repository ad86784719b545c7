"""SQuAD in two parts: contexts without questions, and questions without contexts or answers.

So an encoder of one side can't see the other. The layout is that of PI-SQuAD (Seo et al. 2018).
"""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from textkin.base.errors import UsageError
from textkin.base.files import overwritten, write_text
from textkin.base.results import Summary
from textkin.data.readers.datasets.squad import title_of
from textkin.data.readers.json_document import Node, read_document

_SPLIT = "make it with `phrases.split()`"


@dataclass(frozen=True, slots=True)
class ContextPart:
    """The articles of a dataset: titles, and the paragraphs of each."""

    titles: tuple[str, ...]
    paragraphs: tuple[tuple[str, ...], ...]


@dataclass(frozen=True, slots=True)
class PlacedQuestion:
    """A question with the index of its article and of its paragraph in it."""

    question_id: str
    question: str
    article: int
    paragraph: int


@dataclass(frozen=True, slots=True)
class QuestionPart:
    """The questions of a dataset, and the titles of its articles."""

    titles: tuple[str, ...]
    questions: tuple[PlacedQuestion, ...]


@dataclass(frozen=True, slots=True, repr=False)
class SplitDocument(Summary):
    """The two written files, with counts."""

    contexts: Path
    questions: Path
    articles: int
    paragraphs: int
    asked: int

    def text(self) -> str:
        """The counts."""
        counts = (self.articles, "article"), (self.paragraphs, "context"), (self.asked, "question")
        return ", ".join(f"{number:,} {noun}{'' if number == 1 else 's'}" for number, noun in counts)


def split_squad(path: Path | str, contexts: Path | str, questions: Path | str) -> SplitDocument:
    """Write SQuAD's contexts to one file and its questions to another.

    Both keep the titles and the order of articles and paragraphs, and nothing else of the other side: the
    contexts lose their ``qas``, the questions all but id and text.

    Raises:
        UsageError: two paths are the same.
        DataError: the document is not SQuAD, or an id is repeated.
        OutputError: a file can't be written.
    """
    places = Path(contexts), Path(questions)
    if overwritten(places, [path]) or overwritten(places[:1], places[1:]):
        raise UsageError(
            "a file was given twice", fix="give three different files", params=("contexts", "questions")
        )
    document = read_document(path)
    version = document.member("version").value
    sides: tuple[list[Any], list[Any]] = ([], [])
    asked: set[str] = set()
    paragraphs = 0
    for article in document.member("data").items():
        title = {"title": title_of(article)}
        texts: list[Any] = []
        asking: list[Any] = []
        for paragraph in article.member("paragraphs").items():
            texts.append({"context": paragraph.member("context").text()})
            asking.append({"qas": list(_questions(paragraph, asked))})
        paragraphs += len(texts)
        sides[0].append({**title, "paragraphs": texts})
        sides[1].append({**title, "paragraphs": asking})
    for place, side in zip(places, sides, strict=True):
        write_text(place, json.dumps({"version": version, "data": side}, ensure_ascii=False) + "\n")
    return SplitDocument(*places, articles=len(sides[0]), paragraphs=paragraphs, asked=len(asked))


def holds_questions(path: Path | str) -> bool:
    """True for a document whose first paragraph has no context, as in a question file.

    Raises:
        DataError: it is not a document of articles.
    """
    paragraphs = (
        paragraph
        for article in read_document(path).member("data").items()
        for paragraph in article.member("paragraphs").items()
    )
    first = next(paragraphs, None)
    return first is not None and not first.member("context").is_there


def read_contexts(path: Path | str, *, alone: bool = True) -> ContextPart:
    """Read the paragraphs of a context file, or of any SQuAD document.

    Args:
        path: the file.
        alone: True to reject a document with questions, which an encoder of contexts must not see.

    Raises:
        DataError: the file has another format.
    """
    titles, paragraphs = [], []
    for article in read_document(path).member("data").items():
        titles.append(title_of(article))
        texts = []
        for paragraph in article.member("paragraphs").items():
            if alone and paragraph.member("qas").is_there:
                raise paragraph.fault("questions beside the context, expected contexts alone", fix=_SPLIT)
            texts.append(paragraph.member("context").text())
        paragraphs.append(tuple(texts))
    return ContextPart(tuple(titles), tuple(paragraphs))


def read_questions(path: Path | str) -> QuestionPart:
    """Read a question file.

    Raises:
        DataError: the file has another format or contains contexts or answers, or an id is repeated.
    """
    titles = []
    questions: list[PlacedQuestion] = []
    seen: set[str] = set()
    for number, article in enumerate(read_document(path).member("data").items()):
        titles.append(title_of(article))
        for place, paragraph in enumerate(article.member("paragraphs").items()):
            if paragraph.member("context").is_there:
                raise paragraph.fault("a context beside the questions, expected questions alone", fix=_SPLIT)
            for item in paragraph.member("qas").items():
                if item.member("answers").is_there:
                    raise item.fault("answers beside the question", fix=_SPLIT)
            questions += [
                PlacedQuestion(found["id"], found["question"], number, place)
                for found in _questions(paragraph, seen)
            ]
    return QuestionPart(tuple(titles), tuple(questions))


def _questions(paragraph: Node, seen: set[str]) -> Iterator[dict[str, str]]:
    """The id and text of each question, without anything else."""
    for item in paragraph.member("qas").items():
        name = item.member("id").text()
        if name in seen:
            raise item.fault(f"the id {name!r} comes twice", fix="make the ids unique")
        seen.add(name)
        yield {"id": name, "question": item.member("question").text()}
