"""Conv-KNRM."""

import pytest

from tests.networks.architectures.matching import check, matcher, values, vectors
from tests.reference.matching_matrix import kernel_features, layer, matrix
from tests.reference.nn import convolved

pytestmark = pytest.mark.torch

KERNELS = {"kernels": 5, "sigma": 0.2, "exact_sigma": 0.01}


@pytest.mark.parametrize("cross_match", [True, False])
def test_it_is_the_plain_loop(cross_match):
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
