import numpy as np
import pytest

from tests.making_choices import Told, exam, knowing
from textkin.base.errors import DataError, UsageError
from textkin.data.choice_records import ChoiceQuestion, ChoiceSet
from textkin.kinds.choice_judge import ChoiceJudge
from textkin.measures.intervals.sampling import Sampling

SAMPLING = Sampling(200, 199)


def test_accuracy_is_the_proportion_of_right_choices():
    data = exam(40)
    judge = ChoiceJudge(data, sampling=SAMPLING)
    judge.take("good", knowing(data, 30))
    judge.take("seeds", knowing(data, 10), knowing(data, 20))
    found = judge.figures("good")["accuracy"]
    assert found.value == judge.value("good") == 0.75
    assert found.low < 0.75 < found.high
    assert judge.by_seed("seeds") == [0.25, 0.5]
    assert judge.value("seeds") == 0.375
    assert judge.earned("seeds").mean(axis=0).tolist() == [1] * 10 + [0.5] * 10 + [0] * 20


def test_a_difference_is_tested():
    data = exam(60)
    judge = ChoiceJudge(data, sampling=SAMPLING)
    judge.take("good", knowing(data, 50))
    judge.take("bad", knowing(data, 15))
    found = judge.difference("good", "bad")
    assert found.value == pytest.approx(35 / 60)
    assert found.p <= 0.01
    assert judge.difference("good", "good").p == 1


def test_questions_of_one_wording_are_drawn_together():
    same = tuple(ChoiceQuestion(str(number), "Which one?", ("a", "b"), answer=0) for number in range(4))
    other = ChoiceQuestion("4", "which ONE", ("a", "c"), answer=0)
    apart = ChoiceQuestion("5", "Which two?", ("a", "c"), answer=0)
    judge = ChoiceJudge(ChoiceSet((*same, other, apart)), sampling=SAMPLING)
    assert judge.sizes() == {"questions": 6, "components": 2}


def test_the_first_of_equal_choices_is_counted_and_said():
    data = exam(10)
    judge = ChoiceJudge(data, sampling=SAMPLING)
    judge.take("flat", Told({one.question_id: [0] * 4 for one in data}))
    assert judge.value("flat") == np.mean([one.answer == 0 for one in data])
    assert [note.rpartition(": ")[2] for note in judge.notes()] == ["flat 10."]


def test_a_right_choice_that_is_offered_twice_is_said():
    one = ChoiceQuestion("twice", "Which one?", ("a", "b", "a"), answer=2)
    judge = ChoiceJudge(ChoiceSet((one, *exam(3))), sampling=SAMPLING)
    assert judge.notes() == ("1 question with the right choice's text twice: the other counts as wrong.",)


def test_what_was_written_reads_back(tmp_path):
    data = exam(10)
    judge = ChoiceJudge(data, sampling=SAMPLING)
    judge.take("one", knowing(data, 6))
    judge.take("two", knowing(data, 2), knowing(data, 4))
    judge.write(tmp_path)
    again = ChoiceJudge(data, sampling=SAMPLING)
    again.read(tmp_path, ["one", "two"])
    assert [again.value(name) for name in again.names] == pytest.approx([0.6, 0.3])
    assert again.by_seed("two") == [0.2, 0.4]
    with pytest.raises(DataError) as caught:
        again.read(tmp_path, ["three"])
    assert caught.value.path == tmp_path


def test_what_can_not_be_measured_is_refused():
    with pytest.raises(DataError, match="doesn't tell the right choice of every question"):
        ChoiceJudge(exam(3, answered=False), sampling=SAMPLING)
    judge = ChoiceJudge(exam(3), sampling=SAMPLING)

    class Mute:
        name = "mute"

    with pytest.raises(UsageError) as error:
        judge.take("mute", Mute())
    assert error.value.params == ("models",)
