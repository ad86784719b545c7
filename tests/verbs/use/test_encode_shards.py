"""A folder of text files: a file of vectors each, and only missing or broken ones are rebuilt."""

import gzip
import json
from functools import partial

import numpy as np
import pytest

import textkin as tk
from textkin.base.errors import DataError, UsageError
from textkin.base.files import sha256_of_file
from textkin.base.hub import DEFAULT
from textkin.vectors.manifest import MANIFEST
from textkin.verbs.use.encode_shards import encode_shards

TEXTS = [[f"Where is parcel {number} of {part}?" for number in range(4 + part)] for part in range(3)]


@pytest.fixture
def source(tmp_path):
    """Two files packed by gzip, and one of Parquet."""
    pytest.importorskip("pyarrow")
    import pyarrow as pa
    import pyarrow.parquet as pq

    folder = tmp_path / "texts"
    folder.mkdir()
    for part, texts in enumerate(TEXTS[:2]):
        with gzip.open(folder / f"part-{part}.jsonl.gz", "wt", encoding="utf-8") as stream:
            stream.writelines(
                json.dumps({"id": f"{part}-{n}", "text": text}) + "\n" for n, text in enumerate(texts)
            )
    pq.write_table(pa.table({"text": TEXTS[2]}), folder / "part-2.parquet")
    (folder / "README").write_text("no part")
    return folder


def manifest(folder):
    return json.loads((folder / MANIFEST).read_text(encoding="utf-8"))


def test_each_file_gets_its_vectors_and_the_manifest_their_hashes(source, tmp_path):
    made = tk.encode(source, out=tmp_path / "vectors")
    assert (made.shards, made.made, made.count) == (3, 3, 15)
    for part, texts in enumerate(TEXTS):
        np.testing.assert_array_equal(np.load(tmp_path / "vectors" / f"part-{part}.npy"), tk.encode(texts))
    assert (tmp_path / "vectors" / "part-1.ids.txt").read_text() == "1-0\n1-1\n1-2\n1-3\n1-4\n"
    noted = manifest(tmp_path / "vectors")["shards"]
    assert list(noted) == ["part-0.jsonl.gz", "part-1.jsonl.gz", "part-2.parquet"]
    for name, entry in noted.items():
        assert entry["texts_sha256"] == sha256_of_file(source / name)
        assert entry["vectors_sha256"] == sha256_of_file(tmp_path / "vectors" / entry["vectors"])
        assert entry["ids_sha256"] == sha256_of_file(tmp_path / "vectors" / entry["ids"])
    assert sum(entry["count"] for entry in noted.values()) == 15


@pytest.mark.parametrize("broken", ["part-1.npy", "part-1.ids.txt", "texts"])
def test_what_has_another_hash_is_made_again_and_nothing_else(source, tmp_path, broken):
    out = tmp_path / "vectors"
    encode_shards(DEFAULT, source, out)
    before = {path.name: (path.read_bytes(), path.stat().st_mtime_ns) for path in out.iterdir()}
    if broken == "texts":
        with gzip.open(source / "part-1.jsonl.gz", "wt", encoding="utf-8") as stream:
            stream.write('{"id": "new", "text": "Another one"}\n')
    else:
        (out / broken).write_bytes((out / broken).read_bytes()[:-1] + b"x")
    made = encode_shards(DEFAULT, source, out)
    assert (made.shards, made.made) == (3, 1)
    assert encode_shards(DEFAULT, source, out).made == 0
    for name in ("part-0.npy", "part-2.npy"):
        assert (out / name).stat().st_mtime_ns == before[name][1]
    if broken == "texts":
        assert made.count == 11 and (out / "part-1.ids.txt").read_text() == "new\n"
    else:
        assert (out / broken).read_bytes() == before[broken][0]


def test_vectors_of_a_file_that_is_gone_go_too(source, tmp_path):
    """They would be taken for those of other texts, since a folder's vectors are read as one."""
    out = tmp_path / "vectors"
    encode_shards(DEFAULT, source, out)
    (source / "part-2.parquet").rename(source / "part-3.parquet")
    with gzip.open(source / "part-0.jsonl.gz") as packed:
        (source / "part-0.jsonl").write_bytes(packed.read())
    (source / "part-0.jsonl.gz").unlink()
    noted = manifest(out)
    entry = noted["shards"]["part-2.parquet"]
    outside = tmp_path / "part-7.npy"
    outside.write_bytes(b"mine")
    noted["shards"] |= {f"../{outside.stem}.jsonl": entry, f"{outside.with_suffix('')}.jsonl": entry}
    (out / MANIFEST).write_text(json.dumps(noted))
    made = encode_shards(DEFAULT, source, out)
    assert (made.shards, made.made, made.count) == (3, 2, 15)
    assert list(manifest(out)["shards"]) == ["part-0.jsonl", "part-1.jsonl.gz", "part-3.parquet"]
    there = {f"part-{n}{ending}" for n in (0, 1, 3) for ending in (".npy", ".ids.txt")}
    assert {path.name for path in out.iterdir()} == there | {MANIFEST} and outside.read_bytes() == b"mine"
    tk.mine(source, embeddings=out, threshold=0.5, out=tmp_path / "pairs.tsv")


def test_a_stopped_call_goes_on_with_the_next_file(source, tmp_path, monkeypatch):
    from textkin.verbs.use import encode_shards as module

    done = []

    def stopping(model, texts, *arguments, **options):
        if len(done) == 2:
            raise KeyboardInterrupt
        done.append(texts.name)
        return real(model, texts, *arguments, **options)

    real = module.encode_file
    monkeypatch.setattr(module, "encode_file", stopping)
    with pytest.raises(KeyboardInterrupt):
        encode_shards(DEFAULT, source, tmp_path / "vectors")
    assert list(manifest(tmp_path / "vectors")["shards"]) == done
    monkeypatch.setattr(module, "encode_file", real)
    assert encode_shards(DEFAULT, source, tmp_path / "vectors").made == 1


