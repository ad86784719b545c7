from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings

from tests.models.choosers.test_question_answer import ASKED, PAIRS, corpus_of, questions_of
from tests.reference import lucene
from textkin.models.choosers.best_pair import BestPairChooser

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
