import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from textkin.base.errors import UsageError
from textkin.text.pipeline import WordPipeline, load_pipeline
from textkin.text.stable_hash import stable_hash
from textkin.text.token_spelling import TokenSpelling, Units
from textkin.text.tokenisers import character_ngrams
from textkin.text.tokenizer_pipeline import TokenizerPipeline
from textkin.text.vocabulary import Oov, build_vocabulary

NGRAMS = TokenSpelling(Units.NGRAMS, rows=50, most=4)
CHARACTERS = TokenSpelling(Units.CHARACTERS, rows=200, most=5)


@given(st.text(max_size=12), st.integers(2, 300), st.integers(1, 6))
def test_characters_keep_their_order_and_fill_up_with_zeros(word, rows, most):
    found = TokenSpelling(Units.CHARACTERS, rows=rows, most=most).ids(word).tolist()
    expected = [1 + ord(letter) % (rows - 1) for letter in word[:most]]
    assert found == expected + [0] * (most - len(expected))
    assert all(0 <= unit < rows for unit in found)


@given(st.text(min_size=1, max_size=12))
def test_ngrams_are_those_of_the_marked_word(word):
    found = [unit for unit in TokenSpelling(Units.NGRAMS, rows=99, most=50, lengths=(3, 4)).ids(word) if unit]
    assert found == [1 + stable_hash(part) % 98 for part in character_ngrams(word, 3, 4)]


@pytest.mark.parametrize("wrong", [{"rows": 1}, {"most": 0}, {"lengths": (4, 3)}, {"lengths": (0, 3)}])
def test_numbers_out_of_range_are_errors(wrong):
    with pytest.raises(UsageError, match="make no spelling"):
        TokenSpelling(**{"units": Units.NGRAMS, "rows": 9, "most": 3, **wrong})


@pytest.mark.parametrize("oov", ["unk", "drop", "hash"])
@pytest.mark.parametrize("spelling", [NGRAMS, CHARACTERS])
def test_words_come_with_their_units_unknown_ones_too(oov, spelling, tmp_path):
    vocabulary = build_vocabulary([["red", "fox"]], oov=Oov(oov), buckets=3 if oov == "hash" else 1)
    plain = WordPipeline(vocabulary, max_length=3)
    spelt = WordPipeline(vocabulary, max_length=3, spelling=spelling)
    texts = ["red unseen fox", "", "fox fox fox red", "unheard"]
    for found, ids, text in zip(spelt.ids(texts), plain.ids(texts), texts, strict=True):
        words = [word for word in text.split() if vocabulary.id(word) is not None][:3]
        assert found.shape == (len(words), 1 + spelling.most)
        assert found[:, 0].tolist() == ids.tolist()
        np.testing.assert_array_equal(found[:, 1:], [spelling.ids(word) for word in words] or found[:, 1:])
    spelt.save(tmp_path)
    again = load_pipeline(tmp_path, spelt.to_dict())
    assert again.spelling == spelling
    for one, other in zip(again.ids(texts), spelt.ids(texts), strict=True):
        np.testing.assert_array_equal(one, other)


def test_tokens_of_a_tokenizer_come_with_their_units(tmp_path):
    from tokenizers import Tokenizer
    from tokenizers.models import WordLevel
    from tokenizers.pre_tokenizers import Whitespace

    tokenizer = Tokenizer(WordLevel({"[UNK]": 0, "red": 1, "fox": 2}, unk_token="[UNK]"))
    tokenizer.pre_tokenizer = Whitespace()
    pipeline = TokenizerPipeline(tokenizer.to_str(), spelling=CHARACTERS)
    (found, empty) = pipeline.ids(["fox unseen red", ""])
    assert found[:, 0].tolist() == [2, 1]
    np.testing.assert_array_equal(found[:, 1:], [CHARACTERS.ids("fox"), CHARACTERS.ids("red")])
    assert empty.shape == (0, 6)
    pipeline.save(tmp_path)
    assert load_pipeline(tmp_path, pipeline.to_dict()).spelling == CHARACTERS


def test_ngrams_as_tokens_of_their_own_are_something_else():
    vocabulary = build_vocabulary([["red"]])
    with pytest.raises(UsageError, match="don't go together"):
        WordPipeline(vocabulary, ngrams=(3, 3), ngram_buckets=9, spelling=NGRAMS)