def test_what_cannot_be_is_refused(source, tmp_path):
    out = tmp_path / "vectors"
    (tmp_path / "none").mkdir()
    with pytest.raises(DataError) as error:
        encode_shards(DEFAULT, tmp_path / "none", out)
    assert str(error.value.path).endswith("none")
    with pytest.raises(UsageError) as error:
        encode_shards("mean-vectors", source, out)
    assert error.value.params == ("model",)
    with pytest.raises(UsageError) as error:
        encode_shards(DEFAULT, source, source)
    assert error.value.params == ("out",)
    encode_shards(DEFAULT, source, out)
    with pytest.raises(UsageError) as error:
        encode_shards("minilm", source, out)
    assert error.value.params == ("out",)
    (source / "part-0.tsv").write_text("text\nagain\n")
    with pytest.raises(UsageError, match=r"part-0\.jsonl\.gz and part-0\.tsv would both become"):
        encode_shards(DEFAULT, source, out)
    (source / "part-0.tsv").unlink()
    for hostile in (
        "[]",
        "{",
        '{"format": 1, "made_of": {}, "shards": {"part-0.jsonl.gz": {}}}',
        '{"shards": 3}',
    ):
        (out / MANIFEST).write_text(hostile)
        with pytest.raises(DataError) as error:
            encode_shards(DEFAULT, source, out)
        assert str(error.value.path).endswith("manifest.json")


def test_a_folder_is_mined_as_one_file_with_its_vectors_or_without(source, tmp_path):
    tk.encode(source, out=tmp_path / "vectors")
    (tmp_path / "all.txt").write_text("\n".join(text for part in TEXTS for text in part) + "\n")
    expected = tk.mine(tmp_path / "all.txt", threshold=0.5, out=tmp_path / "1.tsv")
    names = [
        "0-0",
        "0-1",
        "0-2",
        "0-3",
        "1-0",
        "1-1",
        "1-2",
        "1-3",
        "1-4",
        *(f"part-2:{n}" for n in range(1, 7)),
    ]
    rows = [line.split("\t") for line in (tmp_path / "1.tsv").read_text().splitlines()[1:]]
    wanted = [[score, names[int(a) - 1], names[int(b) - 1], *texts] for score, a, b, *texts in rows]
    for vectors in (None, tmp_path / "vectors"):
        found = tk.mine(source, embeddings=vectors, threshold=0.5, out=tmp_path / "2.tsv")
        assert found.about.pairs == expected.about.pairs > 20
        got = [line.split("\t") for line in (tmp_path / "2.tsv").read_text().splitlines()[1:]]
        assert [row[0] for row in got] == [row[0] for row in wanted]
        assert {frozenset(row[3:]) for row in got} == {frozenset(row[3:]) for row in wanted}
        assert {frozenset(row[1:3]) for row in got} == {frozenset(row[1:3]) for row in wanted}


@pytest.mark.parametrize("verb", [tk.mine, tk.dedupe, tk.encode, tk.cluster])
def test_vectors_of_texts_that_have_changed_are_refused(verb, source, tmp_path):
    ending = {tk.mine: ".tsv", tk.dedupe: "", tk.encode: ".npy", tk.cluster: ".tsv"}[verb]
    if verb is tk.cluster:
        verb = partial(tk.cluster, threshold=0.5)
    if verb is tk.encode:
        verb = partial(tk.encode, bits=64)
    tk.encode(source, out=tmp_path / "vectors")
    verb(source, embeddings=tmp_path / "vectors", out=tmp_path / f"made{ending}")
    verb(source, embeddings=tmp_path / "vectors")
    texts = [{"text": f"Where is parcel {number} of 7?"} for number in range(4)]
    with gzip.open(source / "part-0.jsonl.gz", "wt", encoding="utf-8") as stream:
        stream.writelines(json.dumps(text) + "\n" for text in texts)
    with pytest.raises(DataError) as error:
        verb(source, embeddings=tmp_path / "vectors", out=tmp_path / f"again{ending}")
    assert str(error.value.path).endswith("texts")
    with pytest.raises(DataError) as error:
        verb(source, embeddings=tmp_path / "vectors")
    assert str(error.value.path).endswith("texts")
    (source / "part-0.jsonl.gz").rename(source / "part-9.jsonl.gz")
    with pytest.raises(DataError) as error:
        verb(source, embeddings=tmp_path / "vectors", out=tmp_path / f"again{ending}")
    assert str(error.value.path).endswith("vectors")
    assert not (tmp_path / f"again{ending}").exists()


def test_an_id_in_two_files_and_vectors_of_two_models_are_refused(source, tmp_path):
    with gzip.open(source / "part-9.jsonl.gz", "wt", encoding="utf-8") as stream:
        stream.write('{"id": "1-3", "text": "again"}\n')
    with pytest.raises(DataError) as error:
        tk.mine(source, out=tmp_path / "pairs.tsv")
    assert str(error.value.path).endswith("part-9.jsonl.gz")
    (tmp_path / "vectors").mkdir()
    for part, width in enumerate((3, 4)):
        np.save(tmp_path / "vectors" / f"part-{part}.npy", np.zeros((5, width), dtype=np.float32))
    with pytest.raises(DataError) as error:
        tk.mine([f"text {n}" for n in range(10)], embeddings=tmp_path / "vectors")
    assert str(error.value.path).endswith("vectors")
