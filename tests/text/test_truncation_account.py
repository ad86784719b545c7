"""The truncation account, against pipelines without truncation."""

from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.models.interop import tiny
from tests.text.static_folders import TOKENS, table, wordpiece, write
from textkin.data.protocols import ReadsTokens, Side
from textkin.text.baselines import build
from textkin.text.baselines.static_encoder import StaticEncoder
from textkin.text.pair_pipeline import PairPipeline
from textkin.text.pipeline import TextPipeline, WordPipeline
from textkin.text.static_embeddings import load_static
from textkin.text.stop_word_pipeline import StopWordPipeline
from textkin.text.token_spelling import TokenSpelling, Units
from textkin.text.tokenizer_pipeline import TokenizerPipeline
from textkin.text.truncation import Truncate
from textkin.text.truncation_account import Truncation, lengths_of, truncation_of, truncation_of_pairs
from textkin.text.vocabulary import Oov, build_vocabulary

pytestmark = pytest.mark.torch

VOCABULARY = build_vocabulary([["the", "cat", "sat"]], oov=Oov.DROP)
WORDS = ["the", "cats", "sat?", "a", "dog", "é", "zebra"]
TEXTS = st.lists(st.lists(st.sampled_from(WORDS), max_size=9).map(" ".join), max_size=5)


def tokens(**options):
    return TokenizerPipeline(wordpiece().to_str(), **options)


def framed(**options):
    return TokenizerPipeline(
        tiny.tokenizer("bert").to_str(), special_tokens={"pad_token": "[PAD]"}, drop_unknown=False, **options
    )


MAKERS = {
    "words": lambda most: WordPipeline(VOCABULARY, max_length=most),
    "words' ends": lambda most: WordPipeline(VOCABULARY, max_length=most, truncate=Truncate.TAIL),
    "n-grams": lambda most: WordPipeline(VOCABULARY, ngrams=(2, 3), ngram_buckets=5, max_length=most),
    "spelt": lambda most: WordPipeline(
        VOCABULARY, max_length=most, spelling=TokenSpelling(Units.CHARACTERS, rows=9, most=4)
    ),
    "stop words": lambda most: StopWordPipeline(["cats", "dog"], stop_words=["the"], max_length=most),
    "tokens": lambda most: tokens(max_length=most, drop_unknown=False),
    "framed": lambda most: framed(max_length=None if most is None else most + 2),
}


@dataclass
class Reads:
    """A system with a pipeline."""

    pipeline: TextPipeline
    reads_pairs: bool = False
    name: str = "small"

    @property
    def max_tokens(self):
        return self.pipeline.max_tokens

    def lengths(self, texts, *, side=Side.DOCUMENT):
        return self.pipeline.lengths(texts, side=side)


@pytest.mark.parametrize("maker", MAKERS)
@given(texts=TEXTS, most=st.integers(1, 6))
def test_lengths_are_those_of_texts_that_nothing_cuts(maker, texts, most):
    cutting, whole = MAKERS[maker](most), MAKERS[maker](None)
    assert (cutting.max_tokens, whole.max_tokens) == (most, None)
    special = 2 if maker == "framed" else 0
    expected = [len(row) - special for row in whole.ids(texts)]
    assert cutting.lengths(texts).tolist() == expected == whole.lengths(texts).tolist()
    found = truncation_of(Reads(cutting), texts)
    shorter = [len(a) < len(b) for a, b in zip(cutting.ids(texts), whole.ids(texts), strict=True)]
    left_out = sum(len(b) - len(a) for a, b in zip(cutting.ids(texts), whole.ids(texts), strict=True))
    longest = max(expected, default=0)
    assert found == Truncation("small", len(texts), sum(shorter), most, longest, left_out)
    assert truncation_of(Reads(whole), texts) == Truncation("small", len(texts))


def test_a_prompt_takes_room_too():
    pipeline = framed(max_length=4, prompts={Side.QUERY: "query: "})
    own, prompt = pipeline.lengths(["a b", ""], side=Side.QUERY) - pipeline.lengths(["a b", ""])
    assert own == prompt > 0
    assert truncation_of(Reads(pipeline), ["a"]).cut == 0
    assert truncation_of(Reads(pipeline), ["a"], side=Side.QUERY).cut == 1


