from textkin.data.span_overlaps import apart, overlapping
from textkin.verbs.answer.among_passages import FoundAnswer


def test_a_span_that_overlaps_a_better_one_is_left_out():
    given = [("a", 5, 9), ("a", 7, 12), ("b", 7, 12), ("a", 9, 12), ("a", 0, 5), ("a", 4, 6), ("a", 11, 14)]
    spans = [FoundAnswer(*place, "x", -number) for number, place in enumerate(given)]
    assert [(one.passage_id, one.start, one.end) for one in apart(spans)] == [
        ("a", 5, 9),
        ("b", 7, 12),
        ("a", 9, 12),
        ("a", 0, 5),
    ]


def test_one_span_overlaps_nothing():
    assert (overlapping(1), overlapping(2)) == (1, 60)
