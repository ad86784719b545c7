"""Parquet and Arrow files read as text files do, break in one sentence, and come back as they were."""

from __future__ import annotations

import csv
import json
import math
import sys
from datetime import date, datetime, time
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from textkin.base import parquet_files as column_files
from textkin.base.errors import COLUMN_FILES, DataError, MissingExtraError, OutputError, UsageError
from textkin.base.parquet_files import copy_rows, json_lines
from textkin.base.table_writer import check_ending, written_table
from textkin.data import samples
from textkin.data.readers import load_pairs
from textkin.data.readers.entries import EntryFile, EntryReading
from textkin.data.readers.read_report import SkipCounter
from textkin.data.readers.table import open_table
from textkin.data.readers.text_files import head, lines, read_bytes
from textkin.data.readers.texts import TextFile, read_texts

arrow = pytest.importorskip("pyarrow")
parquet = pytest.importorskip("pyarrow.parquet")
ipc = pytest.importorskip("pyarrow.ipc")


def write(path: Path, table: Any, *, rows: int = 3) -> Path:
    """A column file with a few rows in each of its groups."""
    if path.suffix == ".parquet":
        parquet.write_table(table, path, row_group_size=rows)
        return path
    with ipc.new_file(str(path), table.schema) as writer:
        writer.write_table(table, max_chunksize=rows)
    return path


def read_back(path: Path) -> Any:
    if path.suffix == ".parquet":
        return parquet.read_table(path)
    with arrow.OSFile(str(path)) as stream:
        return ipc.open_file(stream).read_all()


TEXT = st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=12)
COLUMNS = {
    "text": (st.one_of(TEXT, st.none()), arrow.string()),
    "large": (st.one_of(TEXT, st.none()), arrow.large_string()),
    "chosen": (st.sampled_from(["one", "two", None]), arrow.dictionary(arrow.int8(), arrow.string())),
    "whole": (st.one_of(st.integers(-(2**62), 2**62), st.none()), arrow.int64()),
    "small": (st.integers(0, 255), arrow.uint8()),
    "number": (st.one_of(st.floats(allow_nan=False, allow_infinity=False), st.none()), arrow.float64()),
    "single": (st.floats(width=32, allow_nan=False, allow_infinity=False), arrow.float32()),
    "yes": (st.one_of(st.booleans(), st.none()), arrow.bool_()),
}


def as_text(cell: Any, kind: Any) -> str:
    """A cell as a person would write it into a text file."""
    if cell is None:
        return ""
    if isinstance(cell, bool):
        return str(cell).lower()
    if kind == arrow.float32():
        return repr(float(str(np.float32(cell))))
    return cell if isinstance(cell, str) else repr(cell)


@pytest.mark.slow
@settings(deadline=None, max_examples=60)
@given(st.data(), st.sampled_from(COLUMN_FILES))
def test_a_table_reads_to_the_same_cells_from_text_and_from_columns(
    tmp_path_factory: pytest.TempPathFactory, data: st.DataObject, ending: str
) -> None:
    names = data.draw(st.lists(st.sampled_from(list(COLUMNS)), min_size=1, unique=True))
    count = data.draw(st.integers(1, 9))
    cells = {name: [data.draw(COLUMNS[name][0]) for _ in range(count)] for name in names}
    folder = tmp_path_factory.mktemp("same")
    table = arrow.table({name: arrow.array(cells[name], COLUMNS[name][1]) for name in names})
    columns = open_table(write(folder / f"columns{ending}", table))
    expected = [
        tuple(as_text(cell, COLUMNS[name][1]) for name, cell in zip(names, row, strict=True))
        for row in zip(*cells.values(), strict=True)
    ]
    assert columns.header == tuple(names)
    assert [row.fields for row in columns.rows()] == expected
    assert [row.line for row in columns.rows()] == list(range(1, count + 1))
    with (folder / "same.tsv").open("w", encoding="utf-8", newline="") as stream:
        csv.writer(stream, delimiter="\t", quoting=csv.QUOTE_ALL, lineterminator="\n").writerows(
            [names, *expected]
        )
    text = open_table(folder / "same.tsv", quoting="csv", named=names)
    # A lone "\r" before a line's end is the line's in text files, and a row of blanks no row.
    assert [row.fields for row in text.rows()] == expected


@pytest.mark.parametrize("ending", COLUMN_FILES)
def test_lists_and_structs_with_text_are_read_as_in_json_lines(tmp_path: Path, ending: str) -> None:
    rows = [
        {"id": 1, "choices": ["a", "b"], "answers": {"text": ["x"], "at": [3]}},
        {"id": 2, "choices": None, "answers": {"text": [], "at": []}},
    ]
    others = {"vector": [[0.5], [1.5]], "counts": [[1], [2]], "bytes": [[b"x"], []]}
    table = arrow.table({**{name: [row[name] for row in rows] for name in rows[0]}, **others})
    assert list(map(json.loads, lines(write(tmp_path / f"t{ending}", table)))) == rows


