import tempfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from textkin.base.errors import DataError, ModelError, UsageError
from textkin.text.stable_hash import stable_hash
from textkin.text.vocabulary import Oov, Order, Vocabulary, build_vocabulary, read_word_list

TEXTS = [["b", "a", "c"], ["a", "b", "a"], ["d"]]


def ids(vocabulary, *words):
    return [vocabulary.id(word) for word in words]


def test_frequency_order_breaks_ties_by_appearance():
    vocabulary = build_vocabulary(TEXTS)
    assert vocabulary.words == ("a", "b", "c", "d")
    assert (vocabulary.pad_id, vocabulary.oov_id, len(vocabulary)) == (0, 1, 6)
    assert ids(vocabulary, "a", "d", "never") == [2, 5, 1]
    assert "a" in vocabulary
    assert "never" not in vocabulary


def test_the_layout_of_coursera():
    vocabulary = build_vocabulary(TEXTS, order=Order.APPEARANCE, oov_first=True)
    assert (vocabulary.oov_id, vocabulary.pad_id) == (0, 1)
    assert ids(vocabulary, "b", "a", "c", "d", "never") == [2, 3, 4, 5, 0]


def test_the_layout_of_keras():
    vocabulary = build_vocabulary(TEXTS, oov=Oov.DROP)
    assert (vocabulary.pad_id, len(vocabulary)) == (0, 5)
    assert ids(vocabulary, "a", "b", "c", "d", "never") == [1, 2, 3, 4, None]


def test_unknown_words_are_spread_over_buckets_by_their_hash():
    vocabulary = build_vocabulary(TEXTS, oov=Oov.HASH, buckets=8)
    found = {vocabulary.id(f"word{number}") for number in range(200)}
    assert found == set(range(1, 9))
    assert vocabulary.id("a") == 9
    assert vocabulary.id("word7") == 1 + stable_hash("word7") % 8


def test_the_hash_is_the_same_for_ever():
    assert stable_hash("kin") == 13639786485791397928
    assert stable_hash("kin", seed=1) != stable_hash("kin")


def test_the_zero_rule_names_the_rows_that_stay_zero():
    assert build_vocabulary(TEXTS, oov=Oov.ZERO).zero_ids == (0, 1)
    assert build_vocabulary(TEXTS).zero_ids == (0,)
    assert build_vocabulary(TEXTS, oov=Oov.DROP).zero_ids == (0,)


def test_rare_and_surplus_words_are_left_out():
    assert build_vocabulary(TEXTS, min_count=2).words == ("a", "b")
    assert build_vocabulary(TEXTS, max_size=3).words == ("a", "b", "c")
    assert build_vocabulary(TEXTS, max_size=2, order=Order.APPEARANCE).words == ("b", "a")
    assert build_vocabulary([]).words == ()


def test_pretrained_words_come_after_the_training_words():
    vocabulary = build_vocabulary(TEXTS)
    longer = vocabulary.extended(["z", "a", "z", "y"])
    assert longer.words == ("a", "b", "c", "d", "z", "y")
    assert longer.train_words == 4
    assert ids(longer, *"abcd") == ids(vocabulary, *"abcd")


def test_buckets_belong_to_the_hash_rule():
    with pytest.raises(UsageError, match="buckets=3"):
        build_vocabulary(TEXTS, buckets=3)
    with pytest.raises(UsageError, match="distinct"):
        Vocabulary(words=("a", "a"), train_words=2)


@given(
    st.lists(st.lists(st.text(alphabet=st.characters(codec="utf-8", exclude_characters="\n"), min_size=1))),
    st.sampled_from(Oov),
    st.booleans(),
)
def test_what_is_saved_comes_back(texts, oov, oov_first):
    vocabulary = build_vocabulary(texts, oov=oov, oov_first=oov_first).extended(
        ["more . words", "\r", "\x85"]
    )
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "vocabulary.txt"
        vocabulary.save(path)
        assert Vocabulary.load(path, vocabulary.to_dict()) == vocabulary


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"a\nb\na\n", ":3: 'a' stands on line 1 too"),
        (b"a\n\nb\n", ":2: the line is empty"),
        (b"a\nb\nc", ":3: the last line is cut short"),
        (b"a\n\xff\xfe\nc\n", ":2: not UTF-8"),
        (b"a\nb\n", "has 2 words, the manifest says 3"),
        (None, "can't read"),
    ],
)
def test_a_broken_file_is_named_with_its_line(tmp_path, content, message):
    path = tmp_path / "vocabulary.txt"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(ModelError) as caught:
        Vocabulary.load(path, Vocabulary(words=("a", "b", "c"), train_words=3).to_dict())
    assert str(path) in str(caught.value)
    assert message in str(caught.value)


def test_word_lists(tmp_path):
    path = tmp_path / "words.txt"
    for content, words in {b"a\nb\n": ("a", "b"), b"b\r\na": ("b", "a"), "ß\n".encode(): ("ß",)}.items():
        path.write_bytes(content)
        assert read_word_list(path) == words
    for content, said in {
        b"": "words.txt is empty",
        b"a\n\nb": "words.txt:2: the line is empty",
        b"a\nb\na\n": "words.txt:3: 'a' stands on line 1 too",
        b"\xff\n": "can't read .*words.txt",
    }.items():
        path.write_bytes(content)
        with pytest.raises(DataError, match=said):
            read_word_list(path)
    with pytest.raises(DataError, match=r"can't read .*missing"):
        read_word_list(tmp_path / "missing")
