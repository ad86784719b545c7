import csv
import gzip
import io
import json
import time
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from textkin.base.errors import DataError
from textkin.data.readers.json_lines import UNCLEAN
from textkin.data.readers.read_report import SkipCounter
from textkin.data.readers.table import Table, open_table

texts = st.text(st.characters(blacklist_categories=("Cs",), blacklist_characters="\0\ufeff"), max_size=20)
HEADER = ("question1", "question2", "is_duplicate")


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "table.tsv"


def _copy(table: Table) -> str:
    stream = io.StringIO()
    write = table.writer(stream)
    for row in table.rows():
        write(row)
    return stream.getvalue()


@settings(deadline=None)
@given(
    rows=st.lists(st.tuples(texts, texts, st.sampled_from("01")), min_size=1, max_size=6),
    delimiter=st.sampled_from("\t,;"),
    ending=st.sampled_from(["\n", "\r\n"]),
)
def test_csv_round_trip(
    tmp_path_factory: pytest.TempPathFactory, rows: list[tuple[str, ...]], delimiter: str, ending: str
) -> None:
    file = tmp_path_factory.getbasetemp() / "round.csv"
    with file.open("w", newline="", encoding="utf-8") as stream:
        csv.writer(stream, delimiter=delimiter, lineterminator=ending).writerows([HEADER, *rows])
    table = open_table(file, quoting="csv")
    assert (table.header, table.delimiter) == (HEADER, delimiter)
    assert [row.fields for row in table.rows()] == rows
    copy = file.with_name("copy.csv")
    copy.write_text(_copy(table), encoding="utf-8", newline="")
    again = open_table(copy, quoting="csv")
    assert again.header == HEADER
    assert [row.fields for row in again.rows()] == rows


@settings(deadline=None)
@given(st.lists(st.tuples(texts, texts), min_size=1, max_size=6))
def test_jsonl_round_trip(tmp_path_factory: pytest.TempPathFactory, rows: list[tuple[str, str]]) -> None:
    file = tmp_path_factory.getbasetemp() / "round.jsonl"
    lines = [json.dumps({"a": a, "b": b, "label": 1}, ensure_ascii=False) for a, b in rows]
    file.write_text("\n".join(lines), encoding="utf-8")
    table = open_table(file)
    assert [row.fields for row in table.rows()] == [(a, b, "1") for a, b in rows]
    assert _copy(table) == "\n".join(lines) + "\n"


@settings(deadline=None)
@given(st.lists(st.tuples(texts, texts), min_size=1, max_size=6))
def test_literal_tabs_round_trip(
    tmp_path_factory: pytest.TempPathFactory, rows: list[tuple[str, str]]
) -> None:
    file = tmp_path_factory.getbasetemp() / "round.tsv"
    clean = [tuple(text.translate({9: 32, 10: 32, 13: 32}) for text in row) for row in rows]
    content = "".join("\t".join(row) + "\n" for row in [("a", "b"), *clean])
    file.write_text(content, encoding="utf-8", newline="")
    table = open_table(file, quoting="none")
    assert [row.fields for row in table.rows()] == clean
    assert _copy(table) == content


def test_rows_are_numbered_over_skipped_ones_and_lines_are_physical(file: Path) -> None:
    file.write_text('a\tb\n"one ""1"""\t"x\ny"\n\nbroken\ntwo\tz\n')
    table = open_table(file)
    counter = SkipCounter(file)
    rows = [(row.row, row.line, row.fields) for row in table.rows(counter)]
    assert rows == [(0, 2, ('one "1"', "x\ny")), (2, 6, ("two", "z"))]
    assert counter.report().sentence() == "3 rows, 2 kept; skipped 1: 1 wrong number of columns (line 5)"


def test_carriage_returns_at_the_end_of_a_line_are_no_text(file: Path) -> None:
    file.write_bytes(b"text1\ttext2\r\na\rb\tc\r\r\n")
    table = open_table(file, quoting="none")
    assert [row.fields for row in table.rows()] == [("a\rb", "c")]
    assert _copy(table) == "text1\ttext2\r\na\rb\tc\r\r\n"


def test_header_is_found_or_not(file: Path) -> None:
    file.write_text("How?\tWhy?\t1\nWho?\tWhat?\t0\n")
    table = open_table(file)
    assert (table.header, table.width, table.head) == (None, 3, None)
    assert len(list(table.rows())) == 2


@pytest.mark.slow
def test_ten_megabyte_field_and_gzip(file: Path) -> None:
    long = 'x"' * 5_000_000
    file.write_bytes(gzip.compress(f'text1,text2\n"{long.replace(chr(34), chr(34) * 2)}",b\n'.encode(), 1))
    assert next(open_table(file).rows()).fields == (long, "b")