def pairs_table() -> Any:
    a, b, same = zip(*samples.pairs("cooking")[:40], strict=True)
    return arrow.table(
        {"question1": arrow.array(a).dictionary_encode(), "question2": b, "is_duplicate": same}
    )


@pytest.mark.parametrize("ending", COLUMN_FILES)
def test_pairs_and_texts_and_entries_are_those_of_a_text_file(tmp_path: Path, ending: str) -> None:
    table = pairs_table()
    plain = tmp_path / "pairs.tsv"
    rows = zip(*(column.to_pylist() for column in table.columns), strict=True)
    plain.write_text("\n".join("\t".join(map(str, row)) for row in [table.schema.names, *rows]) + "\n")
    columns = write(tmp_path / f"pairs{ending}", table, rows=7)
    expected, found = load_pairs(plain), load_pairs(columns)
    assert found.format == expected.format == "pairs"
    assert found.data.pairs == expected.data.pairs and found.report.rows == 40
    texts = arrow.table({"id": ["x", "y", "z"], "text": ["one", " ", "three"], "year": [1999, 2000, None]})
    place = write(tmp_path / f"texts{ending}", texts, rows=2)
    read = read_texts(place)
    assert (read.data.ids, read.data.texts) == (("x", "z"), ("one", "three"))
    assert read.report.sentence() == "3 rows, 2 kept; skipped 1: 1 empty text (row 2)"
    file = EntryFile(place, reading=EntryReading(metadata=("year",)))
    assert [(one.entry_id, dict(one.metadata)) for one in file.entries(SkipCounter(place))] == [
        ("x", {"year": 1999}),
        ("z", {}),
    ]


def test_a_stream_of_arrow_is_read_as_a_file_of_it_is(tmp_path: Path) -> None:
    path = tmp_path / "stream.arrow"
    with ipc.new_stream(str(path), pairs_table().schema) as writer:
        writer.write_table(pairs_table(), max_chunksize=9)
    assert load_pairs(path).data.pairs == load_pairs(write(tmp_path / "file.arrow", pairs_table())).data.pairs


def test_dates_and_decimals_are_texts(tmp_path: Path) -> None:
    table = arrow.table(
        {
            "day": [date(2024, 2, 29)],
            "at": [datetime(2024, 2, 29, 12, 30)],
            "midnight": [datetime(2024, 2, 29)],
            "price": arrow.array([Decimal("12.50")], arrow.decimal128(8, 2)),
        }
    )
    (line,) = json_lines(write(tmp_path / "dates.parquet", table))
    values = json.loads(line)
    assert values["day"] == "2024-02-29" and values["price"] == "12.50"
    assert values["at"] == "2024-02-29 12:30:00" and values["midnight"] == "2024-02-29"


@pytest.mark.parametrize(
    ("zone", "told"),
    [("UTC", "00:00:00+00:00"), ("Asia/Kolkata", "05:30:00+05:30"), ("-03:00", "21:00:00-03:00")],
)
def test_times_with_a_zone_are_written_as_in_csv(tmp_path: Path, zone: str, told: str) -> None:
    kind = arrow.timestamp("us", tz=zone)
    table = arrow.table({"text": ["a", "b"], "at": arrow.array([datetime(2024, 2, 29), None], kind)})
    found = [json.loads(line)["at"] for line in json_lines(write(tmp_path / "t.parquet", table))]
    assert found[0].endswith(told) and found[0] == str(table["at"][0].as_py()) and found[1] is None


@pytest.mark.parametrize("ending", COLUMN_FILES)
def test_midnight_is_a_time_where_a_later_row_has_another_one(tmp_path: Path, ending: str) -> None:
    days = [datetime(2024, 2, 29), None, datetime(2024, 3, 1)]
    table = arrow.table({"text": ["a", "b", "c"], "day": days, "at": [*days[:2], datetime(2024, 3, 1, 12)]})
    rows = list(map(json.loads, json_lines(write(tmp_path / f"dates{ending}", table, rows=1))))
    assert [row["day"] for row in rows] == ["2024-02-29", None, "2024-03-01"]
    assert [row["at"] for row in rows] == ["2024-02-29 00:00:00", None, "2024-03-01 12:00:00"]


def test_bytes_and_beginnings_are_json_lines(tmp_path: Path) -> None:
    path = write(tmp_path / "t.parquet", arrow.table({"a": ["é", "b"]}))
    assert read_bytes(path).decode() == '{"a": "é"}\n{"a": "b"}\n'
    assert head(path, size=4) == b'{"a"' and list(lines(path)) == ['{"a": "é"}', '{"a": "b"}']


