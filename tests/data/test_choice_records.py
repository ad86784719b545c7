import pytest

from textkin.base.errors import UsageError
from textkin.data.choice_records import ChoiceQuestion, ChoiceSet, letter_of, with_number
from textkin.data.readers.choices import choices_of


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


def test_rows_are_read_back():
    asked = ChoiceSet(
        (ChoiceQuestion("1", "What melts?", ("ice", "fire"), 0, ("Ice melts.", "So does snow.")),),
        name="exam",
    )
    (row,) = asked.rows()
    assert choices_of([row], "exam").questions[0].answer == 0
    assert (row["id"], row["choices"], row["support"]) == ("1", ["ice", "fire"], "Ice melts.\nSo does snow.")
    assert repr(asked) == "<ChoiceSet: 1 row>"


@pytest.mark.parametrize(
    ("word", "found"),
    [
        ("lucene:500", ("lucene", 500)),
        ("support:bm25:english:3", ("support:bm25:english", 3)),
        ("support:bm25:english", ("support:bm25:english", None)),
        ("lucene-best-pair", ("lucene-best-pair", None)),
        ("default:3", ("default:3", None)),
    ],
)
def test_the_number_in_a_choosers_name(word, found):
    assert with_number(word) == found
