import pytest

from textkin.base.errors import UsageError
from textkin.data.choice_records import ChoiceQuestion, ChoiceSet, letter_of


def test_the_letter_of_the_answer():
    assert ChoiceQuestion("q", "What melts?", ("fire", "ice"), answer=1).letter == "B"
    assert ChoiceQuestion("q", "What melts?", ("fire", "ice")).letter == ""
    assert letter_of(7) == "H"


@pytest.mark.parametrize(
    ("choices", "answer", "message"),
    [
        (("one",), None, ("choices",)),
        (tuple("abcdefghi"), None, ("choices",)),
        (("a", "b"), 2, ("answer",)),
        (("a", "b"), -1, ("answer",)),
    ],
)
def test_what_is_no_question_is_refused(choices, answer, message):
    with pytest.raises(UsageError) as error:
        ChoiceQuestion("q", "What?", choices, answer=answer)
    assert error.value.params == message


def test_a_set_knows_whether_all_answers_are_told():
    told = ChoiceQuestion("1", "What?", ("a", "b"), answer=0)
    untold = ChoiceQuestion("2", "What?", ("a", "b", "c"))
    assert ChoiceSet((told,)).is_answered
    assert not ChoiceSet((told, untold)).is_answered
    assert not ChoiceSet(()).is_answered
    assert ChoiceSet((told, untold)).texts[-1] == ("What?", "c")


def test_ids_are_unique():
    one = ChoiceQuestion("1", "What?", ("a", "b"))
    with pytest.raises(UsageError) as error:
        ChoiceSet((one, one))
    assert error.value.params == ("question_id",)
    with pytest.raises(UsageError) as error:
        ChoiceSet(("What?",))
    assert error.value.params == ("questions",)
