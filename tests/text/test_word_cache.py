from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tokenizers import AddedToken, Tokenizer, models, pre_tokenizers

from tests.text.static_folders import wordpiece
from textkin.text.word_cache import WordCache, splits_like_bert

REAL = Path(__file__).parents[3] / "shared" / "data" / "vectors" / "potion-base-4m-int8" / "tokenizer.json"
TEXT = st.one_of(
    st.text(),
    st.text(alphabet=st.characters(codec="ascii")),
    st.lists(
        st.sampled_from(["The", "cats", "SAT?", "é", "[UNK]", "[pad]", "[PAD]", "a.b", "\t", "x" * 101])
    ).map(" ".join),
)


def whole(tokenizer, texts):
    return [encoding.ids for encoding in tokenizer.encode_batch_fast(texts, add_special_tokens=False)]


@settings(max_examples=200)
@given(st.lists(TEXT, max_size=5))
def test_ids_are_the_tokenizer_s_own(texts):
    tokenizer = wordpiece()
    cache = WordCache(tokenizer)
    for _ in range(2):
        assert cache.ids(texts) == whole(tokenizer, texts)


def test_every_printable_ascii_character():
    tokenizer = wordpiece()
    tokenizer.model = models.WordPiece(
        {chr(code): code - 33 for code in range(33, 127)} | {"##b": 94, "[UNK]": 95}, unk_token="[UNK]"
    )
    texts = [f"a{chr(code)}b {chr(code)}{chr(code)} a" for code in range(128)]
    assert WordCache(tokenizer).ids(texts) == whole(tokenizer, texts)


def test_a_full_cache_starts_again(monkeypatch):
    monkeypatch.setattr("textkin.text.word_cache._CACHED_WORDS", 3)
    cache = WordCache(wordpiece())
    for texts in (["the cat"], ["sat dog"], ["the cat sat dog ?"], ["the"]):
        assert cache.ids(texts) == whole(wordpiece(), texts)


def test_only_tokenizers_that_treat_words_one_by_one_are_taken():
    tokenizer = wordpiece()
    assert splits_like_bert(tokenizer.to_str())
    tokenizer.add_tokens([AddedToken("new york", normalized=True)])
    assert not splits_like_bert(tokenizer.to_str())
    other = wordpiece()
    other.pre_tokenizer = pre_tokenizers.Whitespace()
    assert not splits_like_bert(other.to_str())
    assert not splits_like_bert(Tokenizer(models.BPE()).to_str())


@pytest.fixture(scope="module")
def real():
    if not REAL.is_file():
        pytest.skip("needs the real tokenizer")
    return Tokenizer.from_file(str(REAL))


@settings(max_examples=50)
@given(texts=st.lists(TEXT, max_size=20))
def test_the_real_tokenizer(real, texts):
    assert WordCache(real).ids(texts) == whole(real, texts)
