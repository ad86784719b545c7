from __future__ import annotations

import math
import os
import subprocess
import sys
from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.reference import lucene
from textkin.base.errors import DataError, UsageError
from textkin.data.choice_records import ChoiceQuestion
from textkin.data.protocols import Chooser
from textkin.models.choosers.evidence import AnswerCorpus
from textkin.models.choosers.question_answer import (
    BestPairChooser,
    QuestionAnswerChooser,
    Scale,
    Searched,
    Voting,
    silent,
)
from textkin.text.baselines import build
from textkin.text.baselines.lucene_classic import LuceneClassic

WORDS = st.lists(st.sampled_from(["red", "blue", "green", "grey", "the", "unseen"]), max_size=5).map(" ".join)
PAIRS = st.lists(st.tuples(WORDS, WORDS), min_size=1, max_size=12)
CHOICES = st.lists(WORDS, min_size=2, max_size=4).map(tuple)
ASKED = st.lists(st.tuples(WORDS, CHOICES), min_size=1, max_size=4)


def corpus_of(pairs: Sequence[tuple[str, str]]) -> AnswerCorpus:
    questions, answers = (tuple(side) for side in zip(*pairs, strict=True))
    return AnswerCorpus(tuple(map(str, range(len(pairs)))), questions, answers)


def questions_of(asked: Sequence[tuple[str, tuple[str, ...]]]) -> list[ChoiceQuestion]:
    return [ChoiceQuestion(f"q{place}", text, choices) for place, (text, choices) in enumerate(asked)]


class Table:
    """A scorer with a table of pairs, which scores others 0."""

    def __init__(self, name: str, scores: dict[tuple[str, str], float]) -> None:
        self.name = name
        self.scores = scores

    def score(self, pairs: Sequence[tuple[str, str]]) -> np.ndarray:
        return np.array([self.scores.get(tuple(pair), 0.0) for pair in pairs], dtype=np.float32)


ROWS = {6: (0.1, 0.1, 0.4, 0.1), 4: (0, 0.2, 0, 0.1), 2: (0.3, 0, 0, 0)}
CORPUS = corpus_of([(f"shared {score}", f"answer {score}") for score in ROWS])
QUESTION = ChoiceQuestion("q", "shared", ("A", "B", "C", "D"))
VOTING = Voting(
    retriever=LuceneClassic.fit(CORPUS.questions),
    question=Table("likeness", {("shared", f"shared {score}"): score for score in ROWS}),
    answer=Table(
        "table",
        {
            (choice, f"answer {score}"): one
            for score, row in ROWS.items()
            for choice, one in zip("ABCD", row, strict=True)
        },
    ),
)


def test_the_published_table() -> None:
    chooser = QuestionAnswerChooser(CORPUS, voting=VOTING)
    assert isinstance(chooser, Chooser) and chooser.name == "likeness+table"
    np.testing.assert_allclose(chooser.choose([QUESTION]), [[1.2, 1.4, 2.4, 1.0]], rtol=1e-6)
    (told,) = chooser.explain([QUESTION], most=1)
    assert told.chosen == 2
    assert [len(one.votes) + one.more for one in told.choices] == [2, 2, 1, 2]
    best = told.choices[1].votes[0]
    assert (best.source, best.text, best.answer) == ("1", "shared 4", "answer 4")
    assert best.product == pytest.approx(0.8)


