import json
from pathlib import Path
from threading import Event, Thread
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tokenizers import AddedToken, Tokenizer, models, normalizers, pre_tokenizers

from tests.text.static_folders import wordpiece
from textkin.base.numba_cache import compiling
from textkin.text import word_cache, word_loops
from textkin.text import word_id_cache as known_words
from textkin.text.pair_pipeline import PairPipeline
from textkin.text.tokenizer_pipeline import TokenizerPipeline
from textkin.text.word_cache import WordCache, splits_like_bert

REAL = Path(__file__).parents[3] / "shared" / "data" / "vectors" / "potion-base-4m-int8" / "tokenizer.json"
PIECES = [
    "The",
    "cats",
    "SAT?",
    "é",
    "É",
    "e\u0301",
    "[UNK]",
    "[pad]",
    "[PAD]",
    "[PAD",
    "a.b",
    "\t",
    "x" * 101,
]
PIECES += [
    "中文",
    "한국어",
    "«",
    "…",
    "\u00a0",
    "\u200b",
    "\ufffd",
    "\0",
    "\ufeff",
    "ß",
    "İ",
    "ŉ",
    "≮",
    "\U0001f600",
]
TEXT = st.one_of(
    st.text(),
    st.text(alphabet=st.characters(codec="ascii")),
    st.lists(st.sampled_from(PIECES)).map(" ".join),
    st.lists(st.sampled_from(PIECES)).map("".join),
)
NORMALIZERS = {
    "lower": normalizers.BertNormalizer(),
    "cased": normalizers.BertNormalizer(lowercase=False),
    "plain": normalizers.BertNormalizer(
        clean_text=False, handle_chinese_chars=False, strip_accents=False, lowercase=False
    ),
    "unaccented": normalizers.BertNormalizer(clean_text=False, strip_accents=True, lowercase=False),
}


@pytest.fixture(autouse=True)
def _at_once(monkeypatch):
    """The compiled path from the first text, in parts of a few texts."""
    monkeypatch.setattr(word_cache, "_CHARACTERS_FIRST", 0)
    monkeypatch.setattr(word_cache, "_AT_ONCE", 40)


def whole(tokenizer, texts):
    return [encoding.ids for encoding in tokenizer.encode_batch_fast(texts, add_special_tokens=False)]


def by_words(cache, texts):
    return [row.tolist() for row in cache.ids(texts).rows()]


def letters(normalizer: str) -> Tokenizer:
    """A tokenizer with many characters, within a word and at its start."""
    made = wordpiece()
    known = [chr(code) for code in range(33, 0x250)] + list("中文한국어«…\u0301\u200b\ufffd")
    tokens = ["[PAD]", "[UNK]", "[CLS]", *known, *(f"##{letter}" for letter in known)]
    made.model = models.WordPiece({token: i for i, token in enumerate(tokens)}, unk_token="[UNK]")
    made.normalizer = NORMALIZERS[normalizer]
    return made


@pytest.mark.slow
@pytest.mark.parametrize("normalizer", NORMALIZERS)
@settings(max_examples=60)
@given(texts=st.lists(TEXT, max_size=5))
def test_ids_are_the_tokenizer_s_own(normalizer, texts):
    tokenizer = letters(normalizer)
    cache = WordCache(tokenizer)
    for _ in range(2):
        assert by_words(cache, texts) == whole(tokenizer, texts)


@pytest.mark.slow
@pytest.mark.parametrize("normalizer", NORMALIZERS)
def test_every_character(normalizer):
    tokenizer = letters(normalizer)
    codes = [
        *range(0x400),
        *range(0x400, 0xD800, 23),
        *range(0xF900, 0x10000, 5),
        *range(0x10000, 0x110000, 4999),
    ]
    texts = [f"a{chr(code)}b {chr(code)}{chr(code)} a{chr(code)}\u0301" for code in codes]
    assert by_words(WordCache(tokenizer), texts) == whole(tokenizer, texts)


def test_a_text_with_a_special_token_is_not_cut():
    tokenizer = wordpiece()
    tokenizer.add_tokens([AddedToken("é sat", normalized=False), AddedToken("?", normalized=False)])
    texts = ["the é sat", "é s", "cat?", "the é SAT", "éé sat?"]
    ids = by_words(WordCache(tokenizer), texts)
    assert ids == whole(tokenizer, texts)
    assert ids[0] == [3, tokenizer.token_to_id("é sat")]


def test_words_with_the_character_that_parts_words():
    between = known_words._BETWEEN
    texts = [f"cats{between}", f"the {between} cat", "dog sat", between * 3]
    for tokenizer in (letters("plain"), wordpiece()):
        assert by_words(WordCache(tokenizer), texts) == whole(tokenizer, texts)


