"""Whose rules hold for answers, and which questions are drawn together.

Questions about one paragraph are hard or easy together, and so are, less so, those about one article. The
resamples therefore take whole paragraphs, or whole articles if asked.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from typing import Self

import numpy as np
from numpy.typing import NDArray

from textkin.base.errors import unknown_choice
from textkin.base.first_seen_numbers import enumerated
from textkin.data.readers.datasets.squad import article_of
from textkin.data.span_records import SpanSet
from textkin.measures.intervals.bootstrap import Interval
from textkin.measures.metrics.spans import SquadRules


class GroupedBy(StrEnum):
    """Which questions hang together, and are drawn together."""

    PARAGRAPH = "paragraph"
    ARTICLE = "article"

    @classmethod
    def of(cls, name: str) -> Self:
        """The one of that name.

        Raises:
            UsageError: there is none.
        """
        try:
            return cls(name)
        except ValueError:
            raise unknown_choice("group_by", name, map(str, cls)) from None


def rules_of(data: SpanSet) -> SquadRules:
    """Those of 2.0 where some question is impossible or has no answer, else of 1.1."""
    has_none = any(one.is_impossible or not one.answers for one in data)
    return SquadRules.V2 if has_none else SquadRules.V1


def gold_of(data: SpanSet) -> dict[str, tuple[str, ...]]:
    """The texts of the gold answers of each question, by its id."""
    return {one.question_id: tuple(answer.text for answer in one.answers) for one in data}


def groups_of(data: SpanSet, by: GroupedBy = GroupedBy.PARAGRAPH) -> NDArray[np.int64]:
    """The number of each question's group, shape [questions]."""
    whole = by is GroupedBy.ARTICLE
    names = [article_of(one.passage_id) if whole else one.passage_id for one in data]
    return enumerated(names)[0]


def in_percent(found: Interval) -> Interval:
    """The same interval in percent, as SQuAD's figures are."""
    return Interval(100 * found.value, 100 * found.low, 100 * found.high, found.n)


def unknown_ids(told: Mapping[str, object], gold: Mapping[str, object]) -> tuple[str, ...]:
    """The ids that are told of and are none of the data's, in their order."""
    return tuple(one for one in told if one not in gold)
