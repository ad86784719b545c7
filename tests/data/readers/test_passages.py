"""Passages to search for answers."""

import json

import pytest

from tests.making_spans import spans, write_squad
from textkin.base.errors import DataError
from textkin.data.readers.datasets.squad import is_contexts, is_squad
from textkin.data.readers.datasets.squad_parts import split_squad
from textkin.data.readers.passages import read_passages
from textkin.data.readers.read_options import TextReading


def test_a_file_has_one_a_line(tmp_path):
    (tmp_path / "texts.txt").write_text("first\n\nsecond\n")
    loaded = read_passages(tmp_path / "texts.txt")
    assert loaded.data.rows() == [{"id": "1", "text": "first"}, {"id": "3", "text": "second"}]
    assert sum(loaded.report.skipped.values()) == 1


def test_squads_paragraphs_are_passages(tmp_path):
    data = spans(3)
    loaded = read_passages(write_squad(tmp_path / "town.json", data))
    assert dict(zip(loaded.data.ids, loaded.data.texts, strict=True)) == {
        name: one.text for name, one in data.passages.items()
    }


def test_a_document_without_questions_has_the_same_passages(tmp_path):
    path = write_squad(tmp_path / "town.json", spans(3))
    split_squad(path, tmp_path / "c.json", tmp_path / "q.json")
    found, whole = read_passages(tmp_path / "c.json"), read_passages(path)
    assert found.data.rows() == whole.data.rows() and not found.report.skipped
    (tmp_path / "c.json").write_text('{"data": [{"paragraphs": [{"context": " "}, {"context": "x"}]}]}')
    found = read_passages(tmp_path / "c.json")
    assert found.data.rows() == [{"id": "0-1", "text": "x"}] and sum(found.report.skipped.values()) == 1


def test_a_context_as_long_as_a_book(tmp_path):
    qas = [{"id": "1", "question": "Which?", "answers": [{"answer_start": 0, "text": "word"}]}]
    paragraph = {"context": "word " * 40_000, "qas": qas}
    path = tmp_path / "book.json"
    path.write_text(json.dumps({"data": [{"title": "Book", "paragraphs": [paragraph]}]}))
    assert is_squad(path) and not is_contexts(path)
    assert read_passages(path).data.rows() == [{"id": "0-0", "text": "word " * 40_000}]


def test_each_paragraph_of_the_files_of_a_folder_is_a_passage(tmp_path):
    (tmp_path / "deep").mkdir()
    (tmp_path / "deep" / "b.md").write_text("# Two\n\nOf two\nlines.\n\n\nAnother.\n")
    (tmp_path / "a.txt").write_bytes("caf\xe9".encode("cp1252"))
    (tmp_path / "empty.txt").write_text(" \n")
    (tmp_path / "picture.png").write_bytes(b"\0")
    loaded = read_passages(tmp_path, reading=TextReading(encoding="cp1252"))
    assert loaded.data.rows() == [
        {"id": "a.txt:1", "text": "caf\xe9"},
        {"id": "deep/b.md:1", "text": "# Two\n\nOf two\nlines."},
        {"id": "deep/b.md:7", "text": "Another."},
    ]
    assert sum(loaded.report.skipped.values()) == 1


def test_each_paragraph_of_a_markdown_file_is_a_passage(tmp_path):
    path = tmp_path / "hours.md"
    path.write_text("We open\nat nine.\n\nWe close.\n")
    loaded = read_passages(path)
    assert loaded.data.rows() == [{"id": "1", "text": "We open\nat nine."}, {"id": "4", "text": "We close."}]
    assert loaded.report.rows == loaded.report.kept == 2
    path.write_text("id\ttext\n7\tWe open.\n")
    loaded = read_passages(path, reading=TextReading(text="text", id="id"))
    assert loaded.data.rows() == [{"id": "7", "text": "We open."}]


def test_a_folder_without_texts_is_refused(tmp_path):
    (tmp_path / "picture.png").write_bytes(b"\0")
    with pytest.raises(DataError) as error:
        read_passages(tmp_path)
    assert str(error.value.path).endswith("test_a_folder_without_texts_is0")
