import os
import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.reference import squad as slow
from textkin.base.errors import DataError
from textkin.measures.metrics.spans import (
    SquadRules,
    at_threshold,
    best_threshold,
    normalised,
    official_figures,
    score_answers,
)

# TEXTKIN_SQUAD_CASES=2000 runs the long form.
CASES = int(os.environ.get("TEXTKIN_SQUAD_CASES", "150"))

WORDS = st.sampled_from(
    [
        "the",
        "a",
        "An",
        "THE",
        "U.S.",
        "us",
        "-",
        "x",
        "y",
        "Zürich",
        "2,000",
        "the-end",
        "a_b",
        "été",
        "...",
        "ß",
        "İ",
    ]
)
TEXTS = st.one_of(
    st.lists(WORDS, max_size=4).map(" ".join),
    st.text(st.characters(exclude_categories=["Cs"]), max_size=8),
    st.just(""),
)
NUMBERS = st.one_of(st.sampled_from([0, 0.0, 0.25, 0.5, 1.0, 1]), st.floats(-2, 2, allow_nan=False))


@st.composite
def files(draw, fewest):
    """Gold answers, and predictions for some of the questions and for unknown ones, in another order."""
    count = draw(st.integers(1, 8))
    gold = {f"q{number}": draw(st.lists(TEXTS, min_size=fewest, max_size=3)) for number in range(count)}
    told = draw(st.permutations([*gold, "stranger"]))
    told = told[: draw(st.integers(1, len(told)))]
    predictions = {}
    for question in told:
        near = gold.get(question) or [""]
        predictions[question] = draw(st.one_of(st.sampled_from(near), TEXTS))
    no_answer = {question: draw(NUMBERS) for question in draw(st.permutations([*gold, "stranger", "other"]))}
    return gold, predictions, no_answer


@pytest.mark.slow
@settings(max_examples=CASES, deadline=None)
@given(files(fewest=1))
def test_figures_of_version_1_are_the_slow_ones_to_the_last_digit(made):
    gold, predictions, _ = made
    scores = score_answers(gold, predictions, rules=SquadRules.V1)
    assert official_figures(scores) == slow.evaluate_1(gold, predictions)


@pytest.mark.slow
@settings(max_examples=CASES, deadline=None)
@given(files(fewest=0), NUMBERS, st.booleans())
def test_figures_of_version_2_are_the_slow_ones_to_the_last_digit(made, threshold, sweeps):
    gold, predictions, no_answer = made
    scores = score_answers(gold, predictions, rules=SquadRules.V2)
    if not scores.predicted.any():
        with pytest.raises(DataError, match="no question has a prediction"):
            official_figures(scores)
        return
    told = no_answer if sweeps else None
    found = official_figures(scores, no_answer=told, threshold=threshold)
    wanted = slow.evaluate_2(gold, predictions, told, threshold)
    assert found == wanted
    assert list(found) == list(wanted)


@pytest.mark.slow
@settings(max_examples=CASES, deadline=None)
@given(TEXTS)
def test_normalising_is_the_slow_one(text):
    assert normalised(text) == slow.plain(text)
    assert normalised(normalised(text)) == slow.plain(slow.plain(text))


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("The U.S.", "us"),
        ("  a\tman\u00a0and the\u2003Sea ", "man and sea"),
        ("an-the a_the", "anthe athe"),  # punctuation is removed first, so that these are no longer articles
        ("a’the", "’"),  # a quote beyond ASCII stays, and parts words
        ("thé the\u0301", "thé \u0301"),  # not a letter, so the article before it is removed
        ("THE ÀN", "àn"),
        ("$100-a-day", "100aday"),
    ],
)
def test_normalising_by_example(text, plain):
    assert normalised(text) == plain == slow.plain(text)


