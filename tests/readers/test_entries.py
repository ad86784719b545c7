"""Entries from files and from Python."""

import pytest

from textkin.collection_records import Added, Entry
from textkin.errors import DataError, UsageError
from textkin.readers.entries import EntryFile, EntryReading, as_entries, hashed_id
from textkin.readers.report import SkipCounter


def read(path, **reading):
    return list(EntryFile(path, reading=EntryReading(**reading)).entries(SkipCounter(path)))


def test_cells_that_are_numbers_become_numbers(tmp_path):
    path = tmp_path / "t.jsonl"
    path.write_text('{"id": 7, "text": "ice", "n": 3, "f": 2.5, "z": "007", "e": "", "l": [1], "b": true}\n')
    [entry] = read(path, metadata=("n", "f", "z", "e", "l", "b"))
    assert entry == Entry("7", "ice", {"n": 3, "f": 2.5, "z": "007", "l": '["1"]', "b": "true"})


def test_ids_of_a_table(tmp_path):
    path = tmp_path / "t.tsv"
    path.write_text("name\ttext\ttitle\na\tice\ten\nb\t \ten\na\tfire\tde\n")
    assert [one.entry_id for one in read(path)] == [hashed_id("ice"), hashed_id("fire")]
    with pytest.raises(DataError, match=r"t\.tsv:4: id 'a' comes twice"):
        read(path, ids="name")
    assert read(path, text="title", metadata=("2",))[0] == Entry(hashed_id("en"), "en", {"text": "ice"})
    with pytest.raises(UsageError, match="no column 'year'"):
        read(path, metadata=("year",))


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
    with pytest.raises(UsageError, match="is no table"):
        EntryFile(tmp_path, reading=EntryReading(ids="x"))


def test_texts_from_python():
    assert list(as_entries(["ice"], ["a"], [{"n": 1}])) == [Entry("a", "ice", {"n": 1})]
    assert list(as_entries(iter(["ice"]))) == [Entry(hashed_id("ice"), "ice")]
    with pytest.raises(UsageError, match="2 ids for 1 texts"):
        list(as_entries(["ice"], ["a", "b"]))
    with pytest.raises(UsageError, match="value 0 is a int"):
        list(as_entries([3]))


def test_accounts_add_up():
    assert Added(3, 1, 1, 1) + Added(2, 2) == Added(5, 3, 1, 1)
    assert Added(3, 1).rows()[0]["given"] == 3


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
