"""Texts with one label each."""

import pytest

from textkin.base.errors import UsageError
from textkin.data.readers import TextReading
from textkin.data.readers.labelled_texts import has_column, load_labelled


@pytest.fixture
def table(tmp_path):
    path = tmp_path / "rows.tsv"
    path.write_text("frage\tthema\nWho?\tpeople\n\tpeople\nWhere?\t \nWhen?\ttime \n")
    return path


def test_texts_are_what_is_no_label(table):
    loaded = load_labelled(table, "thema")
    assert (loaded.data.texts, loaded.data.labels) == (("Who?", "When?"), ("people", "time"))
    assert loaded.data.ids == ("1", "4")
    assert loaded.report.sentence() == (
        "4 rows, 2 kept; skipped 2: 1 empty text (line 3), 1 no label (line 4)"
    )
    assert load_labelled(table, "thema", all_labelled=False).data.labels == ("people", "", "time")
    assert load_labelled(table, "2", reading=TextReading(text="frage")).data == loaded.data


def test_ids_have_a_column(tmp_path):
    path = tmp_path / "rows.csv"
    path.write_text("id,text,label\nx,Who?,1\ny,When?,2\n")
    assert load_labelled(path, "label").data.ids == ("x", "y")
    assert load_labelled(path, "id").data.labels == ("x", "y")


def test_columns_that_are_there(table, tmp_path):
    assert has_column(table, "thema") and has_column(table, "2")
    assert not has_column(table, "topic") and not has_column(table, "3")
    (tmp_path / "plain.txt").write_text("one\ntwo\n")
    assert not has_column(tmp_path / "plain.txt", "1")


def test_what_is_refused(table):
    with pytest.raises(UsageError) as error:
        load_labelled(table, "topic")
    assert error.value.params == ("label",)
    with pytest.raises(UsageError) as error:
        load_labelled(table, "thema", reading=TextReading(text="thema"))
    assert error.value.params == ("label",)
