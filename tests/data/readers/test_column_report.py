"""The columns that a reader used, in words."""

from textkin.data.readers import load_pairs
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
