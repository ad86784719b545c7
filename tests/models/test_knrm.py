import pytest

from tests.models.matching import check, matcher, values, vectors
from tests.reference.matching_matrix import kernel_features, layer, matrix
from tests.reference.nn import convolved
from textkin.errors import ConfigError

KERNELS = {"kernels": 5, "sigma": 0.2, "exact_sigma": 0.01}


@pytest.mark.parametrize("outputs", [1, 3])
def test_knrm_is_the_plain_loop(outputs):
    model = matcher("knrm", outputs=outputs, **KERNELS)

    def score(a, b):
        cosines = matrix(vectors(model, a), vectors(model, b))
        return layer(*values(model.output), kernel_features(cosines, **KERNELS))

    check(model, score)


@pytest.mark.parametrize("cross_match", [True, False])
def test_conv_knrm_is_the_plain_loop(cross_match):
    model = matcher("conv-knrm", ngrams=(1, 3, 2), filters=4, cross_match=cross_match, outputs=2, **KERNELS)

    def phrases(text, part):
        return convolved(vectors(model, text), *values(model.phrases.convolutions[part]))

    def score(a, b):
        lengths = [(x, y) for x in range(3) for y in range(3) if cross_match or x == y]
        features = []
        for of_a, of_b in lengths:
            features += kernel_features(matrix(phrases(a, of_a), phrases(b, of_b)), **KERNELS)
        return layer(*values(model.output), features)

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
