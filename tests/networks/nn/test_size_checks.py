import pytest

from textkin.base.errors import UsageError
from textkin.networks.nn.size_checks import check_sizes


def test_sizes_from_one_pass():
    check_sizes(width=1, filters=[3, 1], regions=(2,))


@pytest.mark.parametrize(
    ("sizes", "words"),
    [
        ({"width": 1, "pool": 0}, "pool is 0, expected 1 or more"),
        ({"width": -2}, "width is -2"),
        ({"filters": []}, r"filters is \[\], expected one number or more"),
        ({"filters": (3, 0)}, r"filters is \[3, 0\]"),
    ],
)
def test_others_are_named(sizes, words):
    with pytest.raises(UsageError, match=words):
        check_sizes(**sizes)
