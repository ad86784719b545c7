"""Folders of files ``part-*`` in and out: mined pairs, hard negatives, entries of a collection."""

import gzip
import json

import pytest

import textkin as tk
from textkin.base import sharded_table_writer as table_parts
from textkin.base.errors import DataError, UsageError
from textkin.base.files import sha256_of_file
from textkin.collection.search.options import SearchOptions
from textkin.collection.search.search_file import search_file
from textkin.data.readers import load, load_pairs
from textkin.data.readers.entries import hashed_id
from textkin.data.readers.texts import read_texts

TEXTS = [f"Where can I park a {kind}?" for kind in ("car", "bus", "van", "lorry", "truck", "taxi", "tram")]
HALVES = TEXTS[:4], TEXTS[4:]
TOP = 8


def written(folder, rows_of_parts, ending=".jsonl.gz"):
    """A folder with a file for each list of rows."""
    folder.mkdir()
    for number, rows in enumerate(rows_of_parts):
        path = folder / f"part-{number}{ending}"
        if ending == ".parquet":
            arrow, parquet = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
            parquet.write_table(arrow.Table.from_pylist(rows), path)
        elif ending == ".txt":
            path.write_text("".join(f"{row['text']}\n" for row in rows))
        elif ending.startswith(".jsonl"):
            content = "".join(json.dumps(row) + "\n" for row in rows)
            path.write_bytes(gzip.compress(content.encode()) if ending.endswith(".gz") else content.encode())
        else:
            lines = ["\t".join(rows[0]), *("\t".join(map(str, row.values())) for row in rows)]
            path.write_text("".join(f"{line}\n" for line in lines))
    return folder


def texts_of(folder, **options):
    return written(folder, [[{"text": text} for text in half] for half in HALVES], **options)


def rows_of(path):
    return load_pairs(path).data.rows()


@pytest.fixture
def _small_parts(monkeypatch):
    monkeypatch.setattr(table_parts, "_ROWS", 3)


@pytest.mark.usefixtures("_small_parts")
@pytest.mark.parametrize(
    ("ending", "written_as"),
    [(".jsonl.gz", ".jsonl.gz"), (".parquet", ".parquet"), (".txt", ".tsv"), (".tsv", ".tsv")],
)
def test_pairs_of_a_folder_come_as_one(tmp_path, ending, written_as):
    texts = texts_of(tmp_path / "texts", ending=ending)
    tk.mine(texts, out=tmp_path / "pairs.tsv", top=TOP)
    found = tk.mine(texts, out=tmp_path / "pairs", top=TOP)
    assert (found.out, found.about.pairs) == (tmp_path / "pairs", 8)
    names = [f"part-0000{number}{written_as}" for number in range(3)]
    assert sorted(path.name for path in found.out.iterdir()) == ["manifest.json", *names]
    told = json.loads((found.out / "manifest.json").read_text())
    assert told["columns"] == ["score", "id_a", "id_b", "text_a", "text_b"]
    assert {name: one["rows"] for name, one in told["parts"].items()} == dict(
        zip(names, (3, 3, 2), strict=True)
    )
    for name, one in told["parts"].items():
        assert one["sha256"] == sha256_of_file(found.out / name)
    assert rows_of(found.out) == rows_of(tmp_path / "pairs.tsv")
    before = {path.name: path.read_bytes() for path in found.out.iterdir()}
    tk.mine(texts, out=tmp_path / "pairs", top=2)
    assert sorted(path.name for path in found.out.iterdir()) == ["manifest.json", names[0]]
    tk.mine(texts, out=tmp_path / "pairs", top=TOP)
    assert before == {path.name: path.read_bytes() for path in found.out.iterdir()}


def test_what_is_from_elsewhere_is_never_replaced(tmp_path):
    texts, out = texts_of(tmp_path / "texts"), tmp_path / "pairs"
    out.mkdir()
    (out / "notes").write_text("mine\n")
    with pytest.raises(UsageError) as error:
        tk.mine(texts, out=out, top=TOP)
    assert error.value.params == ("out",)
    (out / "notes").unlink()
    assert tk.mine(texts, out=out, top=TOP).about.pairs == 8
    (out / "part-00007.jsonl.gz").write_bytes(b"")
    with pytest.raises(UsageError) as error:
        tk.mine(texts, out=out, top=TOP)
    assert error.value.params == ("out",)
    (tmp_path / "file").write_text("mine\n")
    with pytest.raises(UsageError) as error:
        tk.mine(texts, out=tmp_path / "file", top=TOP)
    assert error.value.params == ("out",)
    with pytest.raises(UsageError) as error:
        tk.mine(texts, out=texts, top=TOP)
    assert error.value.params == ("out",)
    with pytest.raises(UsageError) as error:  # of one file there is one
        tk.mine(texts / "part-0.jsonl.gz", out=tmp_path / "other", top=TOP)
    assert error.value.params == ("out",)


