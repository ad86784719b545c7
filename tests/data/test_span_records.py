import pytest

from textkin.base.errors import UsageError
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