@given(st.lists(st.tuples(st.sampled_from(["a", "a b c", "a b c d e f"]), st.sampled_from(["x", "x y z"]))))
def test_of_two_texts_in_one_sequence_pairs_are_counted(pairs):
    roles = {"pad_token": "[PAD]"}
    whole = TokenizerPipeline(tiny.tokenizer("bert").to_str(), special_tokens=roles, max_length=9)
    pipeline = PairPipeline(whole)
    system = Reads(pipeline, reads_pairs=True)
    assert pipeline.max_tokens == 5  # [CLS] a [SEP] [SEP] b [SEP]
    lengths = [len(pipeline.ids([a])[0]) + len(pipeline.ids([b])[0]) for a, b in pairs]
    found = truncation_of_pairs(system, pairs)
    assert (found.unit, found.texts, found.cut) == ("pair", len(pairs), sum(one > 5 for one in lengths))
    assert found.unread == sum(max(0, one - 5) for one in lengths)


def test_of_pairs_for_an_encoder_each_text_counts_once():
    system = Reads(tokens(max_length=2))
    pairs = [("the cats sat", "dog"), ("dog", "the cats sat"), ("dog", "dog")]
    found = truncation_of_pairs(system, pairs)
    assert found == Truncation("small", 2, 1, 2, 4, 2)
    assert found + found == Truncation("small", 4, 2, 2, 4, 4)
    assert found.sentence() == (
        "1 of 2 texts are longer than the 2 tokens that small reads (the longest has 4) and were cut: "
        "2 tokens were not read"
    )
    assert truncation_of_pairs(system, []).sentence() == ""


def test_static_encoders_read_whole_texts_whatever_their_folder_says(tmp_path):
    folder = write(tmp_path, {"embeddings": table()}, max_length=3, normalize=True)
    encoder = StaticEncoder(load_static(folder), name="static")
    assert isinstance(encoder, ReadsTokens) and encoder.max_tokens is None
    start, end = "the cats " * 400, "dog sat " * 400
    one, other = encoder.encode([start, start + end])
    np.testing.assert_allclose(one, encoder.encode(["the cats"])[0], atol=1e-5)
    assert one @ other < 0.99
    assert truncation_of(encoder, [start, end]) == Truncation("static", 2)
    assert encoder.lengths([start, ""]).tolist() == [1200, 0]
    assert len(TOKENS) == 10


def test_what_does_not_say_how_much_it_reads_is_not_counted():
    scorer = build("tfidf", fit_texts=["a cat", "a dog"])
    assert truncation_of(scorer, ["a cat"]) is None
    assert truncation_of_pairs(scorer, [("a cat", "a dog")]) is None


def test_many_texts_are_counted_in_parts(monkeypatch):
    monkeypatch.setattr("textkin.text.truncation_account._AT_ONCE", 2)
    texts = ["the", "the cats", "", "dog dog dog", "sat"]
    assert lengths_of(Reads(tokens()), texts).tolist() == [1, 3, 0, 3, 1]


class ReadsWords:
    """A system with a limit in words."""

    reads_pairs = False

    def __init__(self, name, most):
        self.name, self.max_tokens = name, most

    def lengths(self, texts, *, side=Side.DOCUMENT):
        return np.array([len(text.split()) for text in texts], dtype=np.int64)


class Several:
    name = "several"

    def __init__(self, *members):
        self.members = members


def test_of_members_the_account_of_the_one_that_cuts_most():
    texts = ["a b c d", "a b", "a"]
    several = Several(ReadsWords("two", 2), Several(ReadsWords("one", 1), ReadsWords("all", None)), object())
    for found in (truncation_of(several, texts), truncation_of_pairs(several, list(pairwise(texts)))):
        assert found is not None and (found.model, found.cut, found.unread) == ("one", 2, 4)
    assert truncation_of(Several(object()), texts) is None
