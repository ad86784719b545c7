"""Networks whose scores are sums over tokens."""

from functools import partial

import numpy as np
import pytest
import torch

from tests.models.interop import tiny
from textkin.base.errors import UsageError
from textkin.data.token_attributions import TokenShares
from textkin.models.inference import NeuralEncoder, NeuralScorer
from textkin.networks.architectures.late_interaction import LateInteraction
from textkin.networks.architectures.static import StaticTower
from textkin.networks.architectures.table import build
from textkin.text.pipeline import WordPipeline
from textkin.text.tokenizer_pipeline import TokenizerPipeline
from textkin.text.vocabulary import Oov, build_vocabulary

pytestmark = pytest.mark.torch

TEXTS = ["a b c d e f g", "a", "", "c b a", "unseen words only", "b b unseen", "g f e d c b a a b c d"]


def bag(*, ngrams=None, most=None, **options):
    torch.manual_seed(0)
    buckets = 32 if ngrams else 0
    vocabulary = build_vocabulary([list("abcdefg")], oov=Oov.DROP if ngrams else Oov.ZERO)
    words = WordPipeline(vocabulary, ngrams=ngrams, ngram_buckets=buckets, max_length=most)
    module = build(
        "siamese",
        size=words.size,
        pad_id=words.pad_id,
        zero_ids=list(words.vocabulary.zero_ids),
        dim=5,
        cell="mean",
        **options,
    )
    return NeuralEncoder(module, words, name="bag")


def static():
    torch.manual_seed(1)
    made = TokenizerPipeline(tiny.tokenizer("bert").to_str())
    module = StaticTower(size=made.size, dim=6, token_weights=True, projection=4)
    torch.nn.init.uniform_(module.embedding.weights)
    torch.nn.init.normal_(module.projection.weight)
    return NeuralEncoder(module, made, name="static")


@pytest.mark.parametrize(
    "make",
    [
        bag,
        partial(bag, most=3),
        partial(bag, pooling="sum"),
        partial(bag, pooling="root-mean"),
        partial(bag, token_weights=True),
        partial(bag, ngrams=(2, 3)),
        static,
    ],
)
def test_shares_are_the_score(make):
    encoder = make()
    assert encoder.adds_up
    texts = TEXTS if encoder.name == "bag" else [*tiny.TEXTS, "😀 reset"]
    for a in texts:
        for b in texts:
            shares = TokenShares.of(encoder.addends(a), encoder.addends(b, second=True))
            assert shares.score == pytest.approx(float(encoder.score([(a, b)])[0]), abs=1e-6)


def test_n_grams_count_for_their_words():
    found = bag(ngrams=(2, 3)).addends("abc zz abc")
    assert found.texts == ("abc", "zz", "abc") and found.rows.any(axis=1).all()
    cut = bag(ngrams=(2, 3), most=9).addends("abcdef gfedcb")
    assert cut.texts == ("abcdef", "gfedcb") and not cut.rows[1].any(), "the limit is 9 ids"


@pytest.mark.parametrize("options", [{"dense": 3}, {"pooling": "max"}, {"mask": False}])
def test_what_is_no_sum_says_so(options):
    encoder = bag(**options)
    assert not encoder.adds_up
    with pytest.raises(UsageError, match="no sums over tokens"):
        encoder.addends("a b")


def test_late_interaction():
    made = TokenizerPipeline(tiny.tokenizer("bert").to_str(), special_tokens={"pad_token": "[PAD]"})
    network = LateInteraction(backbone=tiny.backbone("bert", tokens=made.size)).eval()
    scorer = NeuralScorer(network, made, name="late")
    for a, b in [(tiny.TEXTS[0], tiny.TEXTS[1]), (tiny.TEXTS[3], tiny.TEXTS[5])]:
        shares = scorer.shares(a, b)
        assert shares.score == pytest.approx(float(scorer.score([(a, b)])[0]), abs=2e-5)
        assert (np.count_nonzero(shares.shares, axis=1) == 1).all(), "each token counts once"
        assert shares.first[0] == "[CLS]" and shares.first[-1] == "[SEP]"