def test_what_the_rules_say_of_answers_without_words():
    for rules, gold, found, f1 in (
        (SquadRules.V1, "the", "of the", 0),
        (SquadRules.V1, "a", "the", 0),
        (SquadRules.V2, "a", "the", 1),
        (SquadRules.V2, "the", "of", 0),
        (SquadRules.V1, "red fish fish", "red red fish", 2 / 3),
    ):
        assert score_answers({"q": [gold]}, {"q": found}, rules=rules).f1.tolist() == pytest.approx([f1])


def test_gold_against_itself():
    gold = {"1": ["Ada"], "2": ["the sea", "a lake"], "3": []}
    both = {key: answers[-1] if answers else "" for key, answers in gold.items()}
    found = official_figures(score_answers(gold, both, rules=SquadRules.V2))
    assert found == {
        **{"exact": 100.0, "f1": 100.0, "total": 3},
        **{"HasAns_exact": 100.0, "HasAns_f1": 100.0, "HasAns_total": 2},
        **{"NoAns_exact": 100.0, "NoAns_f1": 100.0, "NoAns_total": 1},
    }
    del gold["3"]
    assert official_figures(score_answers(gold, both, rules=SquadRules.V1)) == {
        "exact_match": 100.0,
        "f1": 100.0,
    }


def test_missing_predictions_score_zero_in_version_1_and_are_left_out_in_version_2():
    gold = {"1": ["Ada"], "2": ["Bob"]}
    first = score_answers(gold, {"1": "Ada", "9": "x"}, rules=SquadRules.V1)
    assert official_figures(first) == {"exact_match": 50.0, "f1": 50.0}
    assert first.predicted.tolist() == [True, False]
    assert official_figures(score_answers(gold, {}, rules=SquadRules.V1)) == {"exact_match": 0.0, "f1": 0.0}
    second = official_figures(score_answers(gold, {"1": "Ada"}, rules=SquadRules.V2))
    assert (second["exact"], second["total"]) == (100.0, 1)


def test_abstaining_always_is_right_where_there_is_no_answer():
    gold = {"1": ["Ada"], "2": [], "3": []}
    silent = official_figures(score_answers(gold, dict.fromkeys(gold, ""), rules=SquadRules.V2))
    assert silent["exact"] == silent["f1"] == pytest.approx(200 / 3)
    assert (silent["HasAns_exact"], silent["NoAns_exact"]) == (0.0, 100.0)


def test_equal_probabilities_are_walked_in_the_order_of_their_file():
    gold = {"1": ["Ada"], "2": []}
    scores = score_answers(gold, {"1": "Ada", "2": "Bob"}, rules=SquadRules.V2)
    first = best_threshold(scores, scores.exact, {"1": 0.5, "2": 0.5})
    second = best_threshold(scores, scores.exact, {"2": 0.5, "1": 0.5})
    assert (first.value, first.threshold) == (100.0, 0.5)
    assert (second.value, second.threshold) == (50.0, 0.0)


def test_a_threshold_withholds_what_is_above_it():
    gold = {"1": ["Ada"], "2": [], "3": ["Cy"]}
    scores = score_answers(gold, {"1": "Ada", "2": "Bob", "3": "Cy"}, rules=SquadRules.V2)
    decided = at_threshold(scores, {"1": 0.5, "2": 0.51, "3": 0.9}, 0.5)
    assert decided.exact.tolist() == decided.f1.tolist() == [1.0, 1.0, 0.0]
    assert decided.abstains.tolist() == [False, True, True]
    with pytest.raises(DataError, match=r"2 predicted questions have no .* the first is '2'"):
        at_threshold(scores, {"1": 0.5}, 0.5)


def test_what_can_not_be_scored():
    with pytest.raises(DataError, match="no questions"):
        score_answers({}, {}, rules=SquadRules.V1)
    with pytest.raises(DataError, match=re.escape("question '1' has no answer, and SQuAD 1.1")):
        score_answers({"1": []}, {"1": ""}, rules=SquadRules.V1)
    scores = score_answers({"1": ["x"]}, {"1": "x"}, rules=SquadRules.V2)
    assert np.array_equal(scores.abstains, [False])