@pytest.mark.slow
@given(pairs=PAIRS, asked=ASKED, looked=st.sampled_from(list(Searched)))
@settings(deadline=None, max_examples=80)
def test_sums_over_the_first_hits(
    pairs: list[tuple[str, str]], asked: list[tuple[str, tuple[str, ...]]], looked: Searched
) -> None:
    pairs = [*pairs, ("red grey", "blue")]
    texts = {Searched.QUESTION: [one for one, _ in pairs], Searched.ANSWER: [other for _, other in pairs]}
    searched = [lucene.terms(text) for text in texts.get(looked, [" ".join(pair) for pair in pairs])]
    questions, ks = questions_of(asked), (1, 3, 100)
    chooser = QuestionAnswerChooser(corpus_of(pairs), voting=Voting(searched=looked))
    each = chooser.choose_each(questions, ks)
    one_by_one = QuestionAnswerChooser(
        corpus_of(pairs), k=3, voting=Voting(searched=looked, answer=lucene.OneDocument())
    )
    np.testing.assert_allclose(one_by_one.choose(questions), each[1], rtol=1e-6)
    for row, question in enumerate(questions):
        scores = [lucene.score(lucene.terms(question.question), text, searched) for text in searched]
        order = sorted((n for n in range(len(pairs)) if scores[n] > 0), key=lambda n: (-scores[n], n))
        for column, choice in enumerate(question.choices):
            for k, found in zip(ks, each, strict=True):
                answers = [(n, lucene.terms(pairs[n][1])) for n in order[:k]]
                expected = sum(
                    float(scores[n]) * float(lucene.score(lucene.terms(choice), answer, [answer]))
                    for n, answer in answers
                )
                assert found[row, column] == pytest.approx(expected, rel=1e-6)
        assert np.isnan(each[0][row, len(question.choices) :]).all()
    told = list(chooser.explain(questions, most=2))
    (scores,) = chooser.choose_each(questions, (100,))
    for one, row in zip(told, scores, strict=True):
        expected = row[~np.isnan(row)].tolist()
        assert [choice.score for choice in one.choices] == pytest.approx(expected, rel=1e-6)
        assert all(vote.product > 0 for choice in one.choices for vote in choice.votes)


def test_no_score_leaves_the_first_choice_and_is_counted() -> None:
    chooser = QuestionAnswerChooser(corpus_of([("red sky", "blue"), ("sea", "deep sea")]))
    assert chooser.name == "lucene"
    questions = questions_of(
        [("red", ("green", "blue")), ("red", ("x", "y")), ("none", ("blue", "sea", "z"))]
    )
    scores = chooser.choose(questions)
    assert silent(scores).tolist() == [False, True, True]
    assert np.isnan(scores).tolist() == [[False, False, True]] * 2 + [[False] * 3]
    assert chooser.choose([]).shape == (0, 0)


@pytest.mark.parametrize("name", ["bm25", "tfidf", "minhash", "lucene-classic"])
def test_any_scorer_that_ranks_is_asked_once_for_each_text(name: str) -> None:
    pairs = [("red apple pie", "a sweet pie"), ("green apple", "sour"), ("red car", "fast car")]
    corpus = corpus_of(pairs)
    scorer = build(name, fit_texts=[text for pair in pairs for text in pair])
    chooser = QuestionAnswerChooser(corpus, k=2, voting=Voting(question=scorer, answer=scorer))
    questions = questions_of([("red apple", ("sweet thing", "car")), ("car", ("sour", "fast"))])
    for question, row in zip(questions, chooser.choose(questions), strict=True):
        likeness = scorer.score([(question.question, text) for text in corpus.questions])
        order = sorted(range(3), key=lambda place: -likeness[place])[:2]
        for choice, score in zip(question.choices, row, strict=True):
            answers = scorer.score([(choice, corpus.answers[place]) for place in order])
            assert score == pytest.approx(float((likeness[order] * answers).sum()), rel=1e-5, abs=1e-7)


def test_scores_become_weights_that_are_never_below_zero() -> None:
    corpus = corpus_of([("shared", "one"), ("shared", "two")])
    question = ChoiceQuestion("q", "shared", ("A", "B"))
    likeness = Table("likeness", {("shared", "shared"): -1.0})
    logits = Table("logits", {("A", "one"): -2.0, ("B", "two"): 2.0})
    finder = LuceneClassic.fit(corpus.questions)
    clipped = Voting(retriever=finder, question=likeness, answer=logits)
    assert silent(QuestionAnswerChooser(corpus, voting=clipped).choose([question])).all()
    logistic = Voting(
        retriever=finder,
        question=likeness,
        answer=logits,
        question_scale=Scale.LOGISTIC,
        answer_scale=Scale.LOGISTIC,
    )
    weight = 1 / (1 + np.exp([1.0, 2.0, 0.0, -2.0]))
    expected = [[weight[0] * (weight[1] + weight[2]), weight[0] * (weight[2] + weight[3])]]
    np.testing.assert_allclose(
        QuestionAnswerChooser(corpus, voting=logistic).choose([question]), expected, rtol=1e-6
    )


