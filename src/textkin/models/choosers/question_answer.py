"""Answering by similar questions, whose answers vote for similar choices.

The method of the "Cappucino Monkeys" in the Allen AI science challenge: the score of a choice is the sum,
over the ``k`` questions of a corpus that are most similar to the question, of their similarity times the
similarity of their answer to the choice.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import cache, partial

import numpy as np

from textkin.base.arrays import Bools, Floats, Floats32, Ints
from textkin.base.errors import invalid, not_finite
from textkin.base.first_seen_numbers import enumerated
from textkin.base.progress import track
from textkin.data.choice_records import BEST_PAIR, LUCENE, ChoiceQuestion
from textkin.data.choice_scores import Scores, rows_of
from textkin.data.protocols import Scorer
from textkin.models.choosers.evidence import AnswerCorpus, ExplainedChoice, Explanation, Vote
from textkin.text.baselines.lucene_classic import LuceneClassic
from textkin.text.baselines.lucene_parts import Clauses, counted, numbered, squares_of, weights_of
from textkin.vectors.index.exact_search import Retriever, can_mine, place
from textkin.vectors.index.lucene_postings import LexicalIndex, best_of_fields


class Searched(StrEnum):
    """The part of the corpus to search."""

    QUESTION = "question"
    ANSWER = "answer"
    BOTH = "both"  # the question and its answer as one text


class Scale(StrEnum):
    """Scaling of a score to a nonnegative weight, so that two negative scores don't make a vote."""

    CLIPPED = "clipped"  # negative scores become 0
    LOGISTIC = "logistic"  # a logit's probability


@dataclass(frozen=True, slots=True, kw_only=True)
class Voting:
    """The similarities of a vote; Lucene's classic similarity by default.

    Attributes:
        searched: the searched part of the corpus.
        retriever: finds the hits; None for ``question`` if that ranks.
        question: the similarity of a hit to the question.
        answer: the similarity of its answer to a choice; None for an index of that answer alone.
        question_scale: the scaling of ``question``.
        answer_scale: the scaling of ``answer``.
    """

    searched: Searched = Searched.QUESTION
    retriever: Scorer | None = None
    question: Scorer | None = None
    answer: Scorer | None = None
    question_scale: Scale = Scale.CLIPPED
    answer_scale: Scale = Scale.CLIPPED

    @property
    def name(self) -> str:
        """The name in tables."""
        sides = (LUCENE if one is None else one.name for one in (self.question, self.answer))
        return LUCENE if self.question is None and self.answer is None else "+".join(sides)


@dataclass(frozen=True, slots=True, eq=False)
class _Found:
    """The hits of a question, in the order they were found.

    Attributes:
        hits: the numbers of the hits. Shape [hits].
        likeness: the scaled similarity of each to the question. Shape [hits].
        answers: the scaled similarity of each one's answer to each choice. Shape [hits, choices].
    """

    hits: Ints
    likeness: Floats32
    answers: Floats32

    def sums(self, k: int) -> Floats:
        """The score of each choice by the first ``k`` hits. Shape [choices]."""
        likeness = self.likeness[:k].astype(np.float64)
        return np.asarray(likeness @ self.answers[:k].astype(np.float64))


