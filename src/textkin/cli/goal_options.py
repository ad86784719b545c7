"""The goal of a threshold, as options that exclude each other."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Literal

from textkin.base.errors import UsageError
from textkin.base.options import Option

if TYPE_CHECKING:
    from textkin.measures.decisions.goal import Goal

Precision = Annotated[
    float | None,
    Option("Threshold: find as many as possible at this precision.", flag="--precision", metavar="X"),
]
Recall = Annotated[
    float | None,
    Option("Threshold: be as precise as possible at this recall.", flag="--recall", metavar="X"),
]
Rule = Annotated[
    Literal["lower-end", "estimate"],
    Option(
        "What of precision or recall must reach X: the lower end of the interval, so that it holds "
        "elsewhere, or the estimate.",
        flag="--rule",
    ),
]
Proof = Annotated[
    bool,
    Option(
        "Take a precision for reached only where labels prove it, by a test that holds however often "
        "one looks. They must be of random draws, and their file say so.",
        flag="--proof",
    ),
]
BestF1 = Annotated[bool, Option("Threshold: the best F1; what is taken by default.", flag="--f1")]
BestAccuracy = Annotated[bool, Option("Threshold: the best accuracy.", flag="--accuracy")]


def goal_of(
    precision: float | None, recall: float | None, f1: bool, accuracy: bool, rule: str = "lower-end"
) -> Goal:
    """The requested goal; F1 by default.

    Raises:
        UsageError: there are several.
    """
    from textkin.measures.decisions.goal import Aim, Goal, GoalRule

    asked = [
        goal
        for goal, wanted in (
            ((Aim.PRECISION, precision), precision is not None),
            ((Aim.RECALL, recall), recall is not None),
            ((Aim.F1, None), f1),
            ((Aim.ACCURACY, None), accuracy),
        )
        if wanted
    ]
    if len(asked) > 1:
        raise UsageError(
            "a threshold is fitted for one goal", fix="give one of --precision, --recall, --f1, --accuracy"
        )
    aim, level = asked[0] if asked else (Aim.F1, None)
    if level is None and rule != "lower-end":
        raise UsageError(f"--rule {rule} for {aim.value}", fix="give it with --precision or --recall")
    return Goal(aim, level, GoalRule(rule))
