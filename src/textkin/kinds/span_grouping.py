"""SQuAD's rules for answers, and the grouping of questions for resampling.

Questions about one paragraph are correlated in difficulty, and so, to a lesser degree, are those about one
article. The resamples therefore take whole paragraphs, or whole articles on request.
"""

from collections.abc import Mapping
from enum import StrEnum
from typing import Self

from textkin.base.arrays import Ints
from textkin.base.errors import unknown_choice
from textkin.base.first_seen_numbers import enumerated
from textkin.data.readers.datasets.squad import article_of
from textkin.data.span_records import SpanSet
from textkin.measures.intervals.bootstrap import Interval
from textkin.measures.metrics.spans import SquadRules


class GroupedBy(StrEnum):
    """The unit of resampling for questions."""

    PARAGRAPH = "paragraph"
    ARTICLE = "article"

    @classmethod
    def of(cls, name: str) -> Self:
        """The unit with a given name.

        Raises:
            UsageError: there is no such unit.
        """
        try:
            return cls(name)
        except ValueError:
            raise unknown_choice("group_by", name, map(str, cls)) from None


def rules_of(data: SpanSet) -> SquadRules:
    """The rules of 2.0 if some question is impossible or has no answer, otherwise of 1.1."""
    has_none = any(one.is_impossible or not one.answers for one in data)
    return SquadRules.V2 if has_none else SquadRules.V1


def gold_of(data: SpanSet) -> dict[str, tuple[str, ...]]:
    """The texts of the gold answers of each question, by id."""
    return {one.question_id: tuple(answer.text for answer in one.answers) for one in data}


def groups_of(data: SpanSet, by: GroupedBy = GroupedBy.PARAGRAPH) -> Ints:
    """The number of each question's group, shape [questions]."""
    whole = by is GroupedBy.ARTICLE
    names = [article_of(one.passage_id) if whole else one.passage_id for one in data]
    return enumerated(names)[0]


def in_percent(found: Interval) -> Interval:
    """The same interval in percent, as in SQuAD's metrics."""
    return Interval(100 * found.value, 100 * found.low, 100 * found.high, found.n)


def unknown_ids(told: Mapping[str, object], gold: Mapping[str, object]) -> tuple[str, ...]:
    """The given ids that don't occur in the data, in order."""
    return tuple(one for one in told if one not in gold)