class QuestionAnswerChooser:
    """Chooses by the answers of similar questions.

    If no hit says anything, all scores are 0, and the first choice is taken: :func:`silent` finds such
    questions.

    Args:
        corpus: questions with their answers. The asked questions should not be among them, see
            :func:`textkin.data.splits.corpus_leaks.corpus_leaks`.
        k: the number of hits that vote.
        voting: the similarities.

    Raises:
        UsageError: ``k`` is below 1, or the retriever can't rank.
        DataError: a scorer returns something other than numbers, once it is asked.

    Example:
        >>> from textkin.data.choice_records import ChoiceQuestion
        >>> corpus = AnswerCorpus(("1", "2"), ("What melts ice?", "Who sings?"), ("the heat", "a bird"))
        >>> chooser = QuestionAnswerChooser(corpus, k=10)
        >>> question = ChoiceQuestion("q", "What makes ice melt?", ("a bird", "heat"))
        >>> chooser.choose([question]).argmax(axis=1).tolist()
        [1]
    """

    def __init__(self, corpus: AnswerCorpus, *, k: int = 100, voting: Voting | None = None) -> None:
        self.corpus, self.k, self.voting = corpus, _voters(k), voting or Voting()
        self.name = self.voting.name
        self.members = tuple(one for one in (self.voting.question, self.voting.answer) if one is not None)
        self._texts = _looked_up(corpus, self.voting.searched)
        self._finder = self.voting.retriever or self.voting.question or LuceneClassic.fit(self._texts)
        place(self._finder, (), ())  # if it can't rank, fail now; the corpus is indexed on first use
        self._rescored = None if self.voting.retriever is None else self.voting.question
        self._by_lucene = by_lucene(corpus.answers if self.voting.answer is None else ())
        self._retriever = cache(partial(Retriever, self._finder, self._texts))

    def choose(self, questions: Sequence[ChoiceQuestion]) -> Scores:
        """The score of each choice; see :class:`textkin.data.protocols.Chooser`."""
        return self.choose_each(questions, (self.k,))[0]

    def choose_each(self, questions: Sequence[ChoiceQuestion], ks: Sequence[int]) -> tuple[Scores, ...]:
        """Scores for several numbers of hits, from one search. Shape [questions, choices] each."""
        if not ks or min(ks) < 1:
            raise invalid("ks", tuple(ks), expected="one or more numbers, each at least 1")
        sums = [[found.sums(k) for k in ks] for found in self._found(questions, max(ks))]
        columns = zip(*sums, strict=True) if sums else [()] * len(ks)
        return tuple(
            rows_of(np.concatenate([np.empty(0), *each]).astype(np.float32), questions) for each in columns
        )

    def explain(self, questions: Sequence[ChoiceQuestion], *, most: int = 5) -> Iterator[Explanation]:
        """Explain each answer: for each choice the ``most`` hits with the highest weights."""
        for question, found in zip(questions, self._found(questions, self.k), strict=True):
            sums = found.sums(self.k)
            choices = tuple(
                self._explained(choice, float(sums[place]), found, place, most)
                for place, choice in enumerate(question.choices)
            )
            chosen = int(np.argmax(sums.astype(np.float32)))
            yield Explanation(question.question_id, question.question, choices, chosen)

    def of(self, k: int) -> QuestionAnswerChooser:
        """The same chooser with another number of hits; both search one index.

        Raises:
            UsageError: ``k`` is below 1.
        """
        found = copy.copy(self)
        found.k = _voters(k)
        return found

    def _explained(self, choice: str, score: float, found: _Found, place: int, most: int) -> ExplainedChoice:
        products = found.likeness.astype(np.float64) * found.answers[:, place]
        order = np.argsort(-products, kind="stable")[: np.count_nonzero(products)]
        corpus = self.corpus
        votes = tuple(
            Vote(
                corpus.ids[hit],
                corpus.questions[hit],
                corpus.answers[hit],
                float(found.likeness[row]),
                float(found.answers[row, place]),
            )
            for row in order[:most]
            for hit in [int(found.hits[row])]
        )
        return ExplainedChoice(choice, score, votes, len(order) - len(votes))

    def _found(self, questions: Sequence[ChoiceQuestion], depth: int) -> Iterator[_Found]:
        """The hits of each question."""
        nearest = self._retriever().found([one.question for one in questions], depth)
        kept = [row[row >= 0] for row in nearest.documents]
        compare = self._compare(kept, questions)
        voting = self.voting
        rows = zip(questions, kept, nearest.scores, strict=True)
        for question, hits, row in track(rows, title=f"choosing with {self.name}", total=len(questions)):
            likeness = row[: len(hits)]
            if self._rescored is not None:
                pairs = [(question.question, self._texts[hit]) for hit in hits]
                likeness = np.asarray(self._rescored.score(pairs) if pairs else [], dtype=np.float32)
            yield _Found(
                hits,
                _weights(likeness, voting.question_scale, voting.name),
                _weights(compare(hits, question.choices), voting.answer_scale, voting.name),
            )

    def _compare(self, hits: list[Ints], questions: Sequence[ChoiceQuestion]) -> Compare:
        """The comparison of these hits' answers with the choices of these questions."""
        if self.voting.answer is None:
            return self._by_lucene
        choices = [one.choices for one in questions]
        return by_scorer(self.voting.answer, self.corpus.answers, hits=hits, choices=choices)


