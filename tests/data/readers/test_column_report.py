"""The columns that a reader used, in words."""

import pytest

from textkin.data.readers import load_pairs
from textkin.data.readers.entries import EntryFile
from textkin.data.readers.read_options import TextReading
from textkin.data.readers.read_report import SkipCounter
from textkin.data.readers.texts import open_texts


def pairs_of(tmp_path, header, *rows):
    path = tmp_path / "pairs.tsv"
    path.write_text("\n".join("\t".join(row) for row in (header, *rows)) + "\n")
    return load_pairs(path)


def test_what_people_judged_is_the_label_and_no_score(tmp_path):
    for name in ("same", "label", "is_duplicate"):
        header = ("text_a", "text_b", "score", name)
        found = pairs_of(tmp_path, header, ("a b", "c d", "0.91", "1"), ("e f", "g h", "0.95", "0"))
        assert found.data.labels.tolist() == [1, 0]
        assert f"label: column 4 '{name}'" in found.report.columns
    found = pairs_of(tmp_path, ("text_a", "text_b", "score"), ("a b", "c d", "0.91"), ("e f", "g h", "0.95"))
    assert found.data.labels.tolist() == [0.91, 0.95]


def test_a_sample_that_nobody_judged_has_no_labels(tmp_path):
    header = ("text_a", "text_b", "same", "id_a", "id_b", "score")
    found = pairs_of(
        tmp_path, header, ("a b", "c d", "", "1", "2", "0.91"), ("e f", "g h", "", "3", "4", "0.95")
    )
    assert found.data.kind.value == "none"


def test_labels_of_one_kind_are_labels_all_the_same(tmp_path):
    header = ("text_a", "text_b", "score", "label")
    found = pairs_of(tmp_path, header, ("a b", "c d", "0.91", "1"), ("e f", "g h", "0.95", "1"))
    assert found.data.labels.tolist() == [1, 1]


def test_matches_are_pairs(tmp_path):
    header = ("id", "text", "verdict", "nearest_id", "nearest_text", "score", "label")
    found = pairs_of(tmp_path, header, ("1", "a b", "new", "7", "c d", "0.91", "1"))
    assert found.data.texts == [("a b", "c d")] and found.data.labels.tolist() == [1]


def test_texts_say_their_column_and_others(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("id,Subject,Body\n1,Parking,Where can I park?\n2,Hours,When do you open?\n")
    told = {}
    for column in (None, "Subject"):
        counter = SkipCounter(path)
        list(open_texts(path, reading=TextReading(text=column)).rows(counter))
        told[column] = counter.report().columns
    assert told[None] == "texts: column 3 'Body' (by its name); text='Subject' names another"
    assert told["Subject"] == "texts: column 2 'Subject'"


def test_one_column_is_no_choice(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("text\nWhere can I park?\n")
    counter = SkipCounter(path)
    list(open_texts(path).rows(counter))
    assert counter.report().columns == ""


@pytest.mark.parametrize(
    ("content", "is_told"),
    [
        ('{"id": 7, "text": "one two"}\n{"id": 8, "text": "three"}\n', True),
        ("\nid,text\n7,one two\n8,three four\n", True),
        ("id\ttext\n7\tone two\n8\tthree four\n", True),
        ("one, two\nthree, four\n", False),
        ("hello, world\nfoo, 1\nbar, 2\n", False),
        ("text\none two\n", False),
        ("[1] one\n{two}\n", False),
    ],
)
def test_lines_that_seem_to_be_rows_of_a_table_are_told(tmp_path, content, is_told):
    path = tmp_path / "texts"
    path.write_text(content)
    counters = [SkipCounter(path) for _ in range(2)]
    read = list(open_texts(path).rows(counters[0]))
    assert len(read) == len(list(EntryFile(path).entries(counters[1]))) == len(content.strip().split("\n"))
    assert [bool(one.report().columns) for one in counters] == [is_told, is_told]