@pytest.mark.parametrize("quoting", ["auto", "csv"])
def test_a_quote_that_is_never_closed(file: Path, quoting: str) -> None:
    file.write_text('text1,text2\na,b\n"q\nr","open\n' + "c,d\n" * 10)
    with pytest.raises(DataError) as caught:
        list(open_table(file, quoting=quoting).rows())
    assert caught.value.line == 4
    assert caught.value.line == 4


def test_a_quote_that_swallows_many_lines(file: Path) -> None:
    file.write_text('text1,text2\n"open,b\n' + "c,d\n" * 60 + '",x\n')
    with pytest.raises(DataError) as caught:
        list(open_table(file).rows())
    assert caught.value.line == 2
    assert caught.value.line == 2
    (row,) = open_table(file, quoting="csv").rows()
    assert row.fields[1] == "x"
    assert row.fields[0].count("\n") == 61


@pytest.mark.parametrize("line", ['he said ""so"", and left', 'a","b'])
def test_an_open_quote_before_many_quotes_takes_no_longer_than_reading(file: Path, line: str) -> None:
    file.write_text('text1,text2\na,b\nq,"open\n' + f"{line}\n" * 60_000)
    started = time.process_time()
    with pytest.raises(DataError) as caught:
        list(open_table(file, quoting="csv").rows())
    assert str(caught.value.path).endswith("table.tsv")
    assert time.process_time() - started < 5  # cutting all again with each line takes minutes
    assert caught.value.line == (3 if "he" in line else 60_003)


def test_text_after_a_closing_quote(file: Path) -> None:
    file.write_text('text1,text2\na,b\n"c\n"d,e\n')
    with pytest.raises(DataError) as caught:
        open_table(file)
    assert caught.value.line == 3
    assert caught.value.line == 3
    rows = [row.fields for row in open_table(file, quoting="none").rows()]
    assert rows == [("a", "b"), ('"d', "e")]


def test_many_rows_of_the_wrong_width_are_an_error(file: Path) -> None:
    file.write_text("text1\ttext2\n" + "a\tb\n" * 100 + "a\n" * 12)
    assert len(list(open_table(file, ragged=True).rows())) == 112
    with pytest.raises(DataError) as error:
        list(open_table(file).rows())
    assert error.value.line == 102
    file.write_text("text1\ttext2\n" + "a\tb\n" * 110 + "a\n" * 11)
    counter = SkipCounter(file)
    assert len(list(open_table(file).rows(counter))) == 110
    assert counter.report().skipped == {"wrong number of columns": 11}


def test_jsonl_values_and_broken_lines(file: Path) -> None:
    file.write_text(
        '{"a": "x", "b": 1.50, "c": true}\n\n{"a": null, "d": [1]}\n'
        'nonsense\n{"a": "\\ud800"}\n{"a": "\\u0000"}\n'
    )
    table = open_table(file)
    counter = SkipCounter(file)
    assert table.header == ("a", "b", "c", "d")
    assert [row.fields for row in table.rows(counter)] == [("x", "1.50", "true", ""), ("", "", "", "[1]")]
    assert counter.report().skipped == {"not a readable JSON object": 1, UNCLEAN: 2}


def test_a_json_list_without_objects_says_what_to_write(file: Path) -> None:
    path = file.with_name("data.json")
    path.write_text('[["a", 1],\n["b", 2]]\n')
    with pytest.raises(DataError) as error:
        open_table(path)
    assert error.value.line == 1


def test_only_a_header_or_blank_lines(file: Path) -> None:
    file.write_text("text1\ttext2\n")
    with pytest.raises(DataError) as error:
        list(open_table(file).rows())
    assert str(error.value.path).endswith("table.tsv")
    file.write_text("\n\n")
    with pytest.raises(DataError) as error:
        open_table(file)
    assert str(error.value.path).endswith("table.tsv")


def test_labels_that_begin_late_are_a_column(file: Path) -> None:
    bare, whole = (
        {"a": "x", "b": "y", "meta": {"label": 1}},
        {"a": "x", "b": "y", "Is-Duplicate": 1, "by": "me"},
    )
    file.write_text("\n".join(map(json.dumps, [*[bare] * 220, whole, bare])))
    table = open_table(file)
    assert table.header == ("a", "b", "meta.label", "Is-Duplicate", "by")
    assert [row.fields[3] for row in table.rows()] == [*[""] * 220, "1", ""]
    file.write_text("\n".join(map(json.dumps, [bare] * 222)))
    assert open_table(file).header == ("a", "b", "meta.label")
