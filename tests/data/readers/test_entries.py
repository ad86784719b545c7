"""Entries from files and from Python."""

import json

import pytest

from textkin.base.errors import DataError, UsageError
from textkin.data.entry_records import Added, Entry
from textkin.data.readers.entries import EntryFile, EntryReading, as_entries, distinct, hashed_id
from textkin.data.readers.read_report import SkipCounter


def read(path, **reading):
    return list(EntryFile(path, reading=EntryReading(**reading)).entries(SkipCounter(path)))


def test_cells_that_are_numbers_become_numbers(tmp_path):
    path = tmp_path / "t.jsonl"
    path.write_text('{"id": 7, "text": "ice", "n": 3, "f": 2.5, "z": "007", "e": "", "l": [1], "b": true}\n')
    [entry] = read(path, metadata=("n", "f", "z", "e", "l", "b"))
    assert entry == Entry("7", "ice", {"n": 3, "f": 2.5, "z": "007", "l": [1], "b": "true"})


def test_lists_and_objects_of_json_are_what_they_are_in_python(tmp_path):
    about = {"tags": ["java", 1.5, None], "none": [], "in": {"a": [True], "b": "é"}, "text": '["java"]'}
    path = tmp_path / "t.jsonl"
    path.write_text(json.dumps({"say": "ice", **about}) + "\n")
    [entry] = read(path, text="say", metadata=("tags", "none", "in.a", "in.b", "text"))
    assert entry.metadata == {
        "tags": ["java", 1.5, None],
        "none": [],
        "in.a": [True],
        "in.b": "é",
        "text": '["java"]',
    }


def test_numbers_of_json_are_numbers_however_they_are_written(tmp_path):
    path = tmp_path / "t.jsonl"
    path.write_text(
        '{"text": "ice", "a": 19.90, "b": 5.00, "c": 1.0e1, "d": 1E-7, "e": "19.90", "f": "1e5", "g": "07"}\n'
        '{"text": "fire", "a": 12345678901234567890, "b": 0.12345678901234567890, "c": 1e999, "d": -0.0}\n'
    )
    ice, fire = read(path, metadata=tuple("abcdefg"))
    assert ice.metadata == {"a": 19.9, "b": 5.0, "c": 10.0, "d": 1e-7, "e": "19.90", "f": "1e5", "g": "07"}
    assert fire.metadata == {
        "a": "12345678901234567890",
        "b": "0.12345678901234567890",
        "c": "1e999",
        "d": 0.0,
    }
    assert {type(one) for one in fire.metadata.values()} == {str, float}


