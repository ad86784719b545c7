"""JSON lists of objects, read as lines of one object each."""

import gzip
import json

import pandas as pd
import pytest

import textkin as tk
from textkin.base.errors import DataError
from textkin.data.readers import json_array
from textkin.data.readers.text_files import lines

FRAME = pd.DataFrame({"a": ["x é", "z, [w]"], "b": ["x\ny", "k"], "label": [1, 0]})


@pytest.mark.parametrize("indent", [None, 2])
def test_what_pandas_writes_is_read_as_its_rows(tmp_path, indent):
    FRAME.to_json(tmp_path / "pairs.json", orient="records", indent=indent)
    FRAME.to_json(tmp_path / "pairs.jsonl", orient="records", lines=True)
    found = tk.load_pairs(tmp_path / "pairs.json").data
    assert found.pairs == tk.load_pairs(tmp_path / "pairs.jsonl").data.pairs
    assert [(pair.a, pair.b, pair.label) for pair in found] == [("x é", "x\ny", 1.0), ("z, [w]", "k", 0.0)]


def test_verbs_of_texts_read_it_compressed_too(tmp_path):
    rows = [{"id": 7, "text": "where to park"}, {"id": 9, "text": "opening hours"}]
    with gzip.open(tmp_path / "texts.json.gz", "wt") as stream:
        stream.write("\ufeff\n " + json.dumps(rows, indent=1))
    found = tk.search(tmp_path / "texts.json.gz", "hours", k=1)
    assert found[0].id == "9" and found[0].text == "opening hours"


@pytest.mark.parametrize(
    ("content", "line"),
    [
        ('[{"a": 1},\n{"a": 2]', 2),
        ('[{"a": 1}]\n[{"a": 2}]', 1),
        ('[{"a": 1}\n{"a": 2}]', 2),
        ('[{"a": 1},', 1),
    ],
)
def test_a_broken_list_is_refused_with_its_line(tmp_path, content, line):
    (tmp_path / "texts.json").write_text(content)
    with pytest.raises(DataError) as error:
        list(lines(tmp_path / "texts.json"))
    assert error.value.line == line and "lines=True" in (error.value.fix or "")


def test_a_list_that_is_too_large_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr("textkin.data.readers.text_files.MOST_BYTES", 20)
    (tmp_path / "texts.json").write_text('[{"text": "somewhat longer"}]')
    with pytest.raises(DataError) as error:
        list(lines(tmp_path / "texts.json"))
    assert error.value.path == tmp_path / "texts.json"
    assert json_array.MOST_BYTES == 2**30


def test_a_text_file_that_begins_with_a_list_stays_text(tmp_path):
    (tmp_path / "texts.txt").write_text('[{"text": "a"}]\n')
    assert list(lines(tmp_path / "texts.txt")) == ['[{"text": "a"}]']


@pytest.mark.parametrize(("first", "between"), [("sep=,", ","), ('"sep=;"', ";"), ("sep=\t", "\t")])
def test_the_line_by_which_excel_names_the_delimiter_is_no_row(tmp_path, first, between):
    rows = [("a", "b", "label"), ("hi", "hello", "1"), ("x", "bye", "0")]
    (tmp_path / "pairs.csv").write_text("\r\n".join([first, *map(between.join, rows), ""]), newline="")
    found = tk.load_pairs(tmp_path / "pairs.csv")
    assert [(pair.a, pair.b, pair.label) for pair in found.data] == [("hi", "hello", 1.0), ("x", "bye", 0.0)]
    assert found.report.rows == 2