def test_what_is_refused() -> None:
    with pytest.raises(UsageError) as error:
        QuestionAnswerChooser(CORPUS, k=0)
    assert (error.value.params, error.value.value) == (("voters",), 0)
    with pytest.raises(UsageError) as error:
        QuestionAnswerChooser(CORPUS).choose_each([QUESTION], (3, 0))
    assert error.value.params == ("ks",)
    with pytest.raises(UsageError) as error:
        QuestionAnswerChooser(CORPUS, voting=Voting(question=VOTING.question))
    assert error.value.params == ("model",)
    broken = Voting(answer=Table("broken", {("A", "answer 6"): float("nan")}))
    with pytest.raises(DataError) as error:
        QuestionAnswerChooser(CORPUS, voting=broken).choose([QUESTION])
    assert (error.value.params, error.value.expected) == (("lucene+broken",), "finite numbers")


@pytest.mark.slow
def test_the_loops_run_without_the_compiler() -> None:
    script = (
        "from textkin.data.choice_records import ChoiceQuestion\n"
        "from textkin.models.choosers.evidence import AnswerCorpus\n"
        "from textkin.models.choosers.question_answer import QuestionAnswerChooser\n"
        "from textkin.models.choosers.question_answer import BestPairChooser\n"
        "corpus = AnswerCorpus(('1', '2'), ('red sky', 'blue sea'), ('at the system level', 'deep'))\n"
        "question = ChoiceQuestion('q', 'red', ('at the system level', 'at the tissue level'))\n"
        "scores = QuestionAnswerChooser(corpus).choose([question])[0]\n"
        "assert round(float(scores[0] / scores[1]), 2) == round(.27122 / .02813, 2)\n"
        "assert BestPairChooser(corpus).choose([question])[0].argmax() == 0\n"
    )
    environment = {**os.environ, "NUMBA_DISABLE_JIT": "1"}
    subprocess.run([sys.executable, "-c", script], check=True, env=environment)


Texts = list[list[str]]


def idf(term: str, texts: Texts) -> float:
    return math.log(len(texts) / (sum(term in one for one in texts) + 1)) + 1


def field(query: list[str], document: list[str], texts: Texts, norm: float) -> float:
    """The score in one field, with the queryNorm of the whole query."""
    matched = [term for term in query if term in document]
    if not matched:
        return 0.0
    length = lucene.byte315(1 / math.sqrt(len(document)))
    total = sum(math.sqrt(document.count(term)) * idf(term, texts) ** 2 * norm * length for term in matched)
    return len(matched) / len(query) * total


def score(asked: tuple[list[str], list[str]], sides: tuple[Texts, Texts], place: int) -> float:
    squares = sum(idf(term, texts) ** 2 for query, texts in zip(asked, sides, strict=True) for term in query)
    norm = 1 / math.sqrt(squares) if squares else 0.0
    found = [field(query, texts[place], texts, norm) for query, texts in zip(asked, sides, strict=True)]
    fields = [one for query, one in zip(asked, found, strict=True) if query]
    return sum(fields) * sum(one > 0 for one in fields) / len(fields) if fields else 0.0


@pytest.mark.slow
@given(pairs=PAIRS, asked=ASKED)
@settings(deadline=None, max_examples=80)
def test_the_best_of_all_pairs(
    pairs: list[tuple[str, str]], asked: list[tuple[str, tuple[str, ...]]]
) -> None:
    pairs = [*pairs, ("red grey", "blue")]
    one, other = zip(*pairs, strict=True)
    sides = [lucene.terms(text) for text in one], [lucene.terms(text) for text in other]
    questions = questions_of(asked)
    chooser = BestPairChooser(corpus_of(pairs))
    scores, told = chooser.choose(questions), list(chooser.explain(questions))
    for row, question in enumerate(questions):
        for column, choice in enumerate(question.choices):
            query = lucene.terms(question.question), lucene.terms(choice)
            expected = [score(query, sides, place) for place in range(len(pairs))]
            assert scores[row, column] == pytest.approx(max(expected), rel=1e-5)
            explained = told[row].choices[column]
            assert explained.score == scores[row, column]
            assert [expected[int(vote.source)] for vote in explained.votes] == pytest.approx(
                [max(expected)] * (max(expected) > 0), rel=1e-5
            )
        assert told[row].chosen == int(np.nanargmax(scores[row]))


def test_of_equal_pairs_the_first_is_told() -> None:
    chooser = BestPairChooser(corpus_of([("sea", "deep"), ("sky", "blue"), ("sky", "blue")]))
    (told,) = chooser.explain(questions_of([("the sky", ("blue", "green"))]))
    assert told.choices[0].votes[0].source == "1"
    assert told.choices[0].score > told.choices[1].score > 0
