"""Goals as users write them."""

from __future__ import annotations

import pytest

from textkin.base.errors import UsageError
from textkin.measures.decisions.goal import Aim, Goal, GoalRule


@pytest.mark.parametrize(
    ("text", "goal", "written"),
    [
        ("precision=0.95", Goal(Aim.PRECISION, 0.95), "precision=0.95"),
        (" recall = 0.9 : estimate ", Goal(Aim.RECALL, 0.9, GoalRule.ESTIMATE), "recall=0.9:estimate"),
        ("recall=1:lower-end", Goal(Aim.RECALL, 1.0, GoalRule.LOWER_END), "recall=1.0"),
        ("f1", Goal(Aim.F1), "f1"),
        ("accuracy", Goal(Aim.ACCURACY), "accuracy"),
    ],
)
def test_reads_and_writes(text: str, goal: Goal, written: str) -> None:
    assert Goal.parse(text) == goal
    assert str(goal) == repr(goal) == written
    assert Goal.parse(written) == goal


def test_a_promise_is_a_level_that_the_lower_end_reaches() -> None:
    assert Goal(Aim.PRECISION, 0.9).is_promise and Goal(Aim.RECALL, 0.9).is_promise
    assert not Goal(Aim.PRECISION, 0.9, GoalRule.ESTIMATE).is_promise
    assert not Goal(Aim.F1).is_promise and not Goal(Aim.ACCURACY).is_promise


@pytest.mark.parametrize("aim", [Aim.PRECISION, Aim.RECALL])
def test_precision_and_recall_need_a_level_within_reach(aim: Aim) -> None:
    assert Goal(aim, 1.0).level == 1.0 and Goal(aim, 1e-6).level == 1e-6
    with pytest.raises(UsageError) as error:
        Goal(aim)
    assert (error.value.params, error.value.value) == (("goal",), str(aim))
    for level in (0.0, -0.1, 1.0001):
        with pytest.raises(UsageError) as error:
            Goal(aim, level)
        assert error.value.params == (str(aim),)
    with pytest.raises(UsageError) as error:
        Goal(aim, float("nan"))
    assert error.value.params == ("level",)


@pytest.mark.parametrize("aim", [Aim.F1, Aim.ACCURACY])
def test_what_is_made_as_high_as_can_be_has_no_level(aim: Aim) -> None:
    with pytest.raises(UsageError) as error:
        Goal(aim, 0.9)
    assert (error.value.params, error.value.value) == (("goal",), f"{aim}=0.9")


def test_a_rule_may_be_given_by_its_name() -> None:
    assert Goal(Aim.RECALL, 0.9, "estimate").rule is GoalRule.ESTIMATE  # type: ignore[arg-type]
    with pytest.raises(UsageError) as error:
        Goal(Aim.RECALL, 0.9, "lowerend")  # type: ignore[arg-type]
    assert error.value.params == ("rule",)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("precison=0.9", ("goal",)),
        ("recall=", ("goal",)),
        ("recall=half", ("goal",)),
        ("recall=0.9:", ("rule",)),
    ],
)
def test_what_is_no_goal_is_refused(text: str, words: str) -> None:
    with pytest.raises(UsageError) as error:
        Goal.parse(text)
    assert error.value.params == words
