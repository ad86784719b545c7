import pytest

from textkin.base.errors import ConfigError
from textkin.networks.architectures.table import build

pytestmark = pytest.mark.torch

WORDS = {"size": 10, "pad_id": 0}


@pytest.mark.parametrize(
    ("architecture", "argument", "value"),
    [
        ("siamese", "dim", False),
        ("siamese", "layers", True),
        ("siamese", "dropout", False),
        ("siamese", "mask", 1),
        ("siamese", "dim", 8.5),
        ("siamese", "dim", 10**30),
        ("siamese", "widths", [2, True]),
        ("siamese", "hidden", "8"),
        ("knrm", "dim", False),
        ("esim", "overlap", 3),
    ],
)
def test_what_is_no_such_value_is_refused_by_name(architecture, argument, value):
    with pytest.raises(ConfigError) as error:
        build(architecture, **WORDS, **{argument: value})
    assert (error.value.params, error.value.value) == ((argument,), value)


def test_whole_numbers_are_numbers():
    build("siamese", **WORDS, cell="mean", dim=4, dropout=0)
