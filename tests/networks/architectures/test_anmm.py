"""aNMM."""

import math

import pytest

from tests.networks.architectures.gated import dense, gated, linear_parts
from tests.networks.architectures.matching import check, matcher, values, vectors
from tests.reference.matching_matrix import layer, matrix, sums_by_bin

pytestmark = pytest.mark.torch


@pytest.mark.parametrize("gate", ["idf", "embedding"])
@pytest.mark.parametrize("hidden", [(4,), ()])
def test_it_is_the_plain_loop(gate, hidden):
    model = matcher("anmm", gate=gate, bins=6, hidden=hidden, outputs=2)

    def score(a, b):
        sums = [sums_by_bin(row, bins=6) for row in matrix(vectors(model, a), vectors(model, b))]
        parts = linear_parts(model.by_value)
        terms = [dense(parts, row, math.tanh) if hidden else layer(*values(parts[0]), row) for row in sums]
        return gated(model, a, terms, gate=gate)

    check(model, score)