@pytest.mark.parametrize(
    ("table", "words"),
    [
        (arrow.table({"a": [[1]]}), r"the column 'a' holds list<.*>, expected text, numbers or dates"),
        (arrow.table({"a": [{"b": 1}]}), "the column 'a' holds struct<b: int64>"),
        (arrow.table({"a": [b"x"]}), "the column 'a' holds binary"),
        (arrow.table({"a": ["x", "y\0"]}), "row 2: a NUL character"),
        (arrow.table([["x"], ["y"]], ["a", "a"]), "two columns are called 'a'"),
        (arrow.table({"a": arrow.array([], arrow.string())}), "holds no rows"),
    ],
)
@pytest.mark.parametrize("ending", COLUMN_FILES)
def test_what_is_no_table_of_cells_is_refused_by_name(
    tmp_path: Path, ending: str, table: Any, words: str
) -> None:
    with pytest.raises(DataError, match=words):
        list(lines(write(tmp_path / f"t{ending}", table)))


@pytest.mark.parametrize("ending", COLUMN_FILES)
def test_columns_that_hold_no_cells_are_left_aside_and_kept(tmp_path: Path, ending: str) -> None:
    """As in tables of the Hugging Face hub: vectors and images; answers with their positions are no texts."""
    table = arrow.table(
        {
            "vector": [[1.0, 2.0]] * 4,
            "the.text": ["one", "two", "", "four"],
            "answers": [{"text": ["a"], "start": [1]}] * 4,
            "image": [b"\xff"] * 4,
        }
    )
    path = write(tmp_path / f"t{ending}", table)
    assert [json.loads(line) for line in lines(path)] == [
        {"the.text": one, "answers": {"text": ["a"], "start": [1]}} for one in ("one", "two", "", "four")
    ]
    assert read_texts(path).data.texts == ("one", "two", "four")
    keep = np.array([True, False, False, True])
    copy_rows(path, tmp_path / f"kept{ending}", keep)
    assert read_back(tmp_path / f"kept{ending}").equals(table.filter(arrow.array(keep)))


def test_a_text_that_is_no_utf8_is_refused(tmp_path: Path) -> None:
    broken = arrow.array([b"fine", b"\xff\xfe"]).view(arrow.string())
    with pytest.raises(DataError) as error:
        list(lines(write(tmp_path / "t.parquet", arrow.table({"a": broken}))))
    assert str(error.value.path).endswith("t.parquet")


@pytest.mark.slow
@pytest.mark.parametrize("ending", COLUMN_FILES)
def test_a_broken_file_is_one_sentence_wherever_it_breaks(tmp_path: Path, ending: str) -> None:
    whole = write(tmp_path / f"whole{ending}", pairs_table(), rows=10).read_bytes()
    path, generator = tmp_path / f"broken{ending}", np.random.default_rng(0)
    errors = 0
    for number in range(300):
        content = bytearray(whole)
        if number % 3 == 0:
            content = content[: generator.integers(len(whole))]
        else:
            for place in generator.integers(len(whole), size=number % 5 + 1):
                content[place] = generator.integers(256)
        path.write_bytes(content)
        try:
            for row in open_table(path).rows():
                assert row.line
        except DataError as error:
            errors += 1
            assert str(path) in str(error) and "\n" not in str(error)
    assert errors >= 100  # the truncated ones
    path.write_text("question1\tquestion2\n")
    with pytest.raises(DataError) as error:
        open_table(path)
    assert error.value.path == path


def test_a_small_file_of_very_much_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(column_files, "MOST_BYTES", 1 << 16)
    monkeypatch.setattr(column_files, "MOST_TIMES", 2)
    packed = write(tmp_path / "t.parquet", arrow.table({"a": ["very much " * 20] * 5_000}), rows=5_000)
    with pytest.raises(DataError) as error:
        list(lines(packed))
    assert error.value.line == 314
    noise = "".join(map(chr, np.random.default_rng(0).integers(97, 123, 200_000)))
    parquet.write_table(
        arrow.table({"a": [noise[:300] * 700] * 2}), tmp_path / "u.parquet", compression="zstd"
    )
    with pytest.raises(DataError) as error:
        list(lines(tmp_path / "u.parquet"))
    assert str(error.value.path).endswith("u.parquet")


