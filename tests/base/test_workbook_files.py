"""Spreadsheets as rows, and through the commands that read tables."""

import sys
import zipfile
from datetime import datetime, timedelta
from pathlib import Path

import pytest

import textkin as tk
from tests.making_workbooks import Formula, write_workbook
from textkin.base.errors import DataError, MissingExtraError
from textkin.base.workbook_files import SEPARATOR, _text, workbook_rows
from textkin.cli import main
from textkin.data.readers.table import open_table

ROWS = [
    ["id", "text", "votes", "done"],
    [1, "How do I pay?", 2.5, True],
    ["", "", "", ""],
    [2, "how do I pay?", 3.0, False],
    [3, "=two\nlines, 'quoted'", "", False],
]


@pytest.fixture
def workbook(tmp_path: Path) -> Path:
    return write_workbook(tmp_path / "book.xlsx", {"empty": [], "texts": ROWS})


def test_cells_are_those_of_a_table(workbook: Path) -> None:
    table = open_table(workbook)
    assert table.header == ("id", "text", "votes", "done")
    assert [(row.line, row.fields) for row in table.rows()] == [
        (2, ("1", "How do I pay?", "2.5", "true")),
        (4, ("2", "how do I pay?", "3", "false")),
        (5, ("3", "=two\nlines, 'quoted'", "", "false")),
    ]


def test_columns_without_cells_are_left_out_and_other_sheets_are_told(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = write_workbook(
        tmp_path / "book.xlsx", {"one": [["", "a", "", "b"], ["", "c", "", "d"]], "two": [["x"]]}
    )
    assert list(workbook_rows(path)) == [f"a{SEPARATOR}b", f"c{SEPARATOR}d"]
    assert "sheet 'one' is read, and 'two' not" in capsys.readouterr().err


def test_a_merged_cell_is_in_each_row_that_it_spans(tmp_path: Path) -> None:
    rows = [["question", "answer", "label"], ["q1", "a", 1], ["", "b", 0], ["q2", "c", 1], ["", "", ""]]
    path = write_workbook(tmp_path / "book.xlsx", {"s": rows}, merged=["A2:A3", "A4:A5", "B4:B5", "C4:C5"])
    assert [row.fields for row in open_table(path).rows()] == [
        ("q1", "a", "1"),
        ("q1", "b", "0"),
        ("q2", "c", "1"),  # once: what lies below holds nothing else
    ]


@pytest.mark.parametrize("size", [1, 40_000])
def test_formulas_without_values_are_told(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], size: int
) -> None:
    rows = [["text", "note"], *(["a text", "x"] for _ in range(size)), ["last", Formula('A1&"x"')]]
    path = write_workbook(tmp_path / "book.xlsx", {"s": rows})
    *_, last = workbook_rows(path)
    assert last == f"last{SEPARATOR}"
    assert f"as in cell B{size + 2}, are blank" in capsys.readouterr().err
    list(workbook_rows(write_workbook(tmp_path / "other.xlsx", {"s": rows[:-1]})))
    assert not capsys.readouterr().err


def test_durations_are_hours_minutes_and_seconds() -> None:
    given = timedelta(hours=36), timedelta(minutes=5, seconds=7), timedelta(seconds=1.5)
    assert [_text(one) for one in given] == ["36:00:00", "0:05:07", "0:00:01.500000"]


def test_midnight_in_a_column_of_times_is_one(tmp_path: Path) -> None:
    night, noon = datetime(2024, 2, 29), datetime(2024, 3, 1, 12, 30)
    path = write_workbook(tmp_path / "book.xlsx", {"s": [["day", "time"], [night, night], [night, noon]]})
    assert [row.split(SEPARATOR) for row in workbook_rows(path)] == [
        ["day", "time"],
        ["2024-02-29", "2024-02-29 00:00:00"],
        ["2024-02-29", "2024-03-01 12:30:00"],
    ]


def test_whole_numbers_are_without_a_point() -> None:
    given = 1234567890123456.0, 2.0**53 - 1, -4e15, 2.0**53, 1e20, 1e22
    expected = [
        "1234567890123456",
        "9007199254740991",
        "-4000000000000000",
        "9007199254740992",
        f"1{'0' * 20}",
    ]
    assert [_text(one) for one in given] == [*expected, "1e+22"]


@pytest.mark.parametrize(("number", "told"), [(2**53 - 1, False), (20231234567890123, True)])
def test_numbers_of_more_digits_than_a_spreadsheet_keeps_are_told(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], number: int, told: bool
) -> None:
    path = write_workbook(tmp_path / "book.xlsx", {"s": [["id"], [1], [number], [number]]})
    *_, last = workbook_rows(path)
    assert (last == str(number)) != told
    printed = capsys.readouterr().err
    assert ("row 3: numbers of more than 15 digits" in printed) == told
    assert printed.count("15 digits") == told, "once, however many rows have one"


