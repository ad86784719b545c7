import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from textkin.base.errors import DataError
from textkin.data.choice_records import ChoiceQuestion
from textkin.data.choice_scores import rows_of
from textkin.data.readers.choice_predictions import (
    read_choice_predictions,
    read_choice_scores,
    write_choices,
    write_letters,
)

ASKED = (
    ChoiceQuestion("7", "What melts?", ("fire", "ice", "air")),
    ChoiceQuestion("=8", "What burns?", ("wood", "ice")),
)
SCORES = rows_of(np.array([0.25, 0.5, -1, 2, 2]), ASKED)


def test_the_table_of_scores(tmp_path):
    path = tmp_path / "out.csv"
    write_choices(path, ASKED, SCORES)
    assert path.read_text() == "7,B,0.25,0.5,-1.0\n'=8,A,2.0,2.0,\n"
    np.testing.assert_array_equal(read_choice_scores(path, ASKED), SCORES)
    np.testing.assert_array_equal(read_choice_scores(path, ASKED[1:]), [[2, 2]])


def test_the_table_of_the_challenge(tmp_path):
    path = tmp_path / "out.csv"
    write_letters(path, ASKED, SCORES)
    assert path.read_text() == "id,correctAnswer\n7,B\n'=8,A\n"


@given(scores=st.lists(st.floats(width=32, allow_nan=False, allow_infinity=False), min_size=5, max_size=5))
def test_scores_read_back_exactly(tmp_path_factory, scores):
    path = tmp_path_factory.mktemp("scores") / "out.csv"
    rows = rows_of(np.array(scores), ASKED)
    write_choices(path, ASKED, rows)
    np.testing.assert_array_equal(read_choice_scores(path, ASKED), rows)


@pytest.mark.parametrize("text", ["7,B,0.25,0.5,-1.0\n", "7,B,0.25,0.5\n'=8,A,2.0,2.0,\n"])
def test_a_question_without_all_its_scores_is_refused(tmp_path, text):
    path = tmp_path / "out.csv"
    path.write_text(text)
    with pytest.raises(DataError):
        read_choice_scores(path, ASKED)


@pytest.mark.parametrize(
    "text", ["id,correctAnswer\n7,B\n=8,A\n", "7\tb\n=8\ta\n", "7,B,0,1,0.5\n=8,A,2,1\n"]
)
def test_letters_are_read_with_and_without_a_header(tmp_path, text):
    path = tmp_path / "out.csv"
    path.write_text(text)
    assert {key: one.place for key, one in read_choice_predictions(path).items()} == {"7": 1, "=8": 0}


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("7,B,0.25,0.5,nan\n8,A,2.0,2.0,\n", 1),
        ("7,B\n8,x\n", 2),
        ("id,correctAnswer\n7,B\n7,A\n", 3),
        ("7,B,x\n", 1),
        ("\n", None),
        ("{}\n", None),
    ],
)
def test_wrong_rows_are_named_by_their_line(tmp_path, text, line):
    path = tmp_path / "out.csv"
    path.write_text(text)
    with pytest.raises(DataError) as error:
        read_choice_predictions(path)
    assert (error.value.path, error.value.line) == (path, line)


def test_what_is_no_text_is_refused(tmp_path):
    path = tmp_path / "out.csv"
    path.write_bytes(b"\xff\xfe\n")
    with pytest.raises(DataError) as error:
        read_choice_scores(path, ASKED)
    assert str(error.value.path).endswith("out.csv")
    with pytest.raises(DataError) as error:
        read_choice_scores(tmp_path / "none.csv", ASKED)
    assert str(error.value.path).endswith("none.csv")
