import math

import pytest

from tests.networks.architectures.gated import dense, gated, linear_parts
from tests.networks.architectures.matching import A, B, batch, check, matcher, vectors
from tests.reference.matching_matrix import histogram, matrix
from textkin.base.errors import ConfigError

pytestmark = pytest.mark.torch


@pytest.mark.parametrize("kind", ["CH", "NH", "LCH"])
@pytest.mark.parametrize("gate", ["idf", "embedding"])
def test_drmm_is_the_plain_loop(kind, gate):
    model = matcher("drmm", histogram=kind, gate=gate, bins=7, hidden=(4,), outputs=2)

    def score(a, b):
        rows = matrix(vectors(model, a), vectors(model, b))
        terms = [
            dense(linear_parts(model.match), histogram(row, bins=7, kind=kind), math.tanh) for row in rows
        ]
        return gated(model, a, terms, gate=gate)

    check(model, score)


def test_vectors_that_no_gradient_reaches_are_not_trained_silently():
    with pytest.raises(ConfigError, match=r"no gradient passes a histogram.*gate = 'embedding'"):
        matcher("drmm", gate="idf", train_embedding=True)
    with pytest.raises(ConfigError, match=r"tokens are spelt, but no gradient passes"):
        matcher("drmm", gate="idf", unit_size=5)
    for name in ("drmm-tks", "anmm"):
        model = matcher(name, gate="idf", train_embedding=True)
        model(batch(A), batch(B)).sum().backward()
        assert model.words.embedding.table.grad.abs().sum() > 0


@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("drmm", {"bins": 1}),
        ("drmm", {"histogram": "lch"}),
        ("drmm", {"gate": "vector"}),
        ("drmm-tks", {"k": 0}),
        ("drmm-tks", {"gate": "IDF"}),
        ("anmm", {"bins": 0}),
        ("anmm", {"gate": ""}),
    ],
)
def test_impossible_options_are_named(name, options):
    with pytest.raises(ConfigError) as error:
        matcher(name, **options)
    [(option, value)] = options.items()
    assert (error.value.params, error.value.value) == ((option,), value)