@pytest.mark.parametrize(
    ("within", "told"), [("", False), ("<text:tab/>", True), ("<text:line-break/>", True)]
)
def test_breaks_inside_cells_of_an_opendocument_file_are_told(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], within: str, told: bool
) -> None:
    path, names = tmp_path / "book.ods", "urn:oasis:names:tc:opendocument:xmlns"
    with zipfile.ZipFile(path, "w") as packed:
        packed.writestr("mimetype", "application/vnd.oasis.opendocument.spreadsheet")
        packed.writestr(
            "META-INF/manifest.xml",
            f'<manifest:manifest xmlns:manifest="{names}:manifest:1.0"></manifest:manifest>',
        )
        packed.writestr(
            "content.xml",
            f'<office:document-content xmlns:office="{names}:office:1.0" xmlns:table="{names}:table:1.0" '
            f'xmlns:text="{names}:text:1.0"><office:body><office:spreadsheet><table:table table:name="s">'
            f'<table:table-row><table:table-cell office:value-type="string"><text:p>a{within}b</text:p>'
            "</table:table-cell></table:table-row></table:table></office:spreadsheet></office:body>"
            "</office:document-content>",
        )
    assert list(workbook_rows(path)) == ["ab"]
    assert ("tabs and line breaks inside cells are lost" in capsys.readouterr().err) == told


def test_a_hidden_sheet_is_read_if_no_other_holds_something(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    sheets = {"lists": [["open"], ["closed"]], "empty": [], "tickets": ROWS}
    path = write_workbook(tmp_path / "book.xlsx", sheets, hidden=["lists"])
    assert open_table(path).header == ("id", "text", "votes", "done")
    assert "sheet 'tickets' is read, and 'lists' not" in capsys.readouterr().err
    del sheets["tickets"]
    path = write_workbook(tmp_path / "other.xlsx", sheets, hidden=["lists"])
    assert list(workbook_rows(path)) == ["open", "closed"]


def test_what_stays_is_a_csv_file(workbook: Path, tmp_path: Path) -> None:
    assert main(["dedupe", str(workbook), "--out", str(tmp_path / "out")]) == 0
    kept = (tmp_path / "out" / "kept.csv").read_text()
    assert kept == "id,text,votes,done\n1,How do I pay?,2.5,true\n3,\"'=two\nlines, 'quoted'\",,false\n"
    read = tk.load_texts(tmp_path / "out" / "kept.csv").data
    assert read.texts[1] == ROWS[4][1] and read.ids == ("1", "3")


def test_pairs_and_entries(tmp_path: Path) -> None:
    pairs = [["question1", "question2", "is_duplicate"], ["a", "b", 1], ["c", "d", 0]]
    found = tk.load_pairs(write_workbook(tmp_path / "pairs.xlsx", {"s": pairs})).data
    assert [(pair.a, pair.b, pair.label) for pair in found] == [("a", "b", 1), ("c", "d", 0)]
    entries = write_workbook(tmp_path / "entries.xlsx", {"s": ROWS[:2]})
    assert main(["collection", "add", str(tmp_path / "k"), str(entries), "--metadata", "votes"]) == 0


@pytest.mark.parametrize("name", ["book.xlsx", "book.xls", "book.ods"])
@pytest.mark.parametrize(
    "content", [b"PK\x03\x04 broken", b"no such thing", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"]
)
def test_a_broken_file_is_named(tmp_path: Path, name: str, content: bytes) -> None:
    (tmp_path / name).write_bytes(content)
    with pytest.raises(DataError) as error:
        open_table(tmp_path / name)
    assert error.value.path == tmp_path / name


def test_an_empty_one_is_refused(tmp_path: Path) -> None:
    with pytest.raises(DataError) as error:
        open_table(write_workbook(tmp_path / "book.xlsx", {"one": []}))
    assert str(error.value.path).endswith("book.xlsx")


def test_without_the_extra_it_is_named(workbook: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "python_calamine", None)
    with pytest.raises(MissingExtraError):
        open_table(workbook)


def test_a_single_column_without_a_header(tmp_path: Path) -> None:
    path = write_workbook(tmp_path / "one.XLSX", {"s": [["Where is it, then?"], ["{not json}"], ["c|d;e"]]})
    assert tk.load_texts(path).data.texts == ("Where is it, then?", "{not json}", "c|d;e")
