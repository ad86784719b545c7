import csv
import errno
import gzip
import json
import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from textkin import __version__
from textkin.base.errors import DataError, OutputError, UsageError
from textkin.base.files import sha256_of_file
from textkin.data.readers import Reading, load_pairs
from textkin.data.readers.table import open_table
from textkin.data.splits.leak_proof import Disjointness, leaks
from textkin.data.splits.partition import CutRule, Shares
from textkin.verbs.data import split_file as task
from textkin.verbs.data.split_file import Scheme, split_file

_SIDES = ("train", "dev", "test")
_HEADER = "n\tquestion1\tquestion2\tis_duplicate\tnote\n"


def _lines(count=60):
    return [f"{i}\tfirst {i % 40}\tsecond {i}\t{i % 2}\tkept as it is\n" for i in range(count)]


@pytest.fixture
def pairs_file(tmp_path):
    path = tmp_path / "pairs.tsv"
    path.write_text(_HEADER + "".join(_lines()))
    return path


def _fields(path, **options):
    return [row.fields for row in open_table(path, **options).rows()]


def test_sides_hold_the_rows_of_the_input_with_its_columns(pairs_file, tmp_path):
    out = tmp_path / "out"
    split_file(pairs_file, out)
    written = []
    for side in _SIDES:
        header, *lines = (out / f"{side}.tsv").read_text().splitlines(keepends=True)
        assert header == _HEADER
        written += lines
    assert sorted(written) == sorted(_lines())
    assert sorted(path.name for path in out.iterdir()) == ["dev.tsv", "split.json", "test.tsv", "train.tsv"]


def test_the_account(pairs_file, tmp_path):
    out = tmp_path / "out"
    with pairs_file.open("a") as stream:
        stream.write("60\t\tno first text\t1\t\n")
    report = split_file(pairs_file, out, seed=7, shares=Shares(0.5, 0.25, 0.25))
    account = json.loads((out / "split.json").read_text())
    assert account["textkin"] == __version__
    assert (account["scheme"], account["rule"], account["seed"]) == ("components", "whole", 7)
    assert account["input"]["sha256"] == sha256_of_file(pairs_file)
    assert (account["input"]["rows"], account["input"]["skipped"]) == (61, {"empty text": 1})
    assert account["shared"] == {"texts": 0, "keys": 0, "ids": 0, "components": 0}
    assert account["dropped"] == {}
    for side, share in zip(_SIDES, (0.5, 0.25, 0.25), strict=True):
        data = load_pairs(out / f"{side}.tsv").data
        facts = account["sides"][side]
        assert facts["pairs"] == len(data) == pytest.approx(share * 60, abs=1)
        assert (facts["share"], facts["wanted"]) == (len(data) / 60, share)
        assert facts["labels"]["1"] == pytest.approx(data.labels.mean())
        assert account["files"][f"{side}.tsv"] == sha256_of_file(out / f"{side}.tsv")
    assert report.sides["train"].pairs == account["sides"]["train"]["pairs"]
    found = leaks(*(load_pairs(out / f"{side}.tsv").data for side in _SIDES))
    assert not any(one.keys for one in found.overlaps)


def test_the_same_seed_gives_the_same_files(pairs_file, tmp_path):
    first, again = split_file(pairs_file, tmp_path / "a"), split_file(pairs_file, tmp_path / "b")
    other = split_file(pairs_file, tmp_path / "c", seed=1)
    assert first == again
    assert first.files != other.files


_CELL = st.text(
    st.characters(codec="utf-8", exclude_characters="\0\n\r", exclude_categories=["Cs", "Cc"])
    | st.sampled_from(['"', "'", ",", "\t", " ", ";"]),
    max_size=8,
)


@pytest.mark.slow
@settings(deadline=None, max_examples=30)
@given(
    st.lists(st.tuples(_CELL, _CELL, _CELL), min_size=6, max_size=14),
    st.sampled_from(["csv", "tsv", "jsonl"]),
)
def test_what_was_written_reads_back_equal(tmp_path_factory, rows, format):
    folder = tmp_path_factory.mktemp("back")
    path, out = folder / f"in.{format}", folder / "out"
    table = [(f"a{i} {a}", f"b{i} {b}", str(i % 2), note) for i, (a, b, note) in enumerate(rows)]
    names = ("text1", "text2", "label", "note")
    if format == "jsonl":
        path.write_text("".join(json.dumps(dict(zip(names, row, strict=True))) + "\n" for row in table))
    else:
        with path.open("w", newline="") as stream:
            csv.writer(stream, delimiter="," if format == "csv" else "\t", lineterminator="\n").writerows(
                [names, *table]
            )
    read = _fields(path)
    split_file(path, out)
    assert sorted(row for side in _SIDES for row in _fields(out / f"{side}.tsv")) == sorted(read)
    for side in _SIDES:
        assert open_table(out / f"{side}.tsv").header == names
        assert open_table(out / f"{side}.tsv").format == "tsv"


