"""The parameters of BM25, and names that hold them."""

import pytest

from textkin.base.errors import UsageError
from textkin.text.baselines.bm25_parameters import BM25, Bm25Parameters


@pytest.mark.parametrize(
    ("name", "plain", "parameters"),
    [
        ("bm25", "bm25", BM25),
        ("bm25()", "bm25", BM25),
        ("bm25( k1=0.9, b=.4 )", "bm25", Bm25Parameters(0.9, 0.4)),
        ("bm25:english(variant=plus,delta=2)", "bm25:english", Bm25Parameters(variant="plus", delta=2)),
        ("sentence-bm25(b=0)", "sentence-bm25", Bm25Parameters(b=0)),
        ("support:bm25(k1=0)", "support:bm25", Bm25Parameters(k1=0)),
        ("tfidf(k1=1)", "tfidf(k1=1)", BM25),
    ],
)
def test_a_name_holds_parameters(name, plain, parameters):
    assert Bm25Parameters.in_name(name) == (plain, parameters)


@pytest.mark.parametrize("parameters", [BM25, Bm25Parameters(0.9, 0.4, "l", 0.1), Bm25Parameters(b=1)])
def test_the_suffix_gives_the_same_parameters(parameters):
    assert Bm25Parameters.in_name(f"bm25{parameters.suffix}") == ("bm25", parameters)


@pytest.mark.parametrize(
    "wrong",
    ["k1=-1", "k1=inf", "k1=x", "k1", "b=1.1", "b=nan", "k2=1", "variant=pluss", "delta=1", "k1=1,k1=2"],
)
def test_wrong_parameters_are_refused(wrong):
    for param, value, call in (
        ("models", f"bm25({wrong})", Bm25Parameters.in_name),
        ("bm25", wrong, lambda _: Bm25Parameters.parsed(wrong)),
    ):
        with pytest.raises(UsageError) as caught:
            call(value)
        assert (caught.value.params, caught.value.value) == ((param,), value)


def test_a_misspelt_variant_and_parameter_are_corrected():
    for wrong, right in (("variant=pluss", "plus"), ("varient=plus", "variant")):
        with pytest.raises(UsageError) as caught:
            Bm25Parameters.in_name(f"bm25({wrong})")
        assert repr(right) in caught.value.fix
