"""Labelled pairs in tables."""

from pathlib import Path

import pytest

from textkin.base.errors import DataError, UsageError
from textkin.data.readers import Reading, TextReading, load_pairs, load_texts, pairs
from textkin.data.records import LabelKind, Pair, PairSet


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "data.tsv"


def test_named_columns_and_skips(file: Path) -> None:
    file.write_text("x\tleft\tright\tverdict\n1\ta\tb\tyes\n2\t\tb\tno\n3\tc\td\t\n4\te\tf\tno\n")
    loaded = pairs.read_pairs(file, columns={"a": "left", "b": "right", "label": "verdict", "id_a": "1"})
    assert loaded.data == PairSet(
        (Pair("a", "b", 1.0, "1", "", 0), Pair("e", "f", 0.0, "4", "", 3)), LabelKind.BINARY, name="data.tsv"
    )
    assert loaded.report.skipped == {"empty text": 1, "no label": 1}


def test_unlabelled_pairs(file: Path) -> None:
    file.write_text("question1\tquestion2\nHow?\tHow so?\n")
    data = load_pairs(file).data
    assert (data.kind, data.pairs) == (LabelKind.NONE, (Pair("How?", "How so?", row=0),))


def test_a_named_column_tells_that_the_first_row_is_a_header(tmp_path):
    table = tmp_path / "t.tsv"
    table.write_text("topic\tgroup\tBody Text\ncars\tx\tone\nbikes\ty\ttwo\n")
    assert load_texts(table, reading=TextReading(text="body_text")).data.texts == ("one", "two")
    assert load_texts(table, reading=TextReading(text="3")).data.texts == ("Body Text", "one", "two")
    pairs = load_pairs(table, reading=Reading(columns={"a": "topic", "b": "3"}))
    assert pairs.data.texts == [("cars", "one"), ("bikes", "two")]
    with pytest.raises(UsageError) as error:
        load_texts(table, reading=TextReading(text="nosuch"))
    assert error.value.params == ("text",)


def test_ids_that_repeat_in_the_first_rows_are_no_labels_if_the_whole_file_has_many(file: Path) -> None:
    """Thirty questions with forty answers each: the first rows have few ids, all of them repeated."""
    rows = [f"{question}\tquestion {question}\tanswer {n}" for question in range(1, 31) for n in range(40)]
    file.write_text("\n".join(rows) + "\n")
    with pytest.raises(DataError) as error:
        load_pairs(file)
    assert str(error.value.path).endswith("data.tsv")
    named = load_pairs(file, reading=Reading(columns={"id_a": "1", "a": "2", "b": "3"}))
    assert (named.data.kind, named.data.pairs[-1].id_a) == (LabelKind.NONE, "30")
    graded = load_pairs(file, reading=Reading(columns={"label": "1"}))
    assert graded.data.kind is LabelKind.GRADED
    file.write_text("\n".join(rows[:800]) + "\n")  # twenty grades: a scale
    assert load_pairs(file).data.kind is LabelKind.GRADED


def test_odd_digits_in_later_rows_are_no_accident(file: Path) -> None:
    rows = [f"{n % 25}\tquestion {n}\tanswer {n}" for n in range(24)] * 9
    file.write_text("\n".join([*rows[:200], *(f"{n}\tq\ta" for n in ("\u00b2", "9" * 5000))]) + "\n")
    with pytest.raises(DataError):
        load_pairs(file)
