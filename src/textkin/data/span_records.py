"""Questions about passages, and the answers that readers extract."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from textkin.base.errors import invalid
from textkin.base.results import Result, ResultRow


@dataclass(frozen=True, slots=True)
class Passage:
    """A text with questions about it, and its title, or "".

    Example:
        >>> import textkin as tk
        >>> tk.Passage("0-0", "Ada", "Ada met Bob.").text
        'Ada met Bob.'
    """

    passage_id: str
    title: str
    text: str


@dataclass(frozen=True, slots=True)
class Span:
    """A part of a passage: the offset of its first character, and its text.

    Example:
        >>> import textkin as tk
        >>> tk.Span(8, "Bob").end
        11
    """

    start: int
    text: str

    @property
    def end(self) -> int:
        """The offset after its last character."""
        return self.start + len(self.text)


@dataclass(frozen=True, slots=True)
class SpanQuestion:
    """A question about a passage.

    Attributes:
        question_id: unique in its set.
        question: the question's text.
        passage_id: id of the passage.
        answers: the answer of every annotator; empty if the passage doesn't contain it.
        is_impossible: True if the data mark the question as unanswerable (SQuAD 2.0).
        row: 0-based position among the data rows of the source, or -1.

    Example:
        >>> import textkin as tk
        >>> tk.SpanQuestion("q1", "Who met Bob?", "0-0", (tk.Span(0, "Ada"),)).is_impossible
        False
    """

    question_id: str
    question: str
    passage_id: str
    answers: tuple[Span, ...]
    is_impossible: bool = False
    row: int = -1


@dataclass(frozen=True, slots=True, repr=False)
class SpanSet(Result):
    """Passages by id, with the questions about them; the rows have the columns of SQuAD on the datasets hub.

    Example:
        >>> import textkin as tk
        >>> asked = tk.SpanQuestion("q1", "Who met Bob?", "0-0", (tk.Span(0, "Ada"),))
        >>> len(tk.SpanSet({"0-0": tk.Passage("0-0", "Ada", "Ada met Bob.")}, (asked,)))
        1

    Raises:
        UsageError: the passage of a question is missing.
    """

    passages: Mapping[str, Passage]
    questions: tuple[SpanQuestion, ...]
    name: str = ""

    def __post_init__(self) -> None:
        for one in self.questions:
            if not isinstance(one, SpanQuestion):
                raise invalid("questions", one, expected="a tk.SpanQuestion each")
            if not isinstance(self.passages.get(one.passage_id), Passage):
                raise invalid(
                    "passage_id",
                    one.passage_id,
                    expected=f"the id of a tk.Passage, in question {one.question_id!r}",
                )

    def _rows(self) -> Iterator[ResultRow]:
        for one in self.questions:
            passage, spans = self.passages[one.passage_id], one.answers
            yield {
                "id": one.question_id,
                "title": passage.title,
                "context": passage.text,
                "question": one.question,
                "answers": {
                    "text": [span.text for span in spans],
                    "answer_start": [span.start for span in spans],
                },
            }

    @property
    def texts(self) -> list[tuple[str, str]]:
        """The pairs of each question with its passage."""
        return [(one.question, self.passages[one.passage_id].text) for one in self.questions]

    def select(self, indexes: Iterable[int]) -> SpanSet:
        """The questions at ``indexes``, in that order, with their passages."""
        questions = tuple(self.questions[index] for index in indexes)
        kept = {one.passage_id for one in questions}
        passages = {name: passage for name, passage in self.passages.items() if name in kept}
        return SpanSet(passages, questions, self.name)

    def content(self) -> list[object]:
        """Questions, passages and answers in order, as JSON values."""
        return [
            [*texts, [[span.start, span.text] for span in one.answers]]
            for texts, one in zip(self.texts, self.questions, strict=True)
        ]

    def __len__(self) -> int:
        return len(self.questions)

    def __iter__(self) -> Iterator[SpanQuestion]:
        return iter(self.questions)


@dataclass(frozen=True, slots=True)
class SpanAnswer:
    """An answer that a system extracts from a passage.

    "No answer" has ``start == end == 0`` and ``text == ""``.

    Attributes:
        start: offset of its first character in the passage.
        end: offset after its last character.
        text: the answer's text.
        score: score on the system's own scale; higher is better.
        probability: probability of the answer, from 0 to 1; None if the system doesn't estimate it.

    Example:
        >>> import textkin as tk
        >>> none = tk.SpanAnswer(0, 0, "", score=0.0, probability=0.9)
        >>> none.end
        0
    """

    start: int
    end: int
    text: str
    score: float
    probability: float | None = None
