from textkin.measures.intervals.bootstrap import Interval
from textkin.vectors.index.recall import MeasuredRecall
from textkin.verbs.answer.phrases import AuditedRecall


def recall(value: float, low: float, high: float) -> MeasuredRecall:
    return MeasuredRecall(1, Interval(value, low, high, 100), "questions")


def test_only_a_share_below_the_interval_is_worse_than_stated():
    stated, measured = recall(0.9, 0.85, 0.95), [recall(value, 0, 1) for value in (0.84, 0.85, 0.95, 0.96)]
    assert AuditedRecall((stated,) * 4, tuple(measured)).sides() == ["below", "within", "within", "above"]
