import pytest

from tests.networks.architectures.matching import check, matcher, values, vectors
from tests.reference.matching_matrix import image_filter, largest_of_cells, layer, matrix
from textkin.base.errors import ConfigError

pytestmark = pytest.mark.torch


@pytest.mark.parametrize("how", ["cosine", "dot"])
def test_it_is_the_plain_loop(how):
    model = matcher(
        "match-pyramid", similarity=how, filters=(2, 3), width=3, grid=(2, 4), hidden=(5,), outputs=2
    )

    def score(a, b):
        images = [matrix(vectors(model, a), vectors(model, b), how=how)]
        for convolution in model.convolutions:
            filtered = [
                image_filter(images, weight, bias, width=3)
                for weight, bias in zip(*values(convolution), strict=True)
            ]
            images = [[[max(0.0, x) for x in row] for row in image] for image in filtered]
        cells = [x for image in images for row in largest_of_cells(image, height=2, width=4) for x in row]
        hidden = [max(0.0, x) for x in layer(*values(model.decide[1]), cells)]
        return layer(*values(model.decide[4]), hidden)

    check(model, score)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"width": 2}, "an odd width"),
        ({"filters": []}, r"filters=\[\]"),
        ({"filters": [4, 0]}, r"filters=\[4, 0\]"),
        ({"grid": [3]}, r"grid=\[3\]"),
        ({"grid": [3, 0]}, r"grid=\[3, 0\]"),
        ({"similarity": "euclid"}, "similarity is 'euclid'"),
    ],
)
def test_impossible_options_are_named(options, words):
    with pytest.raises(ConfigError, match=words):
        matcher("match-pyramid", **options)