def test_rows_are_quoted_anew_where_a_side_alone_would_be_misread(tmp_path):
    path, side = tmp_path / "in.tsv", tmp_path / "side.tsv"
    telling = [f'"she said ""{i}"""\tb{i}\t1\n' for i in range(5)]
    path.write_text(
        "text1\ttext2\tlabel\n" + "".join(telling) + '"quoted for no reason"\tb\t0\nplain\tb\t1\n'
    )
    table = open_table(path)
    rows = list(table.rows())
    task._write_side(table, rows[-2:], side)
    assert _fields(side) == [("quoted for no reason", "b", "0"), ("plain", "b", "1")]
    task._write_side(table, rows, side)
    assert side.read_text() == path.read_text()


def test_line_breaks_in_cells_survive(tmp_path):
    path = tmp_path / "in.csv"
    with path.open("w", newline="") as stream:
        rows = [(f"first\nof {i}", f'the "second"\tof {i}', i % 2) for i in range(30)]
        csv.writer(stream, lineterminator="\n").writerows([("text1", "text2", "label"), *rows])
    split_file(path, tmp_path / "out")
    written = [row for side in _SIDES for row in _fields(tmp_path / "out" / f"{side}.tsv")]
    assert sorted(written) == sorted((a, b, str(label)) for a, b, label in rows)


def test_files_without_header_and_in_gzip(tmp_path):
    path = tmp_path / "in.tsv.gz"
    with gzip.open(path, "wt") as stream:
        stream.writelines(f"{i % 2}\tsome text {i}\tother text {i}\n" for i in range(20))
    split_file(path, tmp_path / "out")
    assert open_table(tmp_path / "out" / "train.tsv").header is None
    assert sum(len(_fields(tmp_path / "out" / f"{side}.tsv")) for side in _SIDES) == 20


def test_sts_rows_keep_their_seven_or_nine_fields(tmp_path):
    path, licence = tmp_path / "sts.csv", ("MIT", "url")
    rows = [
        (
            "news",
            "x",
            "2012",
            f"{i:04}",
            f"{i % 5}.5",
            f'he said "{i}',
            f"she said {i}",
            *(licence if i % 3 == 0 else ()),
        )
        for i in range(20)
    ]
    path.write_text("".join("\t".join(row) + "\n" for row in rows))
    report = split_file(path, tmp_path / "out")
    assert report.input.format == "sts"
    assert set(report.sides["train"].labels) == {"mean"}
    files = [tmp_path / "out" / f"{side}.tsv" for side in _SIDES]
    assert sorted(row for file in files for row in _fields(file, quoting="none", ragged=True)) == sorted(rows)
    assert all(load_pairs(file).format == "sts" for file in files)


def test_named_columns(tmp_path):
    path = tmp_path / "in.tsv"
    path.write_text("left_one\tright_one\tverdict\n" + "".join(f"a{i}\tb{i}\t{i % 2}\n" for i in range(9)))
    report = split_file(
        path,
        tmp_path / "out",
        reading=Reading(columns={"a": "left_one", "b": "right_one", "label": "verdict"}),
    )
    assert sum(side.pairs for side in report.sides.values()) == 9


def test_named_columns_that_nothing_else_tells_from_data(tmp_path):
    path = tmp_path / "pairs.tsv"
    header = "subject\tbody\tverdict\n"
    path.write_text(header + "".join(f"one {i}\ttwo {i}\t{'yes' if i % 2 else 'no'}\n" for i in range(60)))
    columns = {"a": "subject", "b": "body", "label": "verdict"}
    split_file(path, tmp_path / "out", reading=Reading(columns=columns))
    lines = [(tmp_path / "out" / f"{side}.tsv").read_text().splitlines(keepends=True) for side in _SIDES]
    assert all(side[0] == header for side in lines)
    rows = sorted(row for side in lines for row in side[1:])
    assert rows == sorted(path.read_text().splitlines(keepends=True)[1:])


def test_dropped_pairs_are_counted(tmp_path):
    path = tmp_path / "ring.tsv"
    rows = [f"c{i} x\tc{i} y\t1\nc{i} x\tc{(i + 1) % 100} y\t0\n" for i in range(100)]
    path.write_text("text1\ttext2\tlabel\n" + "".join(rows))
    report = split_file(path, tmp_path / "out")
    assert report.rule is CutRule.CUT
    assert report.largest_component == 200
    assert sum(report.dropped.values()) == 200 - sum(side.pairs for side in report.sides.values()) > 0
    assert json.loads((tmp_path / "out" / "split.json").read_text())["dropped"] == dict(report.dropped)


def _quora(path, count=200):
    generator = random.Random(0)
    rows = []
    for i in range(count):
        a, b = generator.sample(range(300), 2)
        rows.append(f"{i}\t{a}\t{b}\tabout topic{a}?\tabout topic{b}?\t{int(a // 5 == b // 5)}\n")
    path.write_text("id\tqid1\tqid2\tquestion1\tquestion2\tis_duplicate\n" + "".join(rows))
    return path


