"""DRMM on the top k similarities."""

import math

import pytest
import torch

from tests.networks.architectures.gated import dense, gated, linear_parts
from tests.networks.architectures.matching import A, B, batch, check, matcher, vectors
from tests.reference.matching_matrix import matrix, strongest

pytestmark = pytest.mark.torch


@pytest.mark.parametrize("gate", ["idf", "embedding"])
def test_it_is_the_plain_loop(gate):
    model = matcher("drmm-tks", gate=gate, k=4, hidden=5)

    def score(a, b):
        rows = matrix(vectors(model, a), vectors(model, b))
        terms = [
            dense(linear_parts(model.match), strongest(row, 4), lambda x: math.log(1 + math.exp(x)))
            for row in rows
        ]
        return gated(model, a, terms, gate=gate)

    check(model, score)


def test_it_drops_out_between_its_layers_alone():
    model = matcher("drmm-tks", dropout=1.0)
    bias = model.match[-1].bias
    torch.testing.assert_close(model.train()(batch(A), batch(B)), bias.expand(len(A), 1))
