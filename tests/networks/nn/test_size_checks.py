import pytest

from textkin.base.errors import UsageError
from textkin.networks.nn.size_checks import check_sizes


def test_sizes_from_one_pass():
    check_sizes(width=1, filters=[3, 1], regions=(2,))


@pytest.mark.parametrize(
    ("sizes", "words"),
    [
        ({"width": 1, "pool": 0}, ("pool",)),
        ({"width": -2}, ("width",)),
        ({"filters": []}, ("filters",)),
        ({"filters": (3, 0)}, ("filters",)),
    ],
)
def test_others_are_named(sizes, words):
    with pytest.raises(UsageError) as error:
        check_sizes(**sizes)
    assert error.value.params == words
