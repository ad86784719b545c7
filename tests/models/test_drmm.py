import math

import pytest
import torch

from tests.models.matching import IDF, A, B, batch, check, matcher, values, vectors
from tests.reference.matching_matrix import histogram, layer, matrix, shares, strongest, sums_by_bin
from textkin.errors import ConfigError


def gated(model, text, terms, *, gate):
    """The sum of what each word of a text gives, weighted by a softmax over the words."""
    weight, _ = values((model.attention if hasattr(model, "attention") else model.gate).weight)
    known = [[float(IDF[token])] for token in text] if gate == "idf" else vectors(model, text)
    weights = shares([layer(weight, [0.0], one)[0] for one in known])
    return [
        sum(w * term[out] for w, term in zip(weights, terms, strict=True)) for out in range(len(terms[0]))
    ]


def dense(parts, inputs, activation):
    """Two dense layers."""
    return layer(*values(parts[1]), [activation(value) for value in layer(*values(parts[0]), inputs)])


def linear_parts(module):
    return [part for part in module if isinstance(part, torch.nn.Linear)]


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


@pytest.mark.parametrize("gate", ["idf", "embedding"])
def test_drmm_tks_is_the_plain_loop(gate):
    model = matcher("drmm-tks", gate=gate, k=4, hidden=5)

    def score(a, b):
        rows = matrix(vectors(model, a), vectors(model, b))
        terms = [
            dense(linear_parts(model.match), strongest(row, 4), lambda x: math.log(1 + math.exp(x)))
            for row in rows
        ]
        return gated(model, a, terms, gate=gate)

    check(model, score)


@pytest.mark.parametrize("gate", ["idf", "embedding"])
@pytest.mark.parametrize("hidden", [(4,), ()])
def test_anmm_is_the_plain_loop(gate, hidden):
    model = matcher("anmm", gate=gate, bins=6, hidden=hidden, outputs=2)

    def score(a, b):
        sums = [sums_by_bin(row, bins=6) for row in matrix(vectors(model, a), vectors(model, b))]
        parts = linear_parts(model.by_value)
        terms = [dense(parts, row, math.tanh) if hidden else layer(*values(parts[0]), row) for row in sums]
        return gated(model, a, terms, gate=gate)

    check(model, score)


def test_drmm_drops_out_between_its_layers_alone():
    model = matcher("drmm-tks", dropout=1.0)
    bias = model.match[-1].bias
    torch.testing.assert_close(model.train()(batch(A), batch(B)), bias.expand(len(A), 1))


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
    ("name", "options", "words"),
    [
        ("drmm", {"bins": 1}, "bins is 1"),
        ("drmm", {"histogram": "lch"}, "histogram is 'lch'"),
        ("drmm", {"gate": "vector"}, "gate is 'vector'"),
        ("drmm-tks", {"k": 0}, "k is 0"),
        ("drmm-tks", {"gate": "IDF"}, "gate is 'IDF'"),
        ("anmm", {"bins": 0}, "bins is 0"),
        ("anmm", {"gate": ""}, "gate is ''"),
    ],
)
def test_impossible_options_are_named(name, options, words):
    with pytest.raises(ConfigError, match=words):
        matcher(name, **options)
