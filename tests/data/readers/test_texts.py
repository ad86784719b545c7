import pytest

import textkin as tk
from textkin.base.errors import DataError, UsageError
from textkin.data.readers import TextReading
from textkin.data.readers.entries import EntryFile
from textkin.data.readers.texts import TextFile

TABLE = 'id,text,votes\nx,"one, two",3\ny,,4\nz,"three\nlines",\n'


def copied(source, without):
    target = source.path.with_name("copy")
    count = source.copy(target, without=without)
    with target.open(encoding="utf-8", newline="") as stream:
        return count, stream.read()


@pytest.mark.parametrize("content", ['{"text": " "}', '{"text": null}'])
def test_a_file_without_a_text_is_refused(tmp_path, content):
    file = tmp_path / "a.json"
    file.write_text(content)
    with pytest.raises(DataError, match="holds no text: 1 row") as error:
        tk.load_texts(file)
    assert error.value.path == str(file)


@pytest.mark.parametrize(
    "content",
    [
        '{"data": [{"text": "x"}], "name": "my data"}',
        '{"title": "my data", "rows": [{"text": "x"}]}',
        '{"data": ["x", "y"], "name": "my data"}',
        '{"data": [{"text": "x"}]}',
    ],
)
def test_a_document_is_no_row_of_which_its_name_is_the_text(tmp_path, content):
    file = tmp_path / "a.json"
    file.write_text(content)
    for read in (tk.load_texts, EntryFile):
        with pytest.raises(DataError):
            read(file)
    name = "title" if "title" in content else "name"
    if name in content:
        assert tk.load_texts(file, reading=TextReading(text=name)).data.texts == ("my data",)


def test_a_document_is_no_pair_of_its_name_and_version(tmp_path):
    file = tmp_path / "a.json"
    file.write_text('{"name": "my data", "version": "the first", "data": [{"a": "x", "b": "y"}]}')
    with pytest.raises(DataError):
        tk.load_pairs(file)


def test_a_row_alone_may_hold_a_list_of_texts(tmp_path):
    file = tmp_path / "a.jsonl"
    file.write_text('{"text": "one", "tags": ["x", "y"]}\n')
    assert tk.load_texts(file).data.texts == ("one",)
    file.write_text('{"note": "one", "tags": ["x"]}\n{"note": "two", "tags": ["y"]}\n')
    assert tk.load_texts(file).data.texts == ("one", "two")


def test_a_table_again_without_some_of_its_rows(tmp_path):
    path = tmp_path / "texts.csv"
    path.write_text(TABLE)
    source = TextFile(path, reading=TextReading(quoting="csv"))
    assert copied(source, ()) == (3, TABLE)
    assert copied(source, {"z", "y"}) == (2, 'id,text,votes\nx,"one, two",3\ny,,4\n')
    assert list(source.cells("votes", param="keep")) == ["3", ""]
    with pytest.raises(UsageError) as error:
        list(source.cells("stars", param="keep"))
    assert error.value.params == ("keep",)


def test_plain_lines_again(tmp_path):
    path = tmp_path / "texts.txt"
    path.write_text("one\r\n\ntwo\n")
    assert copied(TextFile(path), {"1"}) == (2, "\ntwo\n")
    with pytest.raises(UsageError) as error:
        list(TextFile(path).cells("votes", param="keep"))
    assert error.value.params == ("keep",)


def test_several_columns_are_one_text(tmp_path):
    path = tmp_path / "mails.csv"
    path.write_text('key,subject,body,"x,y"\nk1,Hi,there,1\nk2,,alone,2\nk3,, ,3\n')
    loaded = tk.load_texts(path, reading=tk.TextReading(text="subject, body", id="key"))
    assert loaded.data.ids == ("k1", "k2") and loaded.data.texts == ("Hi there", "alone")
    assert loaded.report.skipped == {"empty text": 1}
    assert tk.load_texts(path, reading=tk.TextReading(text="x,y", id="key")).data.texts == ("1", "2", "3")
    assert tk.load_texts(path, reading=tk.TextReading(text="3,2", id="1")).data.texts == (
        "there Hi",
        "alone",
    )
    for column, words in (("subject,bdy", ("text",)), ("subject,2", ("text",))):
        with pytest.raises(UsageError) as error:
            tk.load_texts(path, reading=tk.TextReading(text=column))
        assert error.value.params == words


def test_what_can_not_be_read_stays_in_a_copy(tmp_path):
    path = tmp_path / "texts.jsonl"
    path.write_text('{"text": "a"}\n{"text": "\\ud800"}\n{"text": "A"}\nbroken\n{"text": null}\n')
    found = tk.dedupe(path, out=tmp_path / "out")
    assert found.counts.kept == 1
    kept = (tmp_path / "out" / "kept.jsonl").read_text().splitlines()
    assert len(kept) == 4 and kept[-2:] == ["broken", '{"text": null}']
