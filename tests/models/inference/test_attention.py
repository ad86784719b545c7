"""Attention of networks, against loops over tokens."""

from __future__ import annotations

from functools import partial

import numpy as np
import pytest
import torch

from tests.models.interop import tiny, tiny_pairs, tiny_readers
from tests.networks.architectures.phrases import build_small
from tests.networks.architectures.test_matchers import NAMES, model, spelt
from tests.reference.attention import cosines, dots, flow, softmax, turned
from tests.training.test_span_rows import network as bidaf
from tests.training.test_span_rows import pipeline
from textkin.base.errors import ModelError, UsageError
from textkin.data.token_attributions import TokenShares
from textkin.models.inference.attention import NOTHING, WHOLE, HeadChoice, attention_maps
from textkin.models.inference.scorers import NeuralEncoder, NeuralScorer, load_scorer
from textkin.models.inference.span_readers import NeuralReader, load_reader
from textkin.networks.architectures.late_interaction import LateInteraction
from textkin.networks.architectures.static import StaticTower
from textkin.networks.architectures.table import ARCHITECTURES, build
from textkin.networks.batches.padded import TextBatch
from textkin.text.pipeline import WordPipeline
from textkin.text.token_texts import NamedTokens
from textkin.text.tokenizer_pipeline import TokenizerPipeline
from textkin.text.vocabulary import Oov, build_vocabulary

pytestmark = pytest.mark.torch

A = NamedTokens(spelt([2, 3, 4, 5]), tuple("abcd"))
B = NamedTokens(spelt([3, 9, 5, 5, 6, 8]), tuple("uvwxyz"))
PLAIN = [NamedTokens(one.ids[:, 0], one.texts) for one in (A, B)]
SHOWN = {
    "anmm": ["none"],
    "arc-ii": ["none"],
    "bidaf-t": ["none", "columns", "rows"],
    "bimpm": ["none", "none"],
    "compare-aggregate": ["columns"],
    "conv-knrm": ["none"] * 9,
    "decomposable-attention": ["none", "rows", "columns"],
    "drmm": ["none"],
    "drmm-tks": ["none"],
    "duet": ["none"],
    "esim": ["none", "rows", "columns"],
    "knrm": ["none"],
    "match-lstm": ["columns"],
    "match-pyramid": ["none"],
    "mv-lstm": ["none"],
}
"""The axes that sum to one in the matrices of each architecture with words."""
BLIND = {"arc-i", "cdssm", "dssm", "word-means"}
OTHERS = {
    *("bidaf", "piqa", "piqa-contextual", "piqa-transformer", "reader"),
    *("cross-encoder", "late-interaction", "transformer", "siamese", "static"),
}


def maps(network, a=A, b=B, **options):
    return attention_maps(network, a, b, pad_id=0, **options)


def batch(tokens):
    return TextBatch.from_ids([tokens.ids], pad_id=0)


def test_every_architecture_is_here():
    assert {*ARCHITECTURES} == {*SHOWN, *BLIND, *OTHERS}
    assert {*NAMES} == {*SHOWN, *BLIND}


@pytest.mark.parametrize("name", SHOWN)
def test_each_matrix_has_the_tokens_of_both_texts_and_what_are_shares_sum_to_one(name):
    network = model(name).train()
    found = maps(network)
    assert network.training
    assert [one.sums for one in found] == SHOWN[name]
    assert len({one.name for one in found}) == len(found)
    for one in found:
        assert one.rows in (A.texts, (*A.texts, NOTHING), (WHOLE,))
        assert one.columns == B.texts
        assert one.weights.dtype == np.float32
        if one.sums != "none":
            sums = one.weights.sum(axis=1 if one.sums == "rows" else 0)
            np.testing.assert_allclose(sums, 1, rtol=1e-5)


@pytest.mark.parametrize("name", SHOWN)
def test_looking_changes_no_score(name):
    network = model(name).eval()
    with torch.inference_mode():
        expected = network(batch(A), batch(B))
        maps(network)
        assert torch.equal(network(batch(A), batch(B)), expected)


@pytest.mark.parametrize("name", sorted(BLIND))
def test_a_network_without_matrices_says_so(name):
    with pytest.raises(UsageError) as error:
        maps(model(name))
    assert error.value.params == ("model",)


