import re

import pytest

from textkin import errors
from textkin.errors import DataError, LeakError, MissingExtraError, TextkinError, did_you_mean, said


def test_the_tree_in_the_docstring_is_the_tree():
    drawn = dict(re.findall(r"── (\w+) .*exit (\d+)", errors.__doc__))
    found = {
        name: str(value.exit_code)
        for name, value in vars(errors).items()
        if isinstance(value, type) and issubclass(value, TextkinError) and value is not TextkinError
    }
    assert drawn == found
    assert len(set(found.values()) - {found["DataError"]}) == len(found) - 2  # a leak is an error of data


def test_messages_name_place_and_fix():
    assert str(TextkinError("wrong")) == "wrong"
    assert str(TextkinError("wrong", fix="do it right")) == "wrong; do it right"
    assert str(DataError("wrong", path="a.tsv", line=3, fix="fix it")) == "a.tsv:3: wrong; fix it"
    assert str(DataError("wrong", path="a.tsv")) == "a.tsv: wrong"
    assert str(DataError("wrong")) == "wrong"
    assert "pip install 'textkin[tensorboard]'" in str(MissingExtraError("x", extra="tensorboard"))
    with pytest.raises(DataError):
        raise LeakError("shared")


def test_did_you_mean():
    assert did_you_mean("tfdif", ["tfidf", "bm25"]) == "did you mean 'tfidf'?"
    assert did_you_mean("zzz", iter(["tfidf", "bm25"])) == "choose one of: tfidf, bm25"


def test_another_librarys_error_is_one_short_line() -> None:
    error = RuntimeError("could not do\n  it. Set THIS=all to see more.")
    assert said(error) == "could not do it"
    assert said(error, whole=True) == "could not do it. Set THIS=all to see more."
    assert said(OSError("No.")) == "No"
    assert said(ValueError("x" * 1000)) == "x" * 300 + " ..."
