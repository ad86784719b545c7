"""The goal of a threshold, as options that exclude each other."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from textkin.errors import UsageError

if TYPE_CHECKING:
    from textkin.decision.threshold import Goal

Precision = Annotated[
    float | None,
    typer.Option("--precision", metavar="X", help="Threshold: find as many as possible at this precision."),
]
Recall = Annotated[
    float | None,
    typer.Option("--recall", metavar="X", help="Threshold: be as precise as possible at this recall."),
]
BestF1 = Annotated[bool, typer.Option("--f1", help="Threshold: the best F1; what is taken by default.")]
BestAccuracy = Annotated[bool, typer.Option("--accuracy", help="Threshold: the best accuracy.")]


def goal_of(precision: float | None, recall: float | None, f1: bool, accuracy: bool) -> Goal:
    """The one goal that was asked for, F1 if none.

    Raises:
        UsageError: there are several.
    """
    from textkin.decision.threshold import Aim, Goal

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
    return Goal(aim, level)