def test_overlap_features_hide_nothing():
    found, plain = maps(model("knrm", overlap=True)), maps(model("knrm"))
    assert [one.name for one in found] == [one.name for one in plain]
    with pytest.raises(UsageError) as error:
        maps(model("arc-i", overlap=True))
    assert error.value.params == ("model",)


def test_those_of_k_nrm_are_cosines_of_word_vectors():
    network = model("knrm").eval()
    (found,) = maps(network)
    with torch.inference_mode():
        a, b = (network.words(batch(one))[0].tolist() for one in (A, B))
    np.testing.assert_allclose(found.weights, cosines(a, b), atol=1e-5)


def test_those_of_esim_are_its_equations():
    network = model("esim").eval()
    scores, to_b, to_a = maps(network)
    with torch.inference_mode():
        a, b = (network.context(network.words(one), one.mask)[0].tolist() for one in map(batch, (A, B)))
    expected = dots(a, b)
    np.testing.assert_allclose(scores.weights, expected, atol=1e-5)
    np.testing.assert_allclose(to_b.weights, [softmax(row) for row in expected], atol=1e-5)
    columns = [softmax(column) for column in turned(expected)]
    np.testing.assert_allclose(to_a.weights, turned(columns), atol=1e-5)


def test_those_of_bidaf_are_its_equations():
    network = model("bidaf-t").eval()
    with torch.inference_mode():
        question, context = (network.layers._read(batch(one))[0].tolist() for one in (A, B))
        scores = flow(torch.cat([*network.layers.attention.weights]).tolist(), context, question)
    similar, to_question, to_context = maps(network)
    np.testing.assert_allclose(similar.weights, turned(scores), atol=1e-5)
    np.testing.assert_allclose(to_question.weights, turned([softmax(row) for row in scores]), atol=1e-5)
    np.testing.assert_allclose(to_context.weights, [softmax([max(row) for row in scores])], atol=1e-5)


def test_those_of_match_lstm_and_compare_aggregate_have_a_state_for_nothing():
    network = model("compare-aggregate").eval()
    (found,) = maps(network)
    with torch.inference_mode():
        a, b = (network.read(network.words(one), one.mask)[0] for one in map(batch, (A, B)))
        seen = torch.cat([network.project(a), network.project.bias[None]]).tolist()
    expected = [softmax(row) for row in dots(b.tolist(), seen)]
    np.testing.assert_allclose(found.weights, turned(expected), atol=1e-5)
    (steps,) = maps(model("match-lstm"))
    assert found.rows == steps.rows == (*A.texts, NOTHING)


def test_duet_shows_which_tokens_are_the_same_as_far_as_it_reads():
    (found,) = maps(model("duet", a_length=3, b_length=4))
    ids = [tokens.ids[:, 0].tolist() for tokens in (A, B)]
    assert (found.rows, found.columns) == (A.texts[:3], B.texts[:4])
    assert found.weights.tolist() == [[float(x == y) for y in ids[1][:4]] for x in ids[0][:3]]


def test_slices_of_a_tensor_and_attention_within_texts_have_names():
    slices = maps(model("mv-lstm", interaction="tensor", slices=3))
    assert [one.name.rpartition(", ")[2] for one in slices] == ["slice 1", "slice 2", "slice 3"]
    own = [one for one in maps(model("decomposable-attention", intra=True)) if one.rows == one.columns]
    assert [one.rows for one in own] == [A.texts, B.texts]
    for one in own:
        np.testing.assert_allclose(one.weights.sum(axis=1), 1, rtol=1e-5)


def test_late_interaction_shows_cosines():
    network = LateInteraction(backbone=tiny.backbone("bert", tokens=40)).eval()
    (found,) = maps(network, *PLAIN)
    with torch.inference_mode():
        a, b = (network.vectors(batch(one))[0].tolist() for one in PLAIN)
    np.testing.assert_allclose(found.weights, cosines(a, b), atol=1e-5)


@pytest.mark.parametrize("name", ["piqa", "piqa-contextual"])
def test_phrase_networks_show_the_attention_of_each_side_to_itself(name):
    found = maps(build_small(name), *((A, B) if name == "piqa" else PLAIN))
    assert len(found) == 6  # one head of passages, two of questions, for both ends
    for one in found:
        if "question" in one.name:
            assert (one.rows, one.columns) == (A.texts[:1], A.texts)
        else:
            assert (one.rows, one.columns) == (B.texts, B.texts)
        np.testing.assert_allclose(one.weights.sum(axis=1), 1, rtol=1e-5)


