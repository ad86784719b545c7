import pytest

from textkin.base.errors import UsageError
from textkin.data.readers.datasets.squad_rows import spans_of_rows
from textkin.data.span_records import Passage, Span, SpanQuestion, SpanSet


def test_questions_are_about_passages_that_are_there():
    passage, asked = Passage("p", "Ada", "Ada met Bob."), SpanQuestion("q", "Who?", "p", (Span(8, "Bob"),))
    data = SpanSet({"p": passage}, (asked,))
    assert (len(data), list(data), data.texts) == (1, [asked], [("Who?", "Ada met Bob.")])
    assert asked.answers[0].end == 11
    with pytest.raises(UsageError) as error:
        SpanSet({"other": passage}, (asked,))
    assert error.value.params == ("passage_id",)
    with pytest.raises(UsageError) as error:
        SpanSet({"p": "Ada met Bob."}, (asked,))
    assert error.value.params == ("passage_id",)
    with pytest.raises(UsageError) as error:
        SpanSet({"p": passage}, ("Who?",))
    assert error.value.params == ("questions",)


def test_rows_are_read_back_and_selected():
    passages = {"0-0": Passage("0-0", "Ada", "Ada met Bob."), "0-1": Passage("0-1", "Ada", "Bob left.")}
    asked = (
        SpanQuestion("q1", "Who met Bob?", "0-0", (Span(0, "Ada"),), row=0),
        SpanQuestion("q2", "Why?", "0-1", (), is_impossible=True, row=1),
    )
    data = SpanSet(passages, asked, "questions")
    rows = data.rows()
    assert spans_of_rows(list(rows[0]), [list(row.values()) for row in rows]) == data
    assert data.select([1]) == SpanSet({"0-1": passages["0-1"]}, asked[1:], "questions")
    assert repr(data) == "<SpanSet: 2 rows>"
