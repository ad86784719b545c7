import pytest

from textkin.errors import UsageError
from textkin.readers import TextReading
from textkin.readers.texts import TextFile

TABLE = 'id,text,votes\nx,"one, two",3\ny,,4\nz,"three\nlines",\n'


def copied(source, without):
    target = source.path.with_name("copy")
    count = source.copy(target, without=without)
    with target.open(encoding="utf-8", newline="") as stream:
        return count, stream.read()


def test_a_table_again_without_some_of_its_rows(tmp_path):
    path = tmp_path / "texts.csv"
    path.write_text(TABLE)
    source = TextFile(path, reading=TextReading(quoting="csv"))
    assert copied(source, ()) == (3, TABLE)
    assert copied(source, {"z", "y"}) == (2, 'id,text,votes\nx,"one, two",3\ny,,4\n')
    assert list(source.cells("votes")) == ["3", ""]
    with pytest.raises(UsageError, match="no column 'stars'"):
        list(source.cells("stars"))


def test_plain_lines_again(tmp_path):
    path = tmp_path / "texts.txt"
    path.write_text("one\r\n\ntwo\n")
    assert copied(TextFile(path), {"1"}) == (2, "\ntwo\n")
    with pytest.raises(UsageError, match="one text a line"):
        list(TextFile(path).cells("votes"))
