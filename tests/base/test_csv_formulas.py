import csv
import io
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from textkin.base.csv_formulas import as_text, from_text
from textkin.base.table_writer import RowWriter
from textkin.data.readers import Reading, load_pairs

CELLS = st.one_of(st.text(), st.text(alphabet="'=+-@\t\r\n＝0123456789.eE a"))


@given(CELLS)
def test_every_text_comes_back_and_none_is_a_formula(cell):
    written = as_text(cell)
    assert from_text(written) == cell
    assert written[:1] not in tuple("=+-@\t\r\n＝＋－＠") or float(written) is not None


@pytest.mark.parametrize("cell", ["-0.5", "+3", "-1e-5", "", "a=b", "'quoted'", "3 - 2", "'-0.5"])
def test_what_is_no_formula_stays(cell):
    assert as_text(cell) == cell == from_text(cell)


@given(st.lists(st.tuples(CELLS, CELLS), min_size=1, max_size=5))
def test_a_csv_file_keeps_its_texts(tmp_path_factory, rows):
    path = tmp_path_factory.getbasetemp() / "pairs.csv"
    rows = [(a.replace("\0", "") + "x", f"y{b}".replace("\0", "")) for a, b in rows]
    with path.open("w", encoding="utf-8", newline="") as stream:
        RowWriter(stream, path, ("question1", "question2")).write(rows)
    found = [(pair.a, pair.b) for pair in load_pairs(path, reading=Reading(quoting="csv")).data]
    assert found == [(a, b) for a, b in rows if a.strip() and b.strip()]


def test_only_csv_files_are_for_spreadsheets():
    for name, cell in (("a.csv", "'=1+1"), ("a.tsv", "=1+1")):
        stream = io.StringIO()
        RowWriter(stream, Path(name), ("a", "b")).write([("=1+1", -0.5)])
        delimiter = "," if name.endswith("csv") else "\t"
        assert list(csv.reader(stream.getvalue().splitlines(), delimiter=delimiter))[1] == [cell, "-0.5"]
