from math import inf, nan

import numpy as np
import pytest

from textkin.base.errors import UsageError
from textkin.data.choice_records import ChoiceQuestion
from textkin.data.choice_scores import answers_of, chosen, rows_of, scores_by, undecided

ASKED = (
    ChoiceQuestion("1", "What?", ("a", "b", "c"), answer=2),
    ChoiceQuestion("2", "What?", ("a", "b")),
)


class Given:
    name = "given"

    def __init__(self, rows):
        self.rows = rows

    def choose(self, questions):
        return self.rows


def test_scores_of_choices_become_rows():
    found = rows_of(np.array([1, 2, 3, 4, 5]), ASKED)
    np.testing.assert_array_equal(found, [[1, 2, 3], [4, 5, nan]])
    assert found.dtype == np.float32


def test_the_first_of_equal_choices_is_chosen():
    scores = np.array([[0, 2, 2], [0, 0, nan], [-3, -1, nan]], dtype=np.float32)
    assert chosen(scores).tolist() == [1, 0, 1]
    assert undecided(scores).tolist() == [False, True, False]


def test_the_right_choices():
    assert answers_of(ASKED).tolist() == [2, -1]


@pytest.mark.parametrize(
    "rows",
    [
        [[1, 2, 3]],
        [[1, 2], [1, 2]],
        [[1, 2, nan], [1, 2, nan]],
        [[1, 2, inf], [1, 2, nan]],
        [[1, 2, 3], [1, 2, 3]],
        [[1, 2, 3], [1, 2]],
        "abc",
        None,
    ],
)
def test_what_is_no_row_of_scores_is_refused(rows):
    with pytest.raises(UsageError) as error:
        scores_by(Given(rows), ASKED)
    assert error.value.params == ("given",)


def test_rows_that_fit_are_kept():
    found = scores_by(Given([[1, 2, 3], [1, 2, nan]]), ASKED)
    assert found.shape == (2, 3)
    assert scores_by(Given([[1, 2, nan]]), ASKED[1:]).shape == (1, 2)
