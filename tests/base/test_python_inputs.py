from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from textkin.base.errors import UsageError
from textkin.base.python_inputs import cells_of, one_or_several, path_of, several, text_pairs_of, texts_of
from textkin.data.records import LabelKind, Pair, PairSet

TEXTS = ["one", "", "zwölf", "三"]
PAIRS = [("one", "two"), ("", "三")]
_TEXT = st.text(st.characters(exclude_categories=["Cs"]))


@given(st.lists(_TEXT))
def test_texts_come_from_any_sequence(texts):
    assert texts_of(texts) == texts_of(tuple(texts)) == texts_of(iter(texts)) == texts
    assert texts_of(np.array(texts, dtype=object)) == texts
    assert all(type(text) is str for text in texts_of(np.array(["a", *TEXTS])))


@given(st.lists(st.tuples(_TEXT, _TEXT)))
def test_pairs_come_from_any_sequence(pairs):
    records = tuple(Pair(a, b) for a, b in pairs)
    rows = [list(pair) for pair in pairs]
    assert text_pairs_of(pairs) == text_pairs_of(rows) == text_pairs_of(iter(pairs)) == pairs
    assert text_pairs_of(PairSet(records, LabelKind.NONE)) == text_pairs_of(list(records)) == pairs
    if pairs:
        assert text_pairs_of(np.array(pairs, dtype=object)) == pairs


def test_numbers_of_single_and_half_precision_have_their_fewest_digits():
    arrow = pytest.importorskip("pyarrow")
    for kind in (arrow.float16(), arrow.float32(), arrow.float64()):
        column = arrow.array([np.float16(0.5), None, np.float16(2)]).cast(kind)
        assert cells_of(column, "metadata") == [0.5, None, 2.0]
    assert cells_of(arrow.array([0.1, 19.9], arrow.float32()), "metadata") == [0.1, 19.9]
    assert cells_of(arrow.chunked_array([[0.1], [2.5]], arrow.float32()), "metadata") == [0.1, 2.5]


def test_columns_of_pandas_come_whatever_their_index():
    pandas = pytest.importorskip("pandas", reason="pandas is not installed")
    table = pandas.DataFrame(PAIRS, columns=["a", "b"], index=[7, 3])
    assert texts_of(table["b"]) == texts_of(pandas.Index(["two", "三"])) == ["two", "三"]
    assert texts_of(table[["b"]]) == ["two", "三"]
    assert text_pairs_of(table) == PAIRS
    with pytest.raises(UsageError) as error:
        texts_of(table)
    assert error.value.params == ("texts",)
    with pytest.raises(UsageError) as error:  # by pandas' age
        texts_of(pandas.Series(["a", None]))
    assert error.value.params == ("texts",)


def test_columns_of_polars_come():
    polars = pytest.importorskip("polars", reason="polars is not installed")
    table = polars.DataFrame({"a": ["one", ""], "b": ["two", "三"]})
    assert texts_of(table["b"]) == ["two", "三"]
    assert text_pairs_of(table) == PAIRS
    with pytest.raises(UsageError, match=r"texts\[1\] is None, expected a text"):
        texts_of(polars.Series(["a", None]))


@pytest.mark.parametrize(
    ("given_", "words"),
    [
        (b"abc", "texts is b'abc', expected several"),
        ({"a", "b"}, "texts is"),
        ({"a": "b"}, "texts is"),
        (None, "texts is"),
        (5, "texts is"),
        (np.ma.array(["a", "b"], mask=[0, 1]), "texts is"),
        (np.array("a"), "texts is"),
        (np.array([["a", "b"]]), "texts is"),
        (["a", None], r"texts\[1\] is"),
        (["a", float("nan")], r"texts\[1\] is nan, expected a text"),
        (np.array([b"a"]), r"texts\[0\] is b'a', expected a text"),
        ([("a", "b")], r"texts\[0\] is \('a', 'b'\), expected a text"),
        ([["x" * 99]], r"texts\[0\] is"),
        (["a", "\ud800b"], r"texts\[1\] is '\\ud800b', with half a character"),
    ],
)
def test_what_is_no_sequence_of_texts_is_refused_by_place_and_value(given_, words):
    with pytest.raises(UsageError, match=words):
        texts_of(given_)


@pytest.mark.parametrize(
    ("given_", "words"),
    [
        ("ab", "pairs is 'ab', expected several; give a list, even of one pair"),
        (["ab", "cd"], r"pairs\[0\] is 'ab', expected two texts"),
        ([("a", "b"), ("a", "b", 1)], r"pairs\[1\] is \('a', 'b', 1\), expected two texts"),
        ([("a", None)], r"pairs\[0\]\[1\] is None, expected a text"),
        ([("a", "b"), (b"c", "d")], r"pairs\[1\]\[0\] is b'c', expected a text"),
        ({("a", "b")}, "pairs is"),
        (np.array(["ab"]), "pairs is"),
        ([("a", "\udfff")], r"pairs\[0\]\[1\] is '\\udfff', with half a character"),
    ],
)
def test_what_is_no_sequence_of_pairs_is_refused_by_place_and_value(given_, words):
    with pytest.raises(UsageError, match=words):
        text_pairs_of(given_)


def test_a_string_is_a_path():
    assert path_of("a.tsv") == path_of(Path("a.tsv")) == Path("a.tsv")
    assert path_of(["a.tsv"]) is None


@pytest.mark.parametrize("name", ["a.tsv", "my texts.TXT", "data/questions", "~/my notes", "./a", "there"])
def test_a_string_that_may_be_a_text_is_a_path_where_it_looks_like_one(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "there").mkdir()
    assert path_of(name, or_text=True) == Path(name)


@pytest.mark.parametrize(
    "text", ["reset my password", "hello", "", "yes / no", "a\0b", "x" * 5_000, "see it.now"]
)
def test_any_other_string_is_a_text(text, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert path_of(text, or_text=True) is None
    assert path_of(Path("hello"), or_text=True) == Path("hello")
    assert texts_of(text) == [text]


def test_one_pair_is_one_and_two_texts_in_a_list_are_none():
    assert text_pairs_of(("a", "b")) == text_pairs_of(Pair("a", "b")) == [("a", "b")]
    assert text_pairs_of((("a", "b"), ("c", "d"))) == [("a", "b"), ("c", "d")]


class Doubled:
    @one_or_several
    def lengths(self, given):
        return [2 * len(one) for one in given]


def test_a_method_of_several_takes_one():
    assert Doubled().lengths("abc") == 6
    assert Doubled().lengths(["abc", ""]) == [6, 0]
    assert Doubled().lengths(("abc", "de")) == 4  # one pair, of two texts
    assert Doubled().lengths(["abc", "de"]) == [6, 4]
    with pytest.raises(TypeError, match=r"takes given in one argument; write lengths\(\[a, b, ...\]\)$"):
        Doubled().lengths("abc", "de")


def test_one_name_is_not_taken_for_many():
    assert several(["a", "b"], "models") == ("a", "b")
    for one in ("static", Path("static"), 5):
        with pytest.raises(UsageError) as error:
            several(one, "models")
    for one in (False, 5, b"ab"):
        with pytest.raises(UsageError) as error:
            several(one, "models")
        assert error.value.fix is None, "what stands in a list is wrong, too"
        assert error.value.params == ("models",)
