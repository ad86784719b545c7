import json
import pickle
import tempfile

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors

import textkin as tk
from tests.models.interop.tiny import TEXTS
from tests.models.interop.tiny_pairs import tokenizer as tiny_tokenizer
from textkin.base.errors import ModelError, UsageError
from textkin.data.protocols import Side
from textkin.text.pipeline import (
    TextPipeline,
    WordPipeline,
    load_pipeline,
)
from textkin.text.stable_hash import stable_hash
from textkin.text.token_spelling import TokenSpelling, Units
from textkin.text.tokenizer_pipeline import TokenizerPipeline
from textkin.text.truncation import Truncate
from textkin.text.vocabulary import Oov, build_vocabulary

pytestmark = pytest.mark.torch

VOCABULARY = build_vocabulary([["the", "cat", "sat"], ["the", "dog"]])


def wordpiece(*, pad="[PAD]"):
    tokens = [pad, "[UNK]", "[CLS]", "[SEP]", "the", "cat", "##s", "sat", "?"]
    tokenizer = Tokenizer(models.WordPiece({token: i for i, token in enumerate(tokens)}, unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.BertNormalizer(lowercase=True)
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    tokenizer.post_processor = processors.BertProcessing(("[SEP]", 3), ("[CLS]", 2))
    tokenizer.enable_padding(length=12)
    tokenizer.enable_truncation(2)
    return tokenizer.to_str()


def lists(rows):
    assert all(row.dtype == np.int32 and row.ndim == 1 for row in rows)
    return [row.tolist() for row in rows]


def test_words_become_ids():
    pipeline = WordPipeline(VOCABULARY)
    assert lists(pipeline.ids(["The CAT sat!", "", "dog dog"])) == [[2, 3, 4, 1], [], [5, 5]]
    assert (pipeline.size, pipeline.pad_id) == (6, 0)
    assert isinstance(pipeline, TextPipeline)


def test_long_texts_lose_their_end_or_their_start():
    text = ["the cat sat dog"]
    assert lists(WordPipeline(VOCABULARY, max_length=2).ids(text)) == [[2, 3]]
    assert lists(WordPipeline(VOCABULARY, max_length=2, truncate=Truncate.TAIL).ids(text)) == [[4, 5]]
    assert lists(WordPipeline(VOCABULARY, max_length=9, truncate=Truncate.TAIL).ids(text)) == [[2, 3, 4, 5]]


def test_ngrams_stand_after_the_vocabulary():
    pipeline = WordPipeline(VOCABULARY, ngrams=(3, 4), ngram_buckets=50)
    grams = ["<ca", "<cat", "cat", "cat>", "at>"]
    expected = [3, *(6 + stable_hash(gram) % 50 for gram in grams)]
    assert lists(pipeline.ids(["cat", "cat"])) == [expected, expected]
    assert pipeline.size == 56


def test_a_dropped_word_still_has_its_ngrams():
    dropping = build_vocabulary([["a"]], oov=Oov.DROP)
    assert lists(WordPipeline(dropping).ids(["a zebra"])) == [[1]]
    assert len(WordPipeline(dropping, ngrams=(6, 6), ngram_buckets=9).ids(["zebra"])[0]) == 2


@given(st.lists(st.text(alphabet=st.characters(codec="utf-8"))))
def test_ids_are_rows_of_the_embedding_and_texts_don_t_disturb_each_other(texts):
    pipeline = WordPipeline(VOCABULARY, ngrams=(2, 3), ngram_buckets=7, max_length=5)
    together = lists(pipeline.ids(texts))
    assert together == [lists(pipeline.ids([text]))[0] for text in texts]
    assert all(len(row) <= 5 and all(0 < i < pipeline.size for i in row) for row in together)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"ngrams": (3, 6)}, "don't go together"),
        ({"ngram_buckets": 5}, "don't go together"),
        ({"ngrams": (4, 3), "ngram_buckets": 5}, "not a range"),
        ({"max_length": 0}, "max_length is 0"),
        ({"tokenise": "spacy"}, "tokenise is"),
        ({"steps": ("nfc",)}, "did you mean 'nfkc'"),
    ],
)
def test_options_that_exclude_each_other(options, message):
    with pytest.raises(UsageError, match=message):
        WordPipeline(VOCABULARY, **options)


