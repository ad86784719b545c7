"""Folders of files ``part-*``: kept texts are in files of the same names."""

import gzip
import json

import numpy as np
import pytest

import textkin as tk
from textkin.base.errors import DataError, UsageError
from textkin.base.files import sha256_of_file
from textkin.data.readers.texts import read_texts

FIRST = ["When do you open?", "", "When do you open?", "Where can I park?"]
SECOND = ["Where can I park?", "Is there a lift?"]


def written(folder, *, ids=(None, None)):
    folder.mkdir()
    for number, (texts, own) in enumerate(zip((FIRST, SECOND), ids, strict=True)):
        rows = [
            {"text": text} | ({} if own is None else {"id": f"{own}{place}"})
            for place, text in enumerate(texts)
        ]
        with gzip.open(folder / f"part-{number}.jsonl.gz", "wt", encoding="utf-8") as stream:
            stream.writelines(json.dumps(row) + "\n" for row in rows)
    return folder


def texts_in(folder):
    return [
        [json.loads(line)["text"] for line in gzip.open(path, "rt", encoding="utf-8")]
        for path in sorted(folder.glob("part-*"))
    ]


@pytest.mark.parametrize("ids", [(None, None), ("a", "b"), (None, "z")])
def test_each_part_keeps_its_rows_that_stay(tmp_path, ids):
    found = tk.dedupe(written(tmp_path / "texts", ids=ids), out=tmp_path / "out")
    assert found.kept == tmp_path / "out" and found.counts.removed == 2
    assert texts_in(tmp_path / "out") == [
        ["When do you open?", "", "Where can I park?"],
        ["Is there a lift?"],
    ]
    assert read_texts(tmp_path / "out").data.texts == (
        *("When do you open?", "Where can I park?", "Is there a lift?"),
    )
    account = json.loads((tmp_path / "out" / "dedupe.json").read_text(encoding="utf-8"))
    for name in ("part-0.jsonl.gz", "part-1.jsonl.gz"):
        assert account["files"][name] == sha256_of_file(tmp_path / "out" / name)
    before = account["made_with"]["sha256 of the texts"]
    (tmp_path / "texts" / "part-1.jsonl.gz").write_bytes((tmp_path / "out" / "part-1.jsonl.gz").read_bytes())
    tk.dedupe(tmp_path / "texts", out=tmp_path / "again")
    account = json.loads((tmp_path / "again" / "dedupe.json").read_text(encoding="utf-8"))
    assert account["made_with"]["sha256 of the texts"] != before


def test_the_files_are_the_same_at_any_time_and_with_vectors_of_a_folder(tmp_path):
    texts = written(tmp_path / "texts")
    tk.dedupe(texts, out=tmp_path / "one")
    tk.encode(texts, out=tmp_path / "vectors")
    tk.dedupe(texts, out=tmp_path / "two", embeddings=tmp_path / "vectors")
    for name in ("part-0.jsonl.gz", "part-1.jsonl.gz", "removed.tsv", "groups.tsv"):
        assert (tmp_path / "one" / name).read_bytes() == (tmp_path / "two" / name).read_bytes()
    assert b"part-0" not in (tmp_path / "one" / "part-0.jsonl.gz").read_bytes()  # nor the time


def test_parquet_parts_stay_parquet(tmp_path):
    arrow, parquet = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    (tmp_path / "texts").mkdir()
    for number, texts in enumerate((FIRST, SECOND)):
        parquet.write_table(arrow.table({"text": texts}), tmp_path / "texts" / f"part-{number}.parquet")
    tk.dedupe(tmp_path / "texts", out=tmp_path / "out")
    kept = [
        parquet.read_table(path)["text"].to_pylist() for path in sorted((tmp_path / "out").glob("part-*"))
    ]
    assert kept == [["When do you open?", "", "Where can I park?"], ["Is there a lift?"]]


def test_a_part_of_other_texts_is_never_taken_for_one_that_stays(tmp_path):
    texts = written(tmp_path / "texts")
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "part-7.txt").write_text("from elsewhere\n")
    with pytest.raises(UsageError) as error:
        tk.dedupe(texts, out=tmp_path / "out")
    assert error.value.params == ("out",)
    with pytest.raises(UsageError) as error:
        tk.dedupe(texts, out=texts)
    assert error.value.params == ("out",)
    assert texts_in(texts) == [FIRST, SECOND]


def test_an_id_of_two_parts_is_refused(tmp_path):
    with pytest.raises(DataError) as error:
        tk.dedupe(written(tmp_path / "texts", ids=("a", "a")), out=tmp_path / "out")
    assert str(error.value.path).endswith("part-1.jsonl.gz")


@pytest.mark.parametrize("ending", [".txt", ".jsonl.gz", ".csv", ".parquet"])
def test_what_stays_can_be_read_where_a_part_loses_all(tmp_path, ending):
    texts = tmp_path / "texts"
    texts.mkdir()
    for number, part in enumerate((FIRST[2:], FIRST[2:3], SECOND)):
        path = texts / f"part-{number}{ending}"
        if ending == ".parquet":
            arrow, parquet = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
            parquet.write_table(arrow.table({"text": part}), path)
        elif ending == ".jsonl.gz":
            path.write_bytes(
                gzip.compress("".join(json.dumps({"text": one}) + "\n" for one in part).encode())
            )
        else:
            path.write_text("\n".join([*(["text"] if ending == ".csv" else []), *part, ""]))
    tk.dedupe(texts, out=tmp_path / "out")
    assert len(list((tmp_path / "out").glob("part-*"))) == 3
    assert read_texts(tmp_path / "out").data.texts == (*FIRST[2:], SECOND[1])
    assert tk.encode(tmp_path / "out", out=tmp_path / "vectors").count == 3
    with tk.open_collection(tmp_path / "c", create=True) as opened:
        assert opened.add(tmp_path / "out").new == 3


def test_codes_and_cluster_take_such_folders(tmp_path):
    texts, plain = written(tmp_path / "texts"), [text for text in FIRST + SECOND if text]
    tk.encode(texts, bits=64, out=tmp_path / "codes.npy")
    assert np.load(tmp_path / "codes.npy").tolist() == tk.encode(plain, bits=64).codes.tolist()
    assert len(tk.cluster(texts, threshold=0.9).texts) == len(plain)
