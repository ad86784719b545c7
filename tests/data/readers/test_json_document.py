import json
import pickle

import pytest
from hypothesis import given
from hypothesis import strategies as st

from textkin.base.errors import DataError
from textkin.data.readers.json_document import read_document

TEXT = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"))
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | TEXT,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXT, inner, max_size=3),
    max_leaves=10,
)


@given(JSON, st.booleans())
def test_a_document_comes_back(tmp_path_factory, value, ascii_only):
    path = tmp_path_factory.getbasetemp() / "document.json"
    path.write_text(json.dumps(value, ensure_ascii=ascii_only), encoding="utf-8")
    assert read_document(path).value == value


@pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
@pytest.mark.parametrize("value", [{1: "a"}, [1, 2], (1, 2), {"a": {"b": [1]}}, [], {}])
def test_pickles_are_refused_unopened(tmp_path, value, protocol):
    path = tmp_path / "answers"
    path.write_bytes(pickle.dumps(value, protocol))
    with pytest.raises(DataError) as error:
        read_document(path)
    assert str(error.value.path).endswith("answers")


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ('{"a":\n [1, 2', ":2: broken JSON: .*cut off"),
        ("[1] 2", "Extra data"),
        ("[" * 100_000, "nested too deeply|broken JSON"),
        ('["a\\ud800"]', "half a surrogate pair"),
        ('[{"\\u0000": 1}]', "a NUL"),
        ('{"b": 1, "c": [{"a": 1, "b": 2, "a": 3}]}', "'a' twice"),
        ("", "empty"),
    ],
)
def test_broken_documents(tmp_path, content, words):
    path = tmp_path / "x.json"
    path.write_text(content)
    with pytest.raises(DataError, match=words):
        read_document(path)


def test_a_key_may_come_twice_with_one_value(tmp_path):
    path = tmp_path / "x.json"
    path.write_text('{"a": [1], "b": 2, "a": [1]}')
    assert read_document(path).value == {"a": [1], "b": 2}


def test_errors_name_the_place(tmp_path):
    path = tmp_path / "x.json"
    path.write_text('{"data": [{"n": 1, "t": "x"}, {"n": true, "l": [1, "2"]}]}')
    first, second = read_document(path).member("data").items()
    assert (first.member("n").whole(), first.member("t").text()) == (1, "x")
    assert not first.member("nothing").is_there
    for fails, words in (
        (second.member("n").whole, r"data\[1\].n: expected a whole number, found true"),
        (second.member("l").wholes, r"data\[1\].l: expected whole numbers throughout"),
        (second.member("t").text, r"data\[1\].t: expected text, found nothing"),
        (first.member("t").wholes, r"data\[0\].t: expected a list, found \"x\""),
        (lambda: list(first.items()), r"data\[0\]: expected a list"),
        (lambda: dict(first.member("n").entries()), "expected an object"),
    ):
        with pytest.raises(DataError, match=words):
            fails()