def test_a_call_that_fails_leaves_what_was_there(tmp_path, monkeypatch):
    texts, out = texts_of(tmp_path / "texts"), tmp_path / "pairs"
    tk.mine(texts, out=out, top=TOP)
    before = {path.name: path.read_bytes() for path in out.iterdir()}
    monkeypatch.setattr(table_parts, "write_json", lambda *given: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        tk.mine(texts, out=out, top=2)
    assert before == {path.name: path.read_bytes() for path in out.iterdir()}


PAIRS = [{"a": f"green apple {n}", "b": f"apple of green {n}", "same": n % 4 and 1} for n in range(12)]


@pytest.mark.usefixtures("_small_parts")
@pytest.mark.parametrize("ending", [".tsv", ".jsonl.gz", ".parquet"])
def test_negatives_of_a_folder_are_those_of_one_file(tmp_path, ending):
    whole = written(tmp_path / "whole", [PAIRS], ".tsv") / "part-0.tsv"
    parts = written(tmp_path / "parts", [PAIRS[:5], PAIRS[5:6], PAIRS[6:]], ending)
    options = {"ranks": "1-5", "each": 2}
    tk.negatives(whole, out=tmp_path / "one.tsv", model=["tfidf"], **options)
    tk.negatives(parts, out=tmp_path / "other.tsv", model=["tfidf"], **options)
    found = tk.negatives(parts, out=tmp_path / "out", model=["tfidf"], **options)
    assert (tmp_path / "one.tsv").read_bytes() == (tmp_path / "other.tsv").read_bytes()
    told = json.loads((tmp_path / "out" / "manifest.json").read_text())
    assert sum(one["rows"] for one in told["parts"].values()) == found.written > 3
    triplets = [load(path).data.rows() for path in (tmp_path / "out", tmp_path / "one.tsv")]
    assert triplets[0] == triplets[1]


def test_parts_that_differ_are_refused(tmp_path):
    folder = written(tmp_path / "pairs", [PAIRS[:6]], ".tsv")
    (folder / "part-1.tsv").write_text("a\tb\tanother\nx\ty\t1\n")
    with pytest.raises(DataError) as error:
        load_pairs(folder)
    assert str(error.value.path).endswith("part-1.tsv")
    (folder / "part-1.tsv").write_text("a\tb\tsame\n")  # a part may be empty, if not all are
    assert len(load_pairs(folder).data) == 6


@pytest.mark.parametrize("ending", [".txt", ".tsv", ".jsonl.gz", ".parquet"])
def test_a_collection_takes_a_folder(tmp_path, ending):
    with tk.open_collection(tmp_path / "c", create=True) as opened:
        assert opened.add(texts_of(tmp_path / "texts", ending=ending)).new == 7
        assert opened.search(TEXTS[5], k=1).hits[0][0].text == TEXTS[5]
        assert opened.add(tmp_path / "texts").unchanged == 7
        found = search_file(opened, tmp_path / "texts", tmp_path / "run.trec", SearchOptions(k=1))
    asked = read_texts(tmp_path / "texts").data
    hits = [line.split()[:3:2] for line in (tmp_path / "run.trec").read_text().splitlines()]
    assert found.queries == 7 and sorted(hits) == sorted(
        map(list, zip(asked.ids, map(hashed_id, TEXTS), strict=True))
    )


def test_a_collection_is_no_folder_of_texts(tmp_path):
    tk.add(tmp_path / "c", ["Where?"])
    for call in (tk.dedupe, tk.mine, tk.encode):
        with pytest.raises(DataError, match="is a collection"):
            call(tmp_path / "c")


def test_a_folder_without_parts_is_named(tmp_path):
    (tmp_path / "empty").mkdir()
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "a.csv").write_text("a\n")
    for name, told in (("empty", "is an empty folder"), ("other", "is a folder without files called part-")):
        with pytest.raises(DataError, match=told):
            tk.dedupe(tmp_path / name, out=tmp_path / "out")
        with pytest.raises(DataError, match=told):
            tk.encode(tmp_path / name, out=tmp_path / "out.npy")
    with pytest.raises(DataError), tk.open_collection(tmp_path / "c", create=True) as opened:
        opened.add(tmp_path / "empty")