def test_a_full_cache_starts_again(monkeypatch):
    monkeypatch.setattr(known_words, "_MOST_WORDS", 3)
    monkeypatch.setattr(word_loops, "_ROOM", 2)
    cache = WordCache(wordpiece())
    for texts in (["the cat"], ["sat dog"], ["the cat sat dog ? é zebra"], ["the"], []):
        assert by_words(cache, texts) == whole(wordpiece(), texts)
    assert cache._words._words.table.size == 1


def test_many_words():
    tokenizer = letters("lower")
    texts = [f"{number:x} {number * 7919:x}!" for number in range(2500)]
    cache = WordCache(tokenizer)
    assert by_words(cache, texts) == whole(tokenizer, texts)
    words = {word for text in texts for word in text[:-1].split()}
    assert cache._words._words.table.size == len(words) + 1


def test_words_of_the_same_hash():
    """Two words with equal 64-bit FNV-1a hashes."""
    texts = ["gMPflVXtwGDXbIhP73TX", "LtHf1prlU1bCeYZEdqWf"]
    tokenizer = letters("cased")
    cache = WordCache(tokenizer)
    assert by_words(cache, [" ".join(texts), *texts]) == whole(tokenizer, [" ".join(texts), *texts])
    assert cache._words._words.table.size == 2
    assert len(set(cache._words._words.table.hashes[:2].tolist())) == 1


def test_what_failed_is_forgotten():
    tokenizer = wordpiece()
    tokenizer.model = models.WordPiece({"the": 0, "cat": 1}, unk_token="[UNK]")
    cache = WordCache(tokenizer)
    assert by_words(cache, ["the"]) == [[0]]
    for _ in range(2):
        with pytest.raises(Exception, match="UNK"):
            cache.ids(["cat zebra"])
    assert by_words(cache, ["the cat"]) == [[0, 1]]


def test_the_first_texts_need_no_loops(monkeypatch):
    monkeypatch.setattr(word_cache, "_CHARACTERS_FIRST", 20)
    cache = WordCache(wordpiece())
    texts = ["the cats", "", "zebra?"]
    assert by_words(cache, texts) == whole(wordpiece(), texts)
    assert cache._words is None
    assert by_words(cache, texts) == whole(wordpiece(), texts)
    assert cache._words is not None


def test_texts_wait_for_no_other_thread_that_compiles(monkeypatch):
    monkeypatch.setattr(word_cache, "_CHARACTERS_FIRST", 0)
    compiles, may_end = Event(), Event()

    def compile_something():
        with compiling():
            compiles.set()
            may_end.wait(30)

    cache, texts = WordCache(wordpiece()), ["the cats", "", "zebra?"]
    thread = Thread(target=compile_something)
    thread.start()
    assert compiles.wait(30)
    assert by_words(cache, texts) == whole(wordpiece(), texts) and cache._words is None
    may_end.set()
    thread.join()
    assert by_words(cache, texts) == whole(wordpiece(), texts) and cache._words is not None


def test_loops_that_are_loaded_serve_the_first_text(monkeypatch):
    monkeypatch.setattr(word_cache, "_CHARACTERS_FIRST", 1_000)
    plain, pairs = (TokenizerPipeline(wordpiece().to_str(), drop_unknown=False) for _ in range(2))
    before = plain.ids(["the cat sat"])
    member = SimpleNamespace(pipeline=PairPipeline(pairs))
    word_cache.load_loops(SimpleNamespace(pipeline=plain, members=[member, SimpleNamespace()]))
    monkeypatch.setattr(word_cache, "whole_ids", None)
    assert plain.ids(["the cat sat"])[0].tolist() == before[0].tolist()
    assert member.pipeline.ids(["the cat sat"])[0].tolist() == before[0].tolist()


def test_only_tokenizers_that_treat_words_one_by_one_are_taken():
    tokenizer = wordpiece()
    assert splits_like_bert(json.loads(tokenizer.to_str()))
    tokenizer.add_tokens([AddedToken("new york", normalized=True)])
    assert not splits_like_bert(json.loads(tokenizer.to_str()))
    other = wordpiece()
    other.pre_tokenizer = pre_tokenizers.Whitespace()
    assert not splits_like_bert(json.loads(other.to_str()))
    assert not splits_like_bert(json.loads(Tokenizer(models.BPE()).to_str()))


@pytest.fixture(scope="module")
def real():
    if not REAL.is_file():
        pytest.skip("needs the real tokenizer")
    return Tokenizer.from_file(str(REAL))


@pytest.mark.slow
@settings(max_examples=50)
@given(texts=st.lists(TEXT, max_size=20))
def test_the_real_tokenizer(real, texts):
    assert by_words(WordCache(real), texts) == whole(real, texts)


def test_lengths_beyond_ascii_are_those_of_characters():
    tokenizer = letters("plain")
    texts = ["é" * 30, "", "\U0001f600", "中 文", "a"]
    found = WordCache(tokenizer).ids(texts)
    assert np.array_equal(found.lengths, [len(row) for row in whole(tokenizer, texts)])
