import pytest
from hypothesis import given
from hypothesis import strategies as st

from textkin.base.errors import DataError
from textkin.data.readers.candidates import Judged, binary_label, gather
from textkin.data.readers.read_report import SkipCounter

WORDS = st.sampled_from(["", " ", "a", "b c"])


def _row(line=1, query_id="q", query="text", doc_id="d", doc="answer", label=0):
    return Judged(line, query_id, query, doc_id, doc, label)


@given(st.lists(st.tuples(WORDS, st.lists(st.tuples(WORDS, st.integers(0, 2)), max_size=4)), max_size=5))
def test_nothing_is_lost_but_empty_texts(questions):
    counter = SkipCounter("x")
    rows = [
        _row(counter.rows, f"q{place}", query, f"d{number}", doc, label)
        for place, (query, candidates) in enumerate(questions)
        for number, (doc, label) in enumerate(candidates)
    ]
    counter.rows = len(rows)
    found = list(gather(rows, counter))
    expected = [
        (f"q{place}", query, [(doc, label) for doc, label in candidates if doc.strip()])
        for place, (query, candidates) in enumerate(questions)
        if query.strip() and any(doc.strip() for doc, _ in candidates)
    ]
    assert [
        (one.query_id, one.query, list(zip(one.docs, one.labels, strict=True))) for one in found
    ] == expected
    assert counter.report().kept == sum(len(one.docs) for one in found)


@pytest.mark.parametrize(
    ("row", "words"),
    [
        (_row(3, "q"), "'q' comes back after other questions"),
        (_row(3, "r"), "'d' comes twice for question 'r'"),
        (_row(3, "r", query="other", doc_id="e"), "'r' has two texts: 'text' and 'other'"),
    ],
)
def test_rows_that_contradict_earlier_ones(row, words):
    rows = [_row(1, "q"), _row(2, "r"), row]
    with pytest.raises(DataError) as error:
        list(gather(rows, SkipCounter("x")))
    assert error.value.line == 3
    with pytest.raises(DataError, match=f"^x: question 3: .*{words}"):
        list(gather(rows, SkipCounter("x", unit="question")))


def test_labels_are_0_or_1():
    counter = SkipCounter("x")
    assert [binary_label(cell, 1, counter) for cell in ("0", " 1 ")] == [0, 1]
    for cell in ("2", "", "yes", "0.5"):
        with pytest.raises(DataError) as error:
            binary_label(cell, 7, counter)
        assert error.value.line == 7