def test_cells_of_a_table_stay_as_they_are_written(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("text,a,b,c,d,e\nice,9.99,19.90,007,1e5,9007199254740993\n")
    [entry] = read(path, metadata=tuple("abcde"))
    assert entry.metadata == {"a": 9.99, "b": "19.90", "c": "007", "d": "1e5", "e": 9007199254740993}


def test_ids_of_a_table(tmp_path):
    path = tmp_path / "t.tsv"
    path.write_text("name\ttext\ttitle\na\tice\ten\nb\t \ten\na\tfire\tde\n")
    assert [one.entry_id for one in read(path)] == [hashed_id("ice"), hashed_id("fire")]
    with pytest.raises(DataError) as error:
        read(path, id="name")
    assert error.value.line == 4
    assert read(path, text="title", metadata=("2",))[0] == Entry(hashed_id("en"), "en", {"text": "ice"})
    with pytest.raises(UsageError) as error:
        read(path, metadata=("year",))
    assert error.value.params == ("metadata",)


def test_plain_text(tmp_path):
    path = tmp_path / "t.txt"
    path.write_text("ice\n\nfire\n")
    counter = SkipCounter(path)
    file = EntryFile(path)
    assert [one.text for one in file.entries(counter)] == ["ice", "fire"]
    assert not file.has_ids
    assert counter.report().skipped == {"empty text": 1}
    for name in ("corpus.jsonl", "queries.jsonl"):
        (tmp_path / name).write_text('{"_id": "d", "text": "ice"}\n')
    assert read(tmp_path) == [Entry("d", "ice")]
    with pytest.raises(UsageError) as error:
        EntryFile(tmp_path, reading=EntryReading(id="x"))
    assert error.value.params == ("id",)


def test_texts_from_python():
    assert list(as_entries(["ice"], ["a"], [{"n": 1}])) == [Entry("a", "ice", {"n": 1})]
    assert list(as_entries(iter(["ice"]))) == [Entry(hashed_id("ice"), "ice")]
    with pytest.raises(UsageError) as error:
        list(as_entries(["ice"], ["a", "b"]))
    assert error.value.params == ("ids",)
    with pytest.raises(UsageError) as error:
        list(as_entries([3]))
    assert (error.value.params, error.value.value) == (("texts",), 3)
    with pytest.raises(UsageError) as error:
        list(distinct([Entry("a", "ice"), Entry("b", "ice"), Entry("a", "sun")]))
    assert "'a' comes twice" in error.value.message
    again = [Entry(hashed_id("ice"), "ice")] * 2
    assert list(distinct(again)) == again


def test_accounts_add_up():
    assert Added(3, 1, 1, 1) + Added(2, 2) == Added(5, 3, 1, 1)
    assert Added(3, 1).rows()[0]["given"] == 3


def test_documents_of_a_beir_folder_keep_their_metadata(tmp_path):
    (tmp_path / "queries.jsonl").write_text('{"_id": "q", "text": "hot?"}\n')
    (tmp_path / "corpus.jsonl").write_text(
        '{"_id": "a", "text": "ice", "metadata": {"year": 1999, "of": {"n": [1.5]}, "gap": NaN}}\n'
        '{"_id": "b", "text": "fire", "metadata": null}\n{"_id": "c", "text": "wood", "metadata": "none"}\n'
    )
    found = [one.metadata for one in read(tmp_path)]
    assert found == [{"year": 1999, "of": {"n": [1.5]}, "gap": None}, {}, {}]


def test_empty_documents_of_a_beir_folder_are_counted_skips(tmp_path):
    (tmp_path / "qrels").mkdir()
    (tmp_path / "queries.jsonl").write_text('{"_id": "q", "text": "why"}\n')
    (tmp_path / "qrels" / "test.tsv").write_text("query-id\tcorpus-id\tscore\nq\ta\t1\n")
    rows = [
        '{"_id": "a", "text": "one"}',
        "",
        '{"_id": "b", "title": "", "text": " "}',
        '{"_id": "c", "text": "two"}',
    ]
    (tmp_path / "corpus.jsonl").write_text("\n".join(rows) + "\n")
    counter = SkipCounter(tmp_path)
    found = [entry.entry_id for entry in EntryFile(tmp_path).entries(counter)]
    assert found == ["a", "c"]
    report = counter.report()
    assert (report.rows, report.kept) == (3, 2)
    assert [one.line for one in report.examples] == [3]


def test_the_column_that_is_missing_is_named(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("key,subject,lang\na,ice,en\n")
    with pytest.raises(UsageError) as error:
        read(path, text="subject", id="key", metadata=("lang", "yaer"))
    assert (error.value.params, error.value.value) == (("metadata",), "yaer")


def test_each_plain_file_of_a_folder_is_an_entry(tmp_path):
    (tmp_path / "deep").mkdir()
    (tmp_path / "b.md").write_text("# Parking\n\nBehind the house.\n")
    (tmp_path / "deep" / "a.txt").write_text("We open at nine.")
    (tmp_path / "empty.txt").write_text("")
    (tmp_path / "table.csv").write_text("not,read\n")
    counter = SkipCounter(tmp_path)
    file = EntryFile(tmp_path)
    found = {one.entry_id: one.text for one in file.entries(counter)}
    assert found == {"b.md": "# Parking\n\nBehind the house.", "deep/a.txt": "We open at nine."}
    assert file.has_ids and (counter.report().rows, counter.report().kept) == (3, 2)
    with pytest.raises(UsageError) as error:
        EntryFile(tmp_path, reading=EntryReading(text="x"))
    assert error.value.params == ("text",)
