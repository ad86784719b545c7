"""A baseline: the single question and answer most similar to a question and a choice."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import final

import numpy as np

from textkin.data.choice_records import BEST_PAIR, ChoiceQuestion
from textkin.data.choice_scores import Scores, rows_of
from textkin.models.choosers.evidence import AnswerCorpus, ExplainedChoice, Explanation, Vote
from textkin.text.baselines.lucene_classic import LuceneClassic
from textkin.text.baselines.lucene_parts import Clauses, counted, squares_of, weights_of
from textkin.vectors.index.lucene_postings import LexicalIndex, best_of_fields


@final
class BestPairChooser:
    """The highest Lucene score of a pair for ``question:(the question) answer:(the choice)``.

    Both are fields of one query, as in the notebook of the "Cappucino Monkeys", where this got 43.28 % of
    their training questions right: each field has its own frequencies, norms and ``coord``, the ``queryNorm``
    is that of all words, and a pair that matches in only one field counts half.

    Args:
        corpus: questions with their answers.

    Raises:
        DataError: the questions, or the answers, contain no words.
    """

    name = BEST_PAIR

    def __init__(self, corpus: AnswerCorpus) -> None:
        self.corpus = corpus
        self._scorers = LuceneClassic.fit(corpus.questions), LuceneClassic.fit(corpus.answers)
        self._indexes = LexicalIndex(counted(corpus.questions)), LexicalIndex(counted(corpus.answers))

    def choose(self, questions: Sequence[ChoiceQuestion]) -> Scores:
        """The score of each choice; see :class:`textkin.data.protocols.Chooser`."""
        return rows_of(np.array([score for score, _ in self._best(questions)], dtype=np.float32), questions)

    def explain(self, questions: Sequence[ChoiceQuestion]) -> Iterator[Explanation]:
        """The pair behind the score of each choice."""
        best = self._best(questions)
        for question in questions:
            found = [next(best) for _ in question.choices]
            choices = tuple(
                ExplainedChoice(choice, score, () if hit is None else (self._vote(hit, score),))
                for choice, (score, hit) in zip(question.choices, found, strict=True)
            )
            chosen = int(np.argmax([score for score, _ in found]))
            yield Explanation(question.question_id, question.question, choices, chosen)

    def _vote(self, hit: int, score: float) -> Vote:
        corpus = self.corpus
        return Vote(corpus.ids[hit], corpus.questions[hit], corpus.answers[hit], score)

    def _best(self, questions: Sequence[ChoiceQuestion]) -> Iterator[tuple[float, int | None]]:
        """The score of the best pair for each choice of each question, and its number if any."""
        asked = [(one.question, choice) for one in questions for choice in one.choices]
        texts = [question for question, _ in asked], [choice for _, choice in asked]
        question, choice = (scorer.clauses(side) for scorer, side in zip(self._scorers, texts, strict=True))
        found = best_of_fields(*self._indexes, _one_query(question, choice))
        for hit, score in zip(found.documents[:, 0].tolist(), found.scores[:, 0].tolist(), strict=True):
            yield score, None if hit < 0 else hit


def _one_query(question: Clauses, choice: Clauses) -> tuple[Clauses, Clauses]:
    """Both fields, weighted as parts of one query."""
    sums = squares_of(question.idf, question.offsets) + squares_of(choice.idf, choice.offsets)
    return (
        replace(question, weights=weights_of(question.idf, question.offsets, sums)),
        replace(choice, weights=weights_of(choice.idf, choice.offsets, sums)),
    )
