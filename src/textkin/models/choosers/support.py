"""Answering by sentences that support choices, from a corpus or from the question's own texts."""

from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from typing import TypeVar

import numpy as np

from textkin.base.arrays import Floats32
from textkin.base.errors import invalid, not_finite, required
from textkin.base.progress import track
from textkin.data.choice_records import SUPPORT, ChoiceQuestion
from textkin.data.choice_scores import Scores, rows_of
from textkin.data.protocols import Scorer, Side
from textkin.models.choosers.evidence import ExplainedChoice, Explanation, Vote
from textkin.text.sentences import sentences
from textkin.text.truncation_account import Truncation, truncation_of, truncation_of_pairs
from textkin.vectors.index.exact_search import Retriever, place

DEPTH = 10
"""The default number of sentences that a judge sees per choice."""

_AT_ONCE = 256  # questions with a choice each
_Read = TypeVar("_Read", str, tuple[str, str])

OWN = "support"
"""The source name of a vote for a sentence from the question's own texts."""


class SupportChooser:
    """The best sentence's similarity to the concatenated question and choice.

    A question with its own texts (:attr:`ChoiceQuestion.support`) is answered by their sentences alone. A
    choice without any sentence scores as low as the worst of its question, and at most 0.

    Args:
        scorer: finds the sentences; it must rank if there is a corpus.
        texts: the sentences of the corpus; none if all questions have their own.
        ids: their ids; by default numbers from 1.
        judge: scores the sentences found, such as a cross-encoder; None for ``scorer``.
        depth: the number of corpus sentences per choice that the judge sees.

    Attributes:
        truncation: what the last scorer has cut: the choices with their questions, and the sentences; None
            before any, or if it doesn't say.

    Raises:
        UsageError: ``depth`` is below 1, or the scorer can't rank a corpus.

    Example:
        >>> from textkin.text.baselines.lucene_classic import LuceneClassic
        >>> facts = ["the sun melts ice", "birds sing songs"]
        >>> chooser = SupportChooser(LuceneClassic.fit(facts), facts)
        >>> question = ChoiceQuestion("q", "What melts ice?", ("a song", "the sun"))
        >>> chooser.choose([question]).argmax(axis=1).tolist()
        [1]
    """

    def __init__(
        self,
        scorer: Scorer,
        texts: Sequence[str] = (),
        *,
        ids: Sequence[str] = (),
        judge: Scorer | None = None,
        depth: int = DEPTH,
    ) -> None:
        if depth < 1:
            raise invalid("depth", depth, expected="at least 1")
        self.name = f"{SUPPORT}{(judge or scorer).name}"
        self.members = (scorer,) if judge is None else (scorer, judge)
        self._texts = texts
        self._ids = ids or tuple(str(number) for number in range(1, len(texts) + 1))
        self._scorer, self._judge = scorer, judge
        self._depth = 1 if judge is None else depth
        self.truncation: Truncation | None = None
        self._counted: set[str | tuple[str, str]] = set()
        if texts:
            place(scorer, (), ())  # if it can't rank, fail now; the corpus is indexed on first use

    @property
    def judges(self) -> bool:
        """True if a judge rescores the sentences that another scorer found."""
        return self._judge is not None

    def choose(self, questions: Sequence[ChoiceQuestion]) -> Scores:
        """The score of each choice; see :class:`textkin.data.protocols.Chooser`.

        Raises:
            UsageError: a question has no support, and there is no corpus.
            DataError: a scorer returns something other than numbers.
        """
        scores = [one.score for each in self.explain(questions) for one in each.choices]
        return rows_of(np.array(scores, dtype=np.float32), questions)

    def explain(self, questions: Sequence[ChoiceQuestion], *, most: int = 1) -> Iterator[Explanation]:
        """The sentences that support each choice most, best first.

        Args:
            questions: the questions.
            most: the maximum number per choice; without a judge the corpus gives one.

        Raises:
            UsageError: a question has no support, and there is no corpus.
            DataError: a scorer returns something other than numbers.
        """
        found = iter(self._of_corpus([one for one in questions if not one.support]))
        for question in questions:
            rows = self._own(question) if question.support else [next(found) for _ in question.choices]
            lowest = min((vote.question_score for row in rows for vote in row), default=0.0)
            choices = tuple(
                ExplainedChoice(
                    choice,
                    row[0].question_score if row else min(lowest, 0.0),
                    tuple(row[:most]),
                    len(row[most:]),
                )
                for choice, row in zip(question.choices, rows, strict=True)
            )
            chosen = int(np.argmax(np.array([one.score for one in choices], dtype=np.float32)))
            yield Explanation(question.question_id, question.question, choices, chosen)

    def _own(self, question: ChoiceQuestion) -> list[list[Vote]]:
        """The support of each choice by a question's own texts."""
        known = sentences_of(question.support)
        asked = _asked(question)
        scores = self._scores([(text, one) for text in asked for one in known])
        rows = scores.reshape(len(asked), len(known)).tolist()
        return [_sorted((OWN,) * len(known), known, row) for row in rows]

    def _of_corpus(self, questions: Sequence[ChoiceQuestion]) -> Iterator[list[Vote]]:
        """The support of each choice by the corpus, question by question."""
        if not questions:
            return
        if not self._texts:
            raise required(
                "support", by=f"the question {questions[0].question_id!r}, which has none of its own,"
            )
        asked = [text for question in questions for text in _asked(question)]
        if self._judge is None:
            self._count(truncation_of(self._scorer, self._fresh(asked), side=Side.QUERY))
        nearest = self._retriever.found(asked, self._depth)
        found = [row[row >= 0].tolist() for row in nearest.documents]
        scores = iter(self._judged(asked, found) if self._judge else nearest.scores)
        for hits, values in zip(found, scores, strict=True):
            known = [self._texts[hit] for hit in hits]
            yield _sorted([self._ids[hit] for hit in hits], known, values[: len(hits)].tolist())

    def _judged(self, asked: Sequence[str], found: Sequence[Sequence[int]]) -> Iterator[Floats32]:
        """The judge's scores of each choice's hits; pairs of many are scored together, for speed."""
        starts = range(0, len(asked), _AT_ONCE)
        for start in track(starts, title=f"judging with {self.name}", total=len(starts)):
            part = slice(start, start + _AT_ONCE)
            together = list(zip(asked[part], found[part], strict=True))
            scores = self._scores([(text, self._texts[hit]) for text, hits in together for hit in hits])
            yield from np.split(scores, np.cumsum([len(hits) for _, hits in together])[:-1])

    @cached_property
    def _retriever(self) -> Retriever:
        if self._judge is None:
            self._count(truncation_of(self._scorer, self._texts, side=Side.DOCUMENT))
        return Retriever(self._scorer, self._texts)

    def _fresh(self, read: Sequence[_Read]) -> list[_Read]:
        """The texts or pairs that were not counted before, each once."""
        fresh = [one for one in dict.fromkeys(read) if one not in self._counted]
        self._counted.update(fresh)
        return fresh

    def _count(self, more: Truncation | None) -> None:
        """Add what was cut."""
        if more is not None:
            self.truncation = more if self.truncation is None else self.truncation + more

    def _scores(self, pairs: list[tuple[str, str]]) -> Floats32:
        scorer = self._judge or self._scorer
        self._count(truncation_of_pairs(scorer, self._fresh(pairs)))
        found = np.asarray(scorer.score(pairs) if pairs else [], dtype=np.float32)
        if not np.isfinite(found).all():
            raise not_finite(scorer.name)
        return found


def sentences_of(texts: Iterable[str]) -> list[str]:
    """The distinct sentences of some texts, in order."""
    return list(dict.fromkeys(text[start:end] for text in texts for start, end in sentences(text)))


def _asked(question: ChoiceQuestion) -> list[str]:
    return [f"{question.question} {choice}" for choice in question.choices]


def _sorted(ids: Sequence[str], texts: Sequence[str], scores: Sequence[float]) -> list[Vote]:
    """Sort best first; ties keep their order."""
    rows = [Vote(name, text, "", score) for name, text, score in zip(ids, texts, scores, strict=True)]
    return sorted(rows, key=lambda vote: -vote.question_score)
