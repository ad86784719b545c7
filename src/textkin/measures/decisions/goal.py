"""The goal that a threshold is fitted for."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from textkin.base.argument_checks import check_fields
from textkin.base.errors import conflict, invalid, required, unknown_choice


class Aim(StrEnum):
    """Metric that a threshold is fitted for."""

    PRECISION = "precision"  # maximise recall at this precision
    RECALL = "recall"  # maximise precision at this recall
    F1 = "f1"
    ACCURACY = "accuracy"


class GoalRule(StrEnum):
    """Statistic that must reach the level of a goal."""

    LOWER_END = "lower-end"  # the lower confidence bound, so that the goal holds on other pairs
    ESTIMATE = "estimate"  # the point estimate on the pairs used for the fit


@dataclass(frozen=True, slots=True, repr=False)
class Goal:
    """An aim, with the level to reach for precision and recall.

    :meth:`parse` reads its text form.

    Attributes:
        aim: the metric.
        level: the level to reach; None for F1 and accuracy.
        rule: the statistic that must reach the level.

    Example:
        >>> from textkin.verbs import Goal
        >>> Goal.parse("precision=0.95").level
        0.95
    """

    aim: Aim
    level: float | None = None
    rule: GoalRule = GoalRule.LOWER_END

    def __post_init__(self) -> None:
        check_fields(self)
        object.__setattr__(self, "rule", _rule(self.rule))
        if (self.level is None) is (self.aim in (Aim.PRECISION, Aim.RECALL)):
            given = str(self.aim) if self.level is None else f"{self.aim}={self.level:g}"
            raise invalid("goal", given, expected=_FORMS)
        if self.level is not None and not 0 < self.level <= 1:
            raise invalid(str(self.aim), self.level, expected="a number above 0, at most 1, such as 0.95")

    def __str__(self) -> str:
        if self.level is None:
            return self.aim.value
        return f"{self.aim.value}={self.level}" + ("" if self.is_promise else f":{self.rule.value}")

    __repr__ = __str__

    @property
    def is_promise(self) -> bool:
        """True if a threshold for this goal is guaranteed to generalise."""
        return self.level is not None and self.rule is GoalRule.LOWER_END

    @classmethod
    def of(
        cls,
        *,
        precision: float | None = None,
        recall: float | None = None,
        f1: bool = False,
        accuracy: bool = False,
        rule: str = "lower-end",
    ) -> Goal:
        """The one goal that the options ask for; F1 if none.

        Raises:
            UsageError: there are several, or a rule without a level.
        """
        levels = {Aim.PRECISION: precision, Aim.RECALL: recall}
        asked = [aim for aim, level in levels.items() if level is not None]
        asked += [aim for aim, wanted in {Aim.F1: f1, Aim.ACCURACY: accuracy}.items() if wanted]
        if len(asked) > 1:
            raise conflict(*(aim.value for aim in asked), why="a threshold is fitted for one goal")
        aim = asked[0] if asked else Aim.F1
        if aim not in levels and rule != GoalRule.LOWER_END:
            raise required("precision", by=f"`rule={rule}`", fix="give `precision` or `recall`")
        return cls(aim, levels.get(aim), _rule(rule))

    @classmethod
    def parse(cls, text: str) -> Goal:
        """Read ``precision=0.95``, ``precision=0.95:estimate``, ``recall=0.9``, ``f1`` or ``accuracy``.

        Raises:
            UsageError: the text has another form.
        """
        name, equals, level = (part.strip() for part in text.partition("="))
        if name not in list(Aim):
            raise unknown_choice("goal", name, [aim.value for aim in Aim])
        level, colon, rule = (part.strip() for part in level.partition(":"))
        try:
            reached = float(level) if equals else None
        except ValueError:
            raise invalid("goal", text, expected=_FORMS) from None
        return cls(Aim(name), reached, _rule(rule) if colon else GoalRule.LOWER_END)


_FORMS = "precision=0.95, recall=0.9, f1 or accuracy"


def _rule(name: str) -> GoalRule:
    if name not in list(GoalRule):
        raise unknown_choice("rule", name, [rule.value for rule in GoalRule])
    return GoalRule(name)
