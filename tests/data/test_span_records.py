import pytest

from textkin.base.errors import UsageError
from textkin.data.span_records import Passage, Span, SpanQuestion, SpanSet


def test_questions_are_about_passages_that_are_there():
    passage, asked = Passage("p", "Ada", "Ada met Bob."), SpanQuestion("q", "Who?", "p", (Span(8, "Bob"),))
    data = SpanSet({"p": passage}, (asked,))
    assert (len(data), list(data), data.texts) == (1, [asked], [("Who?", "Ada met Bob.")])
    assert asked.answers[0].end == 11
    with pytest.raises(UsageError, match="'q' is about passage 'p', which is not there"):
        SpanSet({"other": passage}, (asked,))
    with pytest.raises(UsageError, match=r"as a tk\.Passage"):
        SpanSet({"p": "Ada met Bob."}, (asked,))
    with pytest.raises(UsageError, match="a question is 'Who"):
        SpanSet({"p": passage}, ("Who?",))