def test_a_tokenizer_adds_nothing_and_keeps_its_own_settings_out():
    pipeline = TokenizerPipeline(wordpiece())
    assert lists(pipeline.ids(["The cats sat zzz?", "", "zzz"])) == [[4, 5, 6, 7, 8], [], []]
    assert (pipeline.size, pipeline.pad_id) == (9, 0)
    assert isinstance(pipeline, TextPipeline)


def test_unknown_tokens_count_before_they_are_dropped():
    text = ["zzz the cat sat"]
    assert lists(TokenizerPipeline(wordpiece(), drop_unknown=False).ids(text)) == [[1, 4, 5, 7]]
    assert lists(TokenizerPipeline(wordpiece(), max_length=2).ids(text)) == [[4]]
    assert lists(TokenizerPipeline(wordpiece(), max_length=2, truncate=Truncate.TAIL).ids(text)) == [[5, 7]]


def test_a_tokenizer_without_padding_gets_a_row_for_it():
    pipeline = TokenizerPipeline(wordpiece(pad="[NUL]"))
    assert (pipeline.pad_id, pipeline.size) == (9, 10)


def test_the_unigram_model_s_unknown_token():
    tokenizer = Tokenizer(models.Unigram([("<unk>", 0.0), ("ab", -1.0), ("a", -2.0)], unk_id=0))
    assert lists(TokenizerPipeline(tokenizer.to_str()).ids(["abxa"])) == [[1, 2]]


PIPELINES = [
    WordPipeline(VOCABULARY),
    WordPipeline(
        build_vocabulary([["A", "b"]], oov=Oov.HASH, buckets=3).extended(["c"]),
        steps=("squeeze",),
        tokenise="treebank",
        ngrams=(2, 4),
        ngram_buckets=11,
        max_length=6,
        truncate=Truncate.TAIL,
    ),
    TokenizerPipeline(wordpiece(), max_length=3, truncate=Truncate.TAIL, drop_unknown=False),
]


@pytest.mark.parametrize("pipeline", PIPELINES)
@given(texts=st.lists(st.text(alphabet="aAbB cthe sat?!.", max_size=30), max_size=4))
def test_what_is_saved_comes_back(pipeline, texts):
    with tempfile.TemporaryDirectory() as folder:
        pipeline.save(folder)
        again = load_pipeline(folder, json.loads(json.dumps(pipeline.to_dict())))
    assert again.to_dict() == pipeline.to_dict()
    assert (again.size, again.pad_id) == (pipeline.size, pipeline.pad_id)
    assert lists(again.ids(texts)) == lists(pipeline.ids(texts))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"kind": "word"}, "did you mean 'words'"),
        ({"truncate": "middle"}, "'middle'"),
        ({"steps": ["upper"]}, "upper"),
        ({"vocabulary": {}}, "broken"),
        ({"vocabulary": None}, "broken"),
    ],
)
def test_a_broken_manifest_is_a_model_error(tmp_path, change, message):
    pipeline = WordPipeline(VOCABULARY)
    pipeline.save(tmp_path)
    with pytest.raises(ModelError, match=message):
        load_pipeline(tmp_path, pipeline.to_dict() | change)


@pytest.mark.parametrize("content", [None, "", "{", "{}", '{"model": 3}'])
def test_a_broken_tokenizer_is_a_model_error(tmp_path, content):
    if content is not None:
        (tmp_path / "tokenizer.json").write_text(content)
    with pytest.raises(ModelError, match="tokenizer"):
        load_pipeline(tmp_path, PIPELINES[2].to_dict())