def _voters(k: int) -> int:
    """The number of hits.

    Raises:
        UsageError: it is below 1.
    """
    if k < 1:
        raise invalid("voters", k, expected="at least 1")
    return k


def silent(scores: Scores) -> Bools:
    """A mask of the questions whose choices all score 0. Shape [questions]."""
    return np.asarray(np.nanmax(np.abs(scores), axis=1, initial=0) == 0)


def _looked_up(corpus: AnswerCorpus, part: Searched) -> tuple[str, ...]:
    if part is Searched.QUESTION:
        return corpus.questions
    if part is Searched.ANSWER:
        return corpus.answers
    return tuple(f"{one} {other}" for one, other in zip(corpus.questions, corpus.answers, strict=True))


def _weights(scores: Floats32, scale: Scale, name: str) -> Floats32:
    if not np.isfinite(scores).all():
        raise not_finite(name)
    if scale is Scale.CLIPPED:
        return np.maximum(scores, 0)
    return np.asarray(1 / (1 + np.exp(-scores.astype(np.float64))), dtype=np.float32)


Hits = Ints
Compare = Callable[[Hits, Sequence[str]], Floats32]
"""Maps hit numbers and choices to their scores, shape [hits, choices]."""


def by_lucene(answers: Sequence[str]) -> Compare:
    """Compare with Lucene, each answer in its own index searched with the choices; compiled."""
    from textkin.models.choosers.answer_loops import AnswerWords, answer_scores

    known = counted(answers)
    table = known.roots
    ready = AnswerWords(
        table.indptr.astype(np.int64), table.indices.astype(np.int32), table.data, known.norms
    )

    def compare(hits: Hits, choices: Sequence[str]) -> Floats32:
        words, ends, asked = numbered(choices)
        columns = np.array([known.numbers.get(word, -1) for word in words], dtype=np.int32)
        scores = np.zeros((len(hits), len(choices)), dtype=np.float32)
        held = np.zeros(table.shape[1], dtype=np.float32)
        answer_scores(ready, hits, ends, columns[asked], held, scores)
        return scores

    return compare


def by_scorer(
    scorer: Scorer, answers: Sequence[str], *, hits: Sequence[Hits], choices: Sequence[Sequence[str]]
) -> Compare:
    """Compare choices and answers with a scorer.

    Args:
        scorer: any scorer; an encoder encodes each text once.
        answers: all answers.
        hits: the hits that will be needed, so that no others are encoded.
        choices: the choices that will be needed.
    """
    if not can_mine(scorer):
        return _pair_by_pair(scorer, answers)
    used = np.unique(np.concatenate([*hits, np.empty(0, dtype=np.int64)]))
    rows = {text: row for row, text in enumerate(dict.fromkeys(one for each in choices for one in each))}
    space = place(scorer, list(rows), [answers[number] for number in used])

    def compare(hits: Hits, choices: Sequence[str]) -> Floats32:
        asked = np.array([rows[choice] for choice in choices], dtype=np.int64)
        found = np.searchsorted(used, hits)
        scores = space.scores(np.tile(asked, len(hits)), np.repeat(found, len(asked)))
        return scores.reshape(len(hits), len(choices))

    return compare


def _pair_by_pair(scorer: Scorer, answers: Sequence[str]) -> Compare:
    def compare(hits: Hits, choices: Sequence[str]) -> Floats32:
        pairs = [(choice, answers[number]) for number in hits for choice in choices]
        if not pairs:
            return np.empty((0, len(choices)), dtype=np.float32)
        rows, different = enumerated(pairs)
        scores = np.asarray(scorer.score(different), dtype=np.float32)
        return scores[rows].reshape(len(hits), len(choices))

    return compare


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
