"""ARC-I."""

import pytest

from tests.networks.architectures.arc import decided
from tests.networks.architectures.matching import check, matcher, values, vectors
from tests.reference.nn import convolved
from tests.reference.windows import region_maxima, window_maxima
from textkin.base.errors import ConfigError

pytestmark = pytest.mark.torch


@pytest.mark.parametrize(
    "options",
    [
        {"filters": [3], "regions": 2},
        {"filters": [3, 4], "regions": 3, "pool": 2, "hidden": [5, 4], "outputs": 3},
        {"filters": [3, 4, 2], "regions": 1, "pool": 3, "width": 2, "hidden": []},
    ],
)
def test_it_is_the_plain_loop(options):
    model = matcher("arc-i", **options)

    def vector(text):
        states = vectors(model, text)
        for number, convolution in enumerate(model.convolutions):
            if number:
                states = window_maxima(states, options["pool"])
            states = convolved(states, *values(convolution.convolutions[0]))
        return [value for region in region_maxima(states, options["regions"]) for value in region]

    check(model, lambda a, b: decided(model, vector(a) + vector(b)))


@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("arc-i", {"filters": []}),
        ("arc-i", {"pool": 0}),
        ("arc-i", {"regions": 0}),
    ],
)
def test_impossible_options_are_named(name, options):
    with pytest.raises(ConfigError) as error:
        matcher(name, **options)
    [(option, value)] = options.items()
    assert (error.value.params, error.value.value) == ((option,), value)