def test_quora_ir(tmp_path):
    out = tmp_path / "out"
    report = split_file(_quora(tmp_path / "quora.tsv"), out, scheme=Scheme.QUORA_IR)
    assert report.scheme is Scheme.QUORA_IR
    files = sorted(str(path.relative_to(out)) for path in out.rglob("*.tsv"))
    assert files == sorted(report.files)
    assert len(files) == 7 + 3 + 6 + 3
    assert all(sha256_of_file(out / name) == digest for name, digest in report.files.items())
    kept = [load_pairs(out / f"classification/{side}_pairs.tsv").data for side in _SIDES]
    assert [len(data) for data in kept] == [side.pairs for side in report.sides.values()]
    assert sum(map(len, kept)) + sum(report.dropped.values()) == 200
    assert report.shared == Disjointness(0, 0, 0, 0)


def test_the_input_is_never_replaced(tmp_path):
    path = tmp_path / "train.tsv"
    path.write_text(_HEADER + "".join(_lines()))
    with pytest.raises(UsageError) as error:
        split_file(path, tmp_path)
    assert error.value.params == ("out",)
    assert path.read_text() == _HEADER + "".join(_lines())
    assert [entry.name for entry in tmp_path.iterdir()] == ["train.tsv"]


@pytest.mark.parametrize("failing", _SIDES)
def test_all_files_or_none(pairs_file, tmp_path, monkeypatch, failing):
    out = tmp_path / "out"
    split_file(pairs_file, out, seed=1)
    before = {path.name: path.read_bytes() for path in out.iterdir()}
    write = task._write_side

    def full(table, rows, path):
        if failing in path.name:
            raise OSError(errno.ENOSPC, "No space left on device")
        write(table, rows, path)

    monkeypatch.setattr(task, "_write_side", full)
    with pytest.raises(OutputError):
        split_file(pairs_file, out, seed=2)
    assert {path.name: path.read_bytes() for path in out.iterdir()} == before


def test_too_few_groups(tmp_path):
    path = tmp_path / "in.tsv"
    path.write_text("text1\ttext2\tlabel\na\tb\t1\nb\tc\t1\n")
    with pytest.raises(DataError, match="too few groups"):
        split_file(path, tmp_path / "out")
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("ending", [".parquet", ".arrow", ".feather"])
def test_column_files_are_split_into_column_files(tmp_path, ending):
    arrow = pytest.importorskip("pyarrow", reason="it writes them")
    cells = [line.rstrip("\n").split("\t") for line in _lines()]
    table = arrow.table(
        {
            "a": [row[1] for row in cells],
            "b": [row[2] for row in cells],
            "label": arrow.array([int(row[3]) for row in cells], arrow.int8()),
            "tags": [[row[4], str(number)] for number, row in enumerate(cells)],
            "when": arrow.array(range(len(cells)), arrow.timestamp("us")),
        }
    )
    path = tmp_path / f"pairs{ending}"
    _write_table(table, path)
    report = split_file(path, tmp_path / "out")
    assert set(report.files) == {f"{side}{ending}" for side in ("train", "dev", "test")}
    sides = [_read_table(tmp_path / "out" / name) for name in report.files]
    assert all(side.schema.equals(table.schema) for side in sides)
    together = arrow.concat_tables(sides).sort_by("when")
    assert together.equals(table) and not report.dropped
    loaded = [load_pairs(tmp_path / "out" / name).data for name in report.files]
    assert [len(side) for side in loaded] == [facts.pairs for facts in report.sides.values()]
    assert not any(overlap.texts for overlap in leaks(*loaded).overlaps)
    (tmp_path / "same.tsv").write_text("".join("\t".join(row[1:4]) + "\n" for row in cells))
    split_file(tmp_path / "same.tsv", tmp_path / "tsv")
    for name, side in zip(_SIDES, loaded, strict=True):
        assert side.pairs == load_pairs(tmp_path / "tsv" / f"{name}.tsv").data.pairs


def _write_table(table, path):
    from pyarrow import feather, ipc, parquet

    if path.suffix == ".parquet":
        parquet.write_table(table, path)
    elif path.suffix == ".feather":
        feather.write_feather(table, path)
    else:
        with ipc.new_file(path, table.schema) as stream:
            stream.write_table(table)


def _read_table(path):
    from pyarrow import feather, parquet

    return parquet.read_table(path) if path.suffix == ".parquet" else feather.read_table(path)


def test_a_folder_of_parts_is_split(tmp_path):
    folder = tmp_path / "parts"
    folder.mkdir()
    rows = [f"text {n}\tother {n}\t{n % 2}" for n in range(60)]
    for part in range(2):
        lines = ["question1\tquestion2\tis_duplicate", *rows[30 * part : 30 * part + 30]]
        (folder / f"part-{part}.tsv").write_text("\n".join(lines) + "\n")
    report = split_file(folder, tmp_path / "split", seed=0)
    files = [tmp_path / "split" / f"{name}.tsv" for name in ("train", "dev", "test")]
    found = [line for file in files for line in file.read_text().splitlines()[1:]]
    assert sorted(found) == sorted(rows) and len(report.input.sha256) == 64
