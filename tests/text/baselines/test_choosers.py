import math
from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from textkin.base.errors import DataError, UsageError
from textkin.data.choice_records import ChoiceQuestion
from textkin.data.choice_scores import chosen
from textkin.data.protocols import Chooser
from textkin.text.baselines.choosers import (
    QUESTION_FREE,
    ChoiceWords,
    Popular,
    ScoredChoices,
    build_question_free,
)
from textkin.text.baselines.tfidf import TfIdf

ASKED = (
    ChoiceQuestion("1", "What melts?", ("iron ore", "ice", "Ice!"), answer=1),
    ChoiceQuestion("2", "What burns?", ("wood", "ice"), answer=0),
    ChoiceQuestion("3", "What flows?", ("air", "wood", "water"), answer=2),
)


def letters(name):
    return chosen(build_question_free(name, questions=ASKED).choose(ASKED)).tolist()


def test_choices_by_what_they_look_like():
    assert letters("first") == [0, 0, 0]
    assert letters("longest") == [0, 0, 2]
    assert letters("shortest") == [1, 1, 0]


def test_the_popular_choice_is_offered_by_most_questions():
    scores = Popular.fit(ASKED).choose(ASKED)
    np.testing.assert_array_equal(scores, [[1, 2, 2], [2, 2, np.nan], [1, 2, 1]])


@pytest.mark.parametrize("name", QUESTION_FREE)
def test_the_question_is_not_read(name):
    chooser = build_question_free(name, questions=ASKED)
    assert isinstance(chooser, Chooser)
    others = [ChoiceQuestion(one.question_id, "?", one.choices) for one in ASKED]
    np.testing.assert_array_equal(chooser.choose(ASKED), chooser.choose(others))
    assert chooser.name == name


@given(
    st.lists(
        st.tuples(st.lists(st.text("abc ", max_size=5), min_size=2, max_size=4), st.integers(0, 1)),
        min_size=1,
        max_size=6,
    )
)
def test_words_of_choices_as_counted_slowly(rows):
    asked = [ChoiceQuestion(str(at), "?", tuple(choices), right) for at, (choices, right) in enumerate(rows)]
    found = ChoiceWords.fit(asked).choose(asked)
    right, wrong, sides = Counter(), Counter(), Counter()
    for one in asked:
        for place, choice in enumerate(one.choices):
            side = right if place == one.answer else wrong
            sides[place == one.answer] += 1
            for word in set(choice.split()):
                side[word] += 1
    for row, one in zip(found, asked, strict=True):
        for score, choice in zip(row, one.choices, strict=False):
            words = set(choice.split())
            odds = [
                math.log((right[w] + 1) / (sides[True] + 2) * (sides[False] + 2) / (wrong[w] + 1))
                for w in words
            ]
            assert score == pytest.approx(sum(odds), abs=1e-5)


def test_words_of_choices_need_answers():
    with pytest.raises(DataError) as error:
        ChoiceWords.fit([ChoiceQuestion("1", "What?", ("a", "b"))])
    assert error.value.params == ("fit",)


def test_a_scorer_chooses_by_similarity():
    scorer = TfIdf.fit(["What melts?", "iron melts", "wood", "ice"])
    one = ChoiceQuestion("1", "What melts?", ("wood", "iron melts", "ice"))
    chooser = ScoredChoices(scorer)
    scores = chooser.choose([one, ASKED[1]])
    np.testing.assert_array_equal(scores[0], scorer.score([(one.question, text) for text in one.choices]))
    assert chosen(scores).tolist()[0] == 1
    assert chooser.name == "tfidf"
    assert chooser.choose([]).shape == (0, 0)


def test_a_scorer_that_gives_too_little_is_refused():
    class Short:
        name = "short"

        def score(self, pairs):
            return np.zeros(1)

    with pytest.raises(UsageError) as error:
        ScoredChoices(Short()).choose(ASKED)
    assert (error.value.params, error.value.value) == (("short",), (1,))


def test_another_name_is_refused():
    with pytest.raises(UsageError, match="'tfidf' is not a baseline without questions"):
        build_question_free("tfidf", questions=ASKED)
