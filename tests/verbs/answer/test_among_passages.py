"""Answers among many passages."""

from math import log

import pytest

from textkin.data.span_records import SpanAnswer
from textkin.verbs.answer.among_passages import (
    ReadPassage,
    best_answers,
    passages_to_read,
)


def span(text, score, probability=None):
    return SpanAnswer(0, len(text), text, score, probability)


def read(rank, *spans, calibrated=True):
    return ReadPassage(f"p{rank}", rank, spans, calibrated)


def test_a_single_passage_is_what_its_reader_says():
    one = read(1, span("Ada", 5.0, 0.6), span("Moss", 4.5, 0.1), span("", 2.0, 0.3))
    assert one.no_answer == 0.3
    first, second = one.answers()
    assert (first.probability, second.probability) == (0.6, 0.1)
    assert first.score == pytest.approx(log(0.7 / 0.3)) and second.score == pytest.approx(first.score - 0.5)


def test_the_odds_of_a_passage_are_divided_by_the_square_of_its_rank():
    for rank in (2, 3, 10):
        one = read(rank, span("Ada", 5.0, 0.72), span("", 2.0, 0.2))
        odds = 0.8 / 0.2 / rank**2
        assert one.no_answer == pytest.approx(1 / (1 + odds))
        (answer,) = one.answers()
        assert answer.score == pytest.approx(log(odds))
        assert answer.probability == pytest.approx(0.9 * odds / (1 + odds))  # nine in ten of what is left


def test_certain_probabilities_have_scores():
    assert [one.score for one in read(1, span("Ada", 1.0, 1.0), span("", 0.0, 0.0)).answers()] == [
        -log(1e-15)
    ]
    assert [one.score for one in read(1, span("Ada", 1.0, 0.0), span("", 9.0, 1.0)).answers()] == [log(1e-15)]


def test_readers_that_are_not_calibrated_keep_their_scores_but_for_the_rank():
    told = read(3, span("Ada", 5.0, 0.6), span("", 2.0, 0.3), calibrated=False)
    assert [one.score for one in told.answers()] == [pytest.approx(3.0 - 2 * log(3))]
    certain = read(3, span("Ada", 5.0, 0.6), calibrated=False)
    assert [(one.score, one.probability) for one in certain.answers()] == [
        (pytest.approx(5.0 - 2 * log(3)), 0.6)
    ]
    baseline = read(3, span("Ada", 5.0), calibrated=False)
    assert [(one.score, one.probability) for one in baseline.answers()] == [(5.0, None)]


def test_a_seeming_answer_far_down_does_not_win():
    right, seeming = (
        (span("Ada", 3.0, 0.7), span("", 2.0, 0.2)),
        (span("Moss", 9.0, 0.9), span("", 1.0, 0.05)),
    )
    answers, no_answer = best_answers([read(1, *right), read(9, *seeming)], 2)
    assert [one.text for one in answers] == ["Ada", "Moss"] and no_answer == 0.2
    answers, no_answer = best_answers([read(2, *seeming), read(1, *right)], 1)
    assert [one.text for one in answers] == ["Moss"] and no_answer == pytest.approx(0.05 / (0.05 + 0.95 / 4))


def test_a_passage_without_a_word_of_no_answer_takes_it_for_granted():
    certain, told = read(1, span("Ada", 3.0, 0.7)), read(2, span("Moss", 9.0, 0.9), span("", 1.0, 0.05))
    assert best_answers([certain, told], 1)[1] == 0.0
    assert best_answers([certain], 1)[1] is None and best_answers([read(1)], 1) == ((), None)


def test_passages_are_ranked_by_bm25():
    passages = ["red apples", "green pears and apples", "blue", "apples"]
    assert passages_to_read(["apples", "pears", "nothing"], passages, None) == [
        {0: 2, 1: 3, 2: 4, 3: 1},
        {0: 2, 1: 1, 2: 2, 3: 2},
        {0: 1, 1: 1, 2: 1, 3: 1},
    ]
    assert passages_to_read(["apples", "nothing"], passages, 2) == [{0: 2, 3: 1}, {}]


def test_equal_passages_have_the_rank_of_the_first():
    passages = ["apples and pears", "bread", "apples and pears", "apples and pears and bread and butter"]
    assert passages_to_read(["apples"], passages, None) == [{0: 1, 1: 4, 2: 1, 3: 3}]


def test_answers_that_overlap_a_better_one_are_left_out():
    spans = [SpanAnswer(0, 3, "Ada", 5.0), SpanAnswer(2, 5, "a M", 4.0), SpanAnswer(4, 8, "Moss", 3.0)]
    found = ReadPassage("p", 1, spans, is_calibrated=False)
    assert [one.text for one in best_answers([found], 3)[0]] == ["Ada", "Moss"]
