import numpy as np
import pytest

from textkin.base.errors import UsageError
from textkin.data.span_answers import answers_by, asked_of
from textkin.data.span_records import SpanAnswer

ADA = SpanAnswer(0, 3, "Ada", 1.0, 0.5)


class Told:
    name = "told"

    def __init__(self, found):
        self.found = found

    def read(self, questions, passages, *, k=1):
        return self.found


def test_questions_and_passages_go_in_pairs():
    assert asked_of(np.array(["a", "b"]), ("c", "d"), 2) == [("a", "c"), ("b", "d")]
    for arguments, words in (
        ((["a"], ["b", "c"], 1), ("passages",)),
        (("ab", ["b", "c"], 1), ("passages",)),
        ((["a"], [None], 1), ("passages",)),
        ((["a"], ["b"], 0), ("k",)),
        ((["a"], ["b"], "3"), ("k",)),
        ((["a"], ["b"], 1.5), ("k",)),
        ((["a"], ["b"], True), ("k",)),
    ):
        with pytest.raises(UsageError) as error:
            asked_of(*arguments)
        assert error.value.params == words


def test_what_stands_is_passed_on():
    none = SpanAnswer(0, 0, "", np.int64(-1), np.float32(0.5))
    assert answers_by(Told([[ADA, none], ()]), ["who", "when"], ["Ada met Bob.", "x"], k=1) == [
        [ADA, none],
        [],
    ]


@pytest.mark.parametrize(
    ("found", "words"),
    [
        (None, "told gave a NoneType of answers to 1 questions"),
        ([], "told gave 0 lists of answers to 1 questions"),
        ([None], "'who' with None; give a list of tk.SpanAnswer"),
        ([[("Ada", 0)]], "give a list of tk.SpanAnswer"),
        ([[SpanAnswer(1, 4, "Ada", 1.0, 0.5)]], "does not stand at 1 to 4"),
        ([[SpanAnswer("0", 3, "Ada", 1.0, 0.5)]], "does not stand at 0 to 3"),
        ([[SpanAnswer(0, 3, None, 1.0, 0.5)]], "'None', which does not stand"),
        ([[SpanAnswer(0, 3, "Ada", float("nan"), 0.5)]], "the score nan, expected a number"),
        ([[SpanAnswer(0, 3, "Ada", float("-inf"), 0.5)]], "the score -inf, expected a number"),
        ([[SpanAnswer(0, 3, "Ada", 1.0, 1.5)]], "the probability 1.5, expected 0 to 1"),
        ([[SpanAnswer(0, 3, "Ada", 1.0, "x")]], "the probability x, expected 0 to 1"),
    ],
)
def test_answers_that_are_none(found, words):
    with pytest.raises(UsageError, match=words):
        answers_by(Told(found), ["who"], ["Ada met Bob."], k=1)