def test_special_tokens_stand_around_every_text_and_count():
    names = {"pad_token": "[PAD]", "cls_token": "[CLS]"}
    pipeline = TokenizerPipeline(wordpiece(), max_length=4, special_tokens=names, drop_unknown=False)
    assert lists(pipeline.ids(["the cats sat", "", "zebra"])) == [[2, 4, 5, 3], [2, 3], [2, 1, 3]]
    tail = TokenizerPipeline(wordpiece(), max_length=4, truncate=Truncate.TAIL, special_tokens=names)
    assert lists(tail.ids(["the cats sat"])) == [[2, 6, 7, 3]]
    assert lists(pipeline.shortened(3).ids(["the cats sat"])) == [[2, 4, 3]]
    with pytest.raises(UsageError) as error:
        pipeline.shortened(2)
    assert (error.value.params, error.value.value) == (("max_length",), 2)


@pytest.mark.parametrize("truncate", Truncate)
@pytest.mark.parametrize("family", ["bert", "roberta"])
def test_with_special_tokens_ids_are_the_tokenizer_s_own(family, truncate):
    tokenizer = tiny_tokenizer(family)
    for max_length in (None, 3, 7, 512):
        tokenizer.no_truncation()
        if max_length:
            direction = "right" if truncate is Truncate.HEAD else "left"
            tokenizer.enable_truncation(max_length, direction=direction)
        pipeline = TokenizerPipeline(
            tokenizer.to_str(), max_length=max_length, truncate=truncate, special_tokens={}
        )
        texts = [*TEXTS, "", "the [SEP] </s> dog", "Ünïcödé, 中文 !"]
        assert lists(pipeline.ids(texts)) == [row.ids for row in tokenizer.encode_batch(texts)]
        assert np.array_equal(pipeline.flat_ids(texts).ids, np.concatenate(pipeline.ids(texts)))


def test_a_tokenizer_may_frame_texts_on_one_side_or_know_no_word():
    tokenizer = Tokenizer(models.BPE())
    tokenizer.add_special_tokens(["</s>"])
    tokenizer.post_processor = processors.TemplateProcessing(single="$A </s>", special_tokens=[("</s>", 0)])
    pipeline = TokenizerPipeline(tokenizer.to_str(), special_tokens={})
    assert lists(pipeline.ids(["", "cat", "</s>"])) == [[0], [0], [0, 0]]
    assert [side.tolist() for side in pipeline.frame] == [[], [0]]
    assert [side.tolist() for side in TokenizerPipeline(tokenizer.to_str()).frame] == [[], []]


def test_a_side_may_have_a_prompt(tmp_path):
    prompts = {Side.QUERY: "the ", Side.DOCUMENT: ""}
    made = TokenizerPipeline(wordpiece(), prompts=prompts, special_tokens={}, max_length=9)
    made.save(tmp_path)
    for pipeline in (made, load_pipeline(tmp_path, json.loads(json.dumps(made.to_dict())))):
        assert lists(pipeline.ids(["cats", "sat"], side=Side.QUERY)) == [[2, 4, 5, 6, 3], [2, 4, 7, 3]]
        assert lists(pipeline.ids(["cats", "sat"])) == [[2, 5, 6, 3], [2, 7, 3]]
        assert pipeline.to_dict()["prompts"] == {"query": "the "}


def test_the_padding_token_may_have_any_name():
    assert TokenizerPipeline(wordpiece(pad="?PAD?")).pad_id == 9
    assert TokenizerPipeline(wordpiece(pad="?PAD?"), special_tokens={"pad_token": "?PAD?"}).pad_id == 0


def test_words_that_are_read_by_their_letters_alone_are_known():
    letters = TokenSpelling(Units.NGRAMS, rows=99, most=8)
    alone = WordPipeline(build_vocabulary([["dog"]], max_size=0), spelling=letters)
    assert alone.unknown(["a zebra"]) == {}
    beside = WordPipeline(build_vocabulary([["dog"]]), spelling=letters)
    assert beside.unknown(["dog zebra"])[0].parts == ("zebra",)


def test_a_missing_attribute_of_a_model_names_its_methods():
    encoder, missing = tk.load_encoder(), "predict"
    with pytest.raises(AttributeError) as error:
        getattr(encoder, missing)
    assert all(f"{name}()" in str(error.value) for name in ("encode", "similarity", "score"))
    assert not hasattr(encoder, "__wrapped__")
    assert pickle.loads(pickle.dumps(encoder)).dim == encoder.dim
