"""The part of a long text that is kept."""

import pytest

from textkin.base.errors import UsageError
from textkin.text.truncation import Truncate, check_length, kept

TOKENS = [1, 2, 3, 4, 5]


@pytest.mark.parametrize(
    ("max_length", "truncate", "expected"),
    [
        (None, Truncate.HEAD, TOKENS),
        (None, Truncate.TAIL, TOKENS),
        (2, Truncate.HEAD, [1, 2]),
        (2, Truncate.TAIL, [4, 5]),
        (5, Truncate.TAIL, TOKENS),
        (9, Truncate.HEAD, TOKENS),
        (9, Truncate.TAIL, TOKENS),
    ],
)
def test_what_is_kept(max_length, truncate, expected):
    assert TOKENS[kept(max_length, truncate)] == expected


def test_a_length_that_leaves_nothing_is_refused():
    check_length(None)
    check_length(1)
    check_length(3, least=3)
    with pytest.raises(UsageError) as error:
        check_length(0)
    assert (error.value.params, error.value.value) == (("max_length",), 0)
    with pytest.raises(UsageError) as error:
        check_length(2, least=3)
    assert (error.value.params, error.value.value) == (("max_length",), 2)


@pytest.mark.parametrize("found", [1e308, 12.0, "12", [12], True])
def test_a_length_from_a_file_that_is_no_whole_number_is_refused(found):
    with pytest.raises(UsageError) as error:
        check_length(found)
    assert error.value.params == ("max_length",)
