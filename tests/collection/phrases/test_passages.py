import sqlite3
from contextlib import closing

import pytest

from textkin.base.errors import DataError, OutputError
from textkin.collection.phrases import passages
from textkin.collection.phrases.passages import PassageReader, PassageWriter, StoredPassage, compact

PASSAGES = [
    StoredPassage("a", "one two", 0, 2),
    StoredPassage("empty", "", 2, 0),
    StoredPassage("ü", "three\0\n字", 2, 3),
    StoredPassage("none", "", 5, 0),
]


def write(path, passages, keep=0):
    writer = PassageWriter(path, keep=keep)
    writer.add(passages)
    writer.close()


def test_the_passage_of_each_phrase(tmp_path):
    path = tmp_path / "a folder?#" / "p.sqlite"
    path.parent.mkdir()
    write(path, PASSAGES)
    reader = PassageReader(path)
    assert [reader.of_row(number).passage_id for number in range(5)] == ["a", "a", "ü", "ü", "ü"]
    assert reader.of_row(4) == PASSAGES[2] and reader.count() == 4
    reader.close()
    assert [item.name for item in path.parent.iterdir()] == ["p.sqlite"]


def test_what_is_not_to_stay_goes(tmp_path):
    path = tmp_path / "p.sqlite"
    write(path, PASSAGES)
    write(path, [StoredPassage("b", "three", 2, 1)], keep=1)
    with closing(PassageReader(path)) as reader:
        assert reader.count() == 2 and reader.of_row(2).passage_id == "b"


def test_broken_files(tmp_path):
    path = tmp_path / "p.sqlite"
    write(path, PASSAGES * 200)
    content = path.read_bytes()
    for broken in (b"", b"text" * 2000, content[:3000] + bytes(len(content) - 3000)):
        path.write_bytes(broken)
        with closing(PassageReader(path)) as reader, pytest.raises(DataError) as error:
            reader.of_row(1)
        assert str(error.value.path).endswith("p.sqlite")
    path.unlink()
    with sqlite3.connect(path) as other:
        other.execute("CREATE TABLE passages (id, text, first, rows)")
        other.execute("INSERT INTO passages VALUES (1, 2, 0, 5)")
    other.close()
    with (
        closing(PassageReader(path)) as reader,
        pytest.raises(DataError, match="no passage of row 3"),
    ):
        reader.of_row(3)


def test_the_same_passages_make_the_same_bytes(tmp_path):
    straight, winding = tmp_path / "a.sqlite", tmp_path / "b.sqlite"
    write(straight, PASSAGES)
    write(winding, [*PASSAGES[:2], *PASSAGES[:2]])
    write(winding, PASSAGES[2:], keep=2)
    (tmp_path / "b.sqlite.new").write_text("what a kill left")
    for _ in range(2):
        for path in (straight, winding):
            compact(path)
        assert straight.read_bytes() == winding.read_bytes()
    reader = PassageReader(winding)
    assert reader.of_row(4) == PASSAGES[2] and reader.count() == 4
    reader.close()
    assert sorted(item.name for item in tmp_path.iterdir()) == ["a.sqlite", "b.sqlite"]


def test_a_full_disk_is_told_and_leaves_the_old_file(tmp_path, monkeypatch):
    path = tmp_path / "p.sqlite"
    write(path, PASSAGES)
    before = path.read_bytes()
    monkeypatch.setattr(passages, "_TABLE", "PRAGMA max_page_count = 1; " + passages._TABLE)
    with pytest.raises(OutputError):
        compact(path)
    assert path.read_bytes() == before and [item.name for item in tmp_path.iterdir()] == ["p.sqlite"]
