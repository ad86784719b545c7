import pytest

from tests.networks.architectures.matching import check, matcher, values, vectors
from tests.reference.matching_matrix import kernel_features, layer, matrix
from textkin.base.errors import ConfigError

pytestmark = pytest.mark.torch

KERNELS = {"kernels": 5, "sigma": 0.2, "exact_sigma": 0.01}


@pytest.mark.parametrize("outputs", [1, 3])
def test_knrm_is_the_plain_loop(outputs):
    model = matcher("knrm", outputs=outputs, **KERNELS)

    def score(a, b):
        cosines = matrix(vectors(model, a), vectors(model, b))
        return layer(*values(model.output), kernel_features(cosines, **KERNELS))

    check(model, score)


@pytest.mark.parametrize(
    ("name", "options", "words"),
    [
        ("knrm", {"kernels": 1}, "kernels is 1"),
        ("knrm", {"sigma": 0.0}, "above 0"),
        ("conv-knrm", {"ngrams": []}, "make no phrases"),
        ("conv-knrm", {"ngrams": [1, 0]}, "make no phrases"),
        ("conv-knrm", {"filters": 0}, "make no phrases"),
        ("conv-knrm", {"exact_sigma": -1.0}, "above 0"),
    ],
)
def test_impossible_options_are_named(name, options, words):
    with pytest.raises(ConfigError, match=words):
        matcher(name, **options)