@pytest.mark.slow
@pytest.mark.parametrize("ending", [".parquet", ".arrow"])
@pytest.mark.parametrize(("hours", "looked_at"), [(1, 3), (0, 12)])
def test_columns_of_times_are_not_read_twice(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, ending: str, hours: int, looked_at: int
) -> None:
    times = [datetime(2024, 2, 1 + day, hours) for day in range(12)]
    path = write(tmp_path / f"rows{ending}", arrow.table({"text": list("abcdefghijkl"), "at": times}))
    read, told = [], column_files._told

    def counted(column: Any) -> list[str | None]:
        read.append(len(column))
        return told(column)

    monkeypatch.setattr(column_files, "_ROWS", 3)
    monkeypatch.setattr(column_files, "_told", counted)
    values = [json.loads(line)["at"] for line in json_lines(path)]
    assert values == [f"2024-02-{day:02}{' 01:00:00' * hours}" for day in range(1, 13)]
    assert sum(read) == looked_at + 12


def test_times_are_those_of_a_csv_file(tmp_path: Path) -> None:
    times = [time(1, 2, 3), time(0, 0), time(1, 2, 3, 500_000), None]
    table = arrow.table({"at": arrow.array(times, type=arrow.time64("ns"))})
    assert [json.loads(line)["at"] for line in json_lines(write(tmp_path / "times.parquet", table))] == [
        "01:02:03",
        "00:00:00",
        "01:02:03.500000000",
        None,
    ]


def test_rows_are_read_a_few_at_a_time(tmp_path: Path) -> None:
    path = tmp_path / "t.parquet"
    table = arrow.table({"a": [f"text {number} " * 30 for number in range(60_000)]})
    parquet.write_table(table, path, row_group_size=5_000, use_dictionary=False)
    size = table.nbytes
    del table
    before, most = arrow.total_allocated_bytes(), 0
    for number, _ in enumerate(lines(path)):
        if number % 1000 == 0:
            most = max(most, arrow.total_allocated_bytes() - before)
    assert 0 < most < size / 4


def test_without_pyarrow_the_package_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = write(tmp_path / "t.parquet", pairs_table())
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(MissingExtraError):
        open_table(path)
    with pytest.raises(MissingExtraError):
        check_ending(tmp_path / "out.feather")


ROWS = [("a", 1, 0.5, True, 1, ""), ("b\nc", 2, 2, False, "x", 3), ("", "", math.inf, "", 2.5, "")]
NAMES = ("text", "whole", "number", "yes", "mixed", "rare")


@pytest.mark.parametrize("ending", COLUMN_FILES)
@pytest.mark.parametrize("chunk", [1, 2, 100])
def test_written_columns_have_the_types_of_their_cells(
    tmp_path: Path, ending: str, chunk: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(column_files, "_CHUNK", chunk)
    out = tmp_path / f"out{ending}"
    with written_table(out, NAMES) as writer:
        writer.write(ROWS[:1])
        writer.write(ROWS[1:])
    found = read_back(out)
    types = [str(field.type) for field in found.schema]
    assert types == ["string", "int64", "double", "bool", "string", "int64"]
    columns = [
        ["a", "b\nc", ""],
        [1, 2, None],
        [0.5, 2.0, math.inf],
        [True, False, None],
        ["1", "x", "2.5"],
        [None, 3, None],
    ]
    assert [column.to_pylist() for column in found.columns] == columns
    assert [path.name for path in tmp_path.iterdir()] == [out.name]


@pytest.mark.parametrize("ending", COLUMN_FILES)
def test_a_table_is_written_whole_or_not_at_all(tmp_path: Path, ending: str) -> None:
    out = tmp_path / f"out{ending}"
    out.write_text("before")
    with pytest.raises(KeyError), written_table(out, ("a",)) as writer:
        writer.write([("x",)])
        raise KeyError
    assert out.read_text() == "before" and len(list(tmp_path.iterdir())) == 1
    with pytest.raises(UsageError, match="one name"), written_table(out, ("a", "a")):
        pass
    (tmp_path / "file").touch()
    with pytest.raises(OutputError), written_table(tmp_path / "file" / f"out{ending}", ("a",)):
        pass


def test_a_table_without_rows_has_its_columns(tmp_path: Path) -> None:
    with written_table(tmp_path / "out.parquet", ("a", "b")):
        pass
    assert read_back(tmp_path / "out.parquet").schema.names == ["a", "b"]


@pytest.mark.parametrize("ending", COLUMN_FILES)
def test_a_copy_keeps_columns_and_types(tmp_path: Path, ending: str) -> None:
    table = arrow.table(
        {
            "id": ["a", "b", "c", "d"],
            "text": arrow.array(["one", "two", "", "four"]).dictionary_encode(),
            "n": arrow.array([1, None, 3, 4], arrow.int16()),
        }
    )
    source, target = write(tmp_path / f"in{ending}", table, rows=3), tmp_path / f"out{ending}"
    assert TextFile(source).copy(target, without={"b"}) == 3
    found = read_back(target)
    assert found.schema.types == table.schema.types
    assert found.to_pylist() == [row for row in table.to_pylist() if row["id"] != "b"]
