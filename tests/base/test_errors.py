import re
from pathlib import Path

import numpy as np
import pytest

import textkin as tk
from textkin.base import errors
from textkin.base.errors import (
    DataError,
    LeakError,
    MissingExtraError,
    TextkinError,
    UsageError,
    conflict,
    did_you_mean,
    either,
    inapplicable,
    invalid,
    required,
    said,
    unknown_choice,
)
from textkin.base.spelling import offering
from textkin.data.readers import load_pairs
from textkin.vectors.groups.linkage import KeepRule


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


@pytest.mark.parametrize(
    ("error", "params", "value", "said"),
    [
        (invalid("most", 0, expected="at least 1"), ("most",), 0, "most is 0, expected at least 1"),
        (invalid("texts[3]", 5, expected="a text"), ("texts",), 5, "texts[3] is 5, expected a text"),
        (invalid("out", Path("a"), expected="b"), ("out",), Path("a"), "out is 'a', expected b"),
        (invalid("k", np.float32(0.5), expected="1"), ("k",), 0.5, "k is 0.5, expected 1"),
        (
            unknown_choice("keep", "longst", KeepRule),
            ("keep",),
            "longst",
            "keep is 'longst', expected longest, first, central or highest; did you mean 'longest'?",
        ),
        (
            inapplicable("a", "b", to="pairs"),
            ("a", "b"),
            None,
            "a and b don't apply to pairs; leave them out",
        ),
        (required("a", by="`b`"), ("a",), None, "b needs a"),
        (conflict("a", "b", why="c"), ("a", "b"), None, "a and b can't be combined: c; give one of them"),
    ],
)
def test_errors_of_options_have_fields(error, params, value, said):
    assert (error.params, error.value, str(error)) == (params, value, said)


def test_a_long_list_of_choices_is_cut():
    told = str(unknown_choice("number", "x", map(str, range(100))))
    assert told == f"number is 'x', expected {', '.join(map(str, range(20)))} or one of 80 more"


def test_a_long_value_is_cut():
    assert len(str(invalid("texts", ["x" * 1000] * 1000, expected="y"))) < 700


def test_did_you_mean():
    assert did_you_mean("tfdif", ["tfidf", "bm25"]) == "did you mean 'tfidf'?"
    assert did_you_mean("MiniLM", ["default", "minilm"]) == "did you mean 'minilm'?"
    assert did_you_mean("zzz", iter(["tfidf", "bm25"])) == "choose one of: tfidf, bm25"


def test_another_librarys_error_is_one_short_line() -> None:
    error = RuntimeError("could not do\n  it. Set THIS=all to see more.")
    assert said(error) == "could not do it"
    assert said(error, whole=True) == "could not do it. Set THIS=all to see more."
    assert said(OSError("No.")) == "No"
    assert said(ValueError("x" * 1000)) == "x" * 300 + " ..."


def test_messages_of_data_are_short_and_act_on_no_terminal() -> None:
    error = DataError(
        "no column \x1b[2J\u202e", path="a\x1b]0;b\x07.tsv", line=2, fix="\x9b" + "x" * 1_000_000
    )
    assert str(error).startswith(r"a\x1b]0;b\x07.tsv:2: no column \x1b[2J\u202e; \x9bxxx")
    assert len(str(error)) < 1_700 and "characters ..." in str(error)
    assert error.path == "a\x1b]0;b\x07.tsv"
    assert str(Exception(error)) == str(error)


@pytest.mark.slow
def test_twenty_thousand_columns_make_a_short_message(tmp_path: Path) -> None:
    path = tmp_path / "wide.tsv"
    path.write_text("\t".join(f"column{number}" for number in range(20_000)) + "\n" + "x\t" * 19_999 + "x\n")
    with pytest.raises(DataError) as caught:
        load_pairs(path)
    assert len(str(caught.value)) < 4_000


@pytest.mark.parametrize(
    ("told", "shown"),
    [
        ("no folder postgresql:/u:s3cret@h/db", "no folder postgresql:/u@h/db"),
        ("at postgres://u:s3@cret@h/db?password=s3cret&a=b", "at postgres://u@h/db?password=...&a=b"),
        ("at postgresql://u@h:5432/db", "at postgresql://u@h:5432/db"),
        ("mail a:b@c", "mail a:b@c"),
    ],
)
def test_the_password_of_an_address_is_not_told(told, shown):
    assert UsageError(told, fix=told).message == shown
    assert str(UsageError(told, fix=told)) == f"{shown}; {shown}"


def test_a_fix_names_no_option_that_the_verb_lacks():
    ways = "give a folder", "go on with `accept_drift`", "look: `lint()` with `columns`"
    assert either(*ways) == "give a folder, go on with `accept_drift`, or look: `lint()` with `columns`"
    with offering(["model"]):
        assert either(*ways) == "give a folder, or look: `lint()` with `columns`"
        assert either("`text=NAME`") is None
        with offering(["text"]):  # the outer call is the user's
            assert either("`text=NAME`", "rename it") == "rename it"
    assert either("`text=NAME`") == "`text=NAME`"


def test_a_verb_is_told_its_own_options(tmp_path):
    table = tmp_path / "table.csv"
    table.write_text("x,y\nred car,a red car\nred auto,a red auto\n")
    with pytest.raises(DataError) as error:
        tk.dedupe(table)
    assert error.value.fix == "name it: `text=NAME` (a name or a number from 1)"
    with pytest.raises(DataError) as error:
        tk.compare([("a", "b", 1), ("a", "c", 0)], "bm25", fit=table)
    assert error.value.fix == "call it text in the first row"
