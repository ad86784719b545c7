import dataclasses

import pytest

from tests.report.example import threshold, verdict
from textkin.base.counts import count, percent
from textkin.report.content import Estimate, VerdictKind
from textkin.report.figure_words import (
    duration,
    full,
    goal_on_test,
    good_enough,
    interval,
    number,
    p_value,
    p_words,
    sentence,
    size,
)


def test_better_is_said_in_plain_words():
    assert (
        sentence(verdict())
        == "siamese-lstm beats TF-IDF by 0.041 AP (95 % interval 0.028 to 0.054, p = 0.0002, 3 seeds)."
    )


def test_indistinguishable_gives_the_cheap_advice():
    said = dataclasses.replace(
        verdict(VerdictKind.INDISTINGUISHABLE), difference=-0.0021, low=-0.012, high=0.0078, p=0.71, seeds=1
    )
    assert sentence(said) == (
        "siamese-lstm is not distinguishable from TF-IDF on this test set (difference -0.002 AP, "
        "95 % interval -0.012 to 0.008, p = 0.71, 1 seed): use TF-IDF, which is simpler."
    )


def test_no_training_is_saved_by_a_trained_reference():
    said = dataclasses.replace(
        verdict(VerdictKind.INDISTINGUISHABLE), reference="bi-gru", reference_trained=True
    )
    assert sentence(said).endswith("): choose by their cost.")


@pytest.mark.parametrize(
    ("kind", "said"),
    [
        (
            VerdictKind.BETTER,
            "siamese-lstm beats chance by 0.041 AP (95 % interval 0.028 to 0.054, p = 0.0002, 3 seeds); "
            "no baseline that reads the texts was above chance.",
        ),
        (
            VerdictKind.INDISTINGUISHABLE,
            "siamese-lstm is not distinguishable from chance on this test set (difference 0.041 AP, "
            "95 % interval 0.028 to 0.054, p = 0.0002, 3 seeds), and no baseline was above chance: "
            "nothing that was tried can be relied on.",
        ),
        (
            VerdictKind.WORSE,
            "siamese-lstm is worse than chance by -0.041 AP (95 % interval -0.054 to -0.028, p = 0.0002, "
            "3 seeds), and no baseline was above chance: nothing that was tried can be relied on.",
        ),
    ],
)
def test_chance_is_never_advised(kind, said):
    assert (
        sentence(dataclasses.replace(verdict(kind), reference="constant", reference_is_chance=True)) == said
    )


def test_worse_turns_the_signs():
    said = dataclasses.replace(
        verdict(VerdictKind.WORSE), difference=-0.02, low=-0.031, high=-0.008, p=0.00003, seeds=0
    )
    assert sentence(said) == (
        "siamese-lstm is worse than TF-IDF by 0.020 AP "
        "(95 % interval 0.008 to 0.031, p < 0.0001): use TF-IDF."
    )


@pytest.mark.parametrize(
    ("p", "shown"),
    [
        (0.0, "< 0.0001"),
        (0.00009999, "< 0.0001"),
        (0.0001, "0.0001"),
        (0.0499, "0.0499"),
        (0.31, "0.31"),
        (1, "1.00"),
    ],
)
def test_p_is_never_zero(p, shown):
    assert p_value(p) == shown
    assert p_words(p) == (f"p {shown}" if "<" in shown else f"p = {shown}")


@pytest.mark.parametrize(
    ("figure", "shown"),
    [
        (Estimate(0.6337, 0.6123, 0.6552), "0.634 (0.612 to 0.655)"),
        (Estimate(0.6337, 0.6331, 0.6343), "0.6337 (0.6331 to 0.6343)"),
        (Estimate(0.6337, 0.4123, 0.8552), "0.63 (0.41 to 0.86)"),
        (Estimate(0.6337), "0.634"),
        (Estimate(1.0, 1.0, 1.0), "1.000 (1.000 to 1.000)"),
    ],
)
def test_no_more_digits_than_the_interval_supports(figure, shown):
    assert full(figure) == shown


def test_signs():
    assert number(-0.0001) == "0.000"
    assert number(0.0001, sign=True) == "0.000"
    assert number(0.25, sign=True) == "+0.250"
    assert interval(Estimate(0.0, -0.02, 0.02), sign=True) == "-0.020 to +0.020"


def test_quantities():
    assert [count(1, "query"), count(31_111, "query"), count(2, "pair"), count(1000)] == [
        "1 query",
        "31,111 queries",
        "2 pairs",
        "1,000",
    ]
    assert percent(0.37155) == "37.2 %"
    times = [duration(value) for value in (0.42, 9.96, 59.6, 192, 3599.7, 3840)]
    assert times == ["0.4 s", "10 s", "1 min 0 s", "3 min 12 s", "1 h 0 min", "1 h 4 min"]
    assert [size(value) for value in (812, 50_200, 1_240_000, 999_900)] == [
        "812",
        "50.2 k",
        "1.24 M",
        "1000 k",
    ]


@pytest.mark.parametrize(
    ("figure", "words"),
    [
        (Estimate(0.95, 0.92, 0.97), "whole interval of precision is at or above the goal of 0.9."),
        (Estimate(0.89, 0.87, 0.91), "can't tell whether the goal is met."),
        (Estimate(0.8, 0.78, 0.82), "Don't rely on it."),
        (Estimate(0.9), "precision is at or above the goal of 0.9."),
        (Estimate(0.89), "precision is below the goal of 0.9."),
    ],
)
def test_what_became_of_the_goal(figure, words):
    cut = dataclasses.replace(threshold(), test={"precision": figure})
    assert goal_on_test(cut).endswith(words)


def test_a_goal_without_a_figure_says_nothing():
    assert goal_on_test(dataclasses.replace(threshold(), goal_measure="")) == ""
    assert goal_on_test(dataclasses.replace(threshold(), goal_value=None)) == ""


def test_the_line_below_a_verdict_says_what_a_person_gets():
    said = good_enough(threshold())
    assert "precision 0.894 (0.872 to 0.915)" in said and "on 4,667 test pairs" in said
    assert said.endswith(goal_on_test(threshold()))
    assert good_enough(dataclasses.replace(threshold(), test={})) == ""
