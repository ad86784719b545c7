import pytest

from tests.kinds.spans import asked, spans
from textkin.base.errors import UsageError
from textkin.kinds.span_grouping import (
    GroupedBy,
    gold_of,
    groups_of,
    in_percent,
    rules_of,
    unknown_ids,
)
from textkin.measures.intervals.bootstrap import Interval
from textkin.measures.metrics.spans import SquadRules


def test_the_data_say_which_rules_hold():
    plain = asked("1", 0, ("red fish",))
    assert rules_of(spans(plain)) is SquadRules.V1
    assert rules_of(spans(plain, asked("2", 0, ()))) is SquadRules.V2
    assert rules_of(spans(plain, asked("2", 0, ("bird",), is_impossible=True))) is SquadRules.V2


def test_questions_group_by_paragraph_and_by_article():
    data = spans(*(asked(str(number), paragraph, ("bird",)) for number, paragraph in enumerate([4, 4, 5, 0])))
    assert groups_of(data).tolist() == [0, 0, 1, 2]
    assert groups_of(data, GroupedBy.ARTICLE).tolist() == [0, 0, 0, 1]
    assert GroupedBy.of("article") is GroupedBy.ARTICLE
    with pytest.raises(UsageError) as error:
        GroupedBy.of("paragrph")
    assert error.value.params == ("group_by",)
    assert gold_of(data)["0"] == ("bird",)


def test_percent_and_strangers():
    assert in_percent(Interval(0.5, 0.25, 0.75, 3)) == Interval(50.0, 25.0, 75.0, 3)
    assert unknown_ids({"a": 1, "b": 2, "c": 3}, {"b": 0}) == ("a", "c")