def test_texts_that_a_transformer_reads_apart(tmp_path):
    found = maps(build_small("piqa-transformer", shared=False), *PLAIN)
    assert [one.rows for one in found] == [A.texts, B.texts]
    tiny.write_bare(tmp_path / "encoder")
    first, second = load_scorer(tmp_path / "encoder").attention(*tiny.TEXTS[:2])
    assert first.rows[0] == "[CLS]" and second.columns[-1] == "[SEP]"
    np.testing.assert_allclose(first.weights.sum(axis=1), 1, rtol=1e-5)


def theirs(folder, kind, a, b):
    """Attention of all layers and heads by transformers alone, with the positions of both texts' tokens."""
    from transformers import AutoTokenizer

    read = AutoTokenizer.from_pretrained(folder)(a, b, return_tensors="pt")
    network = kind.from_pretrained(folder, attn_implementation="eager").eval()
    with torch.inference_mode():
        found = torch.stack(network(**read, output_attentions=True).attentions)[:, 0]
    sides = np.array([-1 if side is None else side for side in read.sequence_ids(0)])
    return found.numpy(), np.flatnonzero(sides == 0), np.flatnonzero(sides == 1)


@pytest.mark.parametrize("family", ["bert", "roberta"])
@pytest.mark.parametrize("what", ["cross-encoder", "reader"])
def test_attention_across_a_sequence_is_what_transformers_gives(tmp_path, what, family):
    from transformers import AutoModelForQuestionAnswering, AutoModelForSequenceClassification

    if what == "reader":
        made, kind = tiny_readers.write_bare(tmp_path / "m", family), AutoModelForQuestionAnswering
        ours = load_reader(made)
    else:
        made, kind = tiny_pairs.write_bare(tmp_path / "m", family), AutoModelForSequenceClassification
        ours = load_scorer(made)
    a, b = tiny.TEXTS[0], tiny.TEXTS[1]
    weights, first, second = theirs(made, kind, a, b)
    forth, back = ours.attention(a, b)
    mean = weights.mean(axis=(0, 1))
    np.testing.assert_allclose(forth.weights, mean[np.ix_(first, second)], atol=1e-5)
    np.testing.assert_allclose(back.weights, mean[np.ix_(second, first)].T, atol=1e-5)
    forth, _ = ours.attention(a, b, choice=HeadChoice(layers=(1,), heads=(2,)))
    np.testing.assert_allclose(forth.weights, weights[0, 1][np.ix_(first, second)], atol=1e-5)
    assert "(layer 1, head 2)" in forth.name
    with pytest.raises(UsageError) as error:
        ours.attention(a, b, choice=HeadChoice(layers=(99,)))
    assert (error.value.params, error.value.value) == (("layers",), 99)


def test_what_a_cross_encoder_cuts_has_no_row(tmp_path):
    made = tiny_pairs.write_theirs(tmp_path / "m", max_length=9)
    forth, _ = load_scorer(made).attention("How do I reset it", tiny.TEXTS[1])
    assert (len(forth.rows), len(forth.columns)) == (3, 3)
    assert forth.rows[0] == "How"


def test_a_long_passage_is_looked_at_where_the_answer_stands():
    module = bidaf()
    for parameter in module.parameters():
        torch.nn.init.normal_(parameter, std=0.4)
    question, passage = "Who built the mill?", "The mill stands by the river. Ada built it. " * 4
    whole = NeuralReader(module, pipeline(), name="whole").attention(question, passage)
    cut = NeuralReader(module, pipeline(max_length=9), name="cut")
    similar = cut.attention(question, passage)[0]
    ((answer,),) = cut.read([question], [passage])
    assert len(similar.columns) == 9 < len(whole[0].columns)
    assert set(answer.text.replace(".", " .").split()) <= {*similar.columns}


def test_wrong_arguments_are_refused():
    with pytest.raises(UsageError) as error:
        maps(model("esim"), b=NamedTokens(spelt([]), ()))
    assert error.value.params == ("data",)
    with pytest.raises(UsageError) as error:
        maps(model("esim"), choice=HeadChoice(heads=(1,)))
    assert error.value.params == ("layers", "heads")
    broken = model("esim")
    torch.nn.init.constant_(broken.context.forwards[0].weight_ih_l0, float("nan"))
    with pytest.raises(ModelError, match="not finite"):
        maps(broken)


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
