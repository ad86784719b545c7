"""Codes of a file, searched."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import textkin as tk
from textkin.base.errors import DataError, ModelError, UsageError
from textkin.vectors.join.hamming import hamming
from textkin.verbs.codes.code_search import SearchingCodes
from textkin.verbs.codes.codes import CodeOptions, codes_file, codes_of

TEXTS = [f"how do I {verb} the {thing} in {place}" for verb in ("fix", "sell", "paint", "find")
         for thing in ("door", "boat", "radio") for place in ("Rome", "Oslo", "Lima", "town")]  # fmt: skip
QUERIES = ["how do I fix the door in Rome", "how to paint a boat in Lima", "something else"]


@pytest.fixture
def files(tmp_path: Path) -> tuple[Path, Path]:
    (tmp_path / "texts.txt").write_text("\n".join(TEXTS) + "\n")
    (tmp_path / "queries.csv").write_text("id,text\n" + "".join(f"q{n},{q}\n" for n, q in enumerate(QUERIES)))
    codes_file(
        tmp_path / "texts.txt",
        tmp_path / "codes.npy",
        options=CodeOptions(of="letters", bits=64, seed=3, sample=9),
    )
    return tmp_path / "queries.csv", tmp_path / "codes.npy"


def rows(path: Path) -> list[dict[str, str]]:
    with path.open(newline="") as stream:
        return list(csv.DictReader(stream, delimiter="\t"))


def test_the_nearest_of_all_codes(files: tuple[Path, Path], tmp_path: Path) -> None:
    queries, codes = files
    found = SearchingCodes(nearest=4).to_file(queries, codes, tmp_path / "found.tsv")
    options = CodeOptions(of="letters", bits=64, seed=3, sample=0)
    distances = hamming(codes_of(QUERIES, options=options).codes, np.load(codes))
    expected = [
        (
            f"q{query}",
            str(rank),
            str(place + 1),
            str(row[place]),
            round(float(np.cos(np.pi * row[place] / 64)), 4),
        )
        for query, row in enumerate(distances.tolist())
        for rank, place in enumerate(sorted(range(len(row)), key=lambda one: (row[one], one))[:4], 1)
    ]
    assert [
        (one["query"], one["rank"], one["found"], one["bits"], float(one["cosine"]))
        for one in rows(tmp_path / "found.tsv")
    ] == expected
    assert (found.found, found.codes, found.bands) == (12, len(TEXTS), None)
    in_memory = SearchingCodes(nearest=4).of(queries, codes)
    assert [(row["rank"], row["id"], row["bits"], row["score"]) for row in in_memory.rows()] == [
        (int(rank), found_id, int(bits), score) for _, rank, found_id, bits, score in expected
    ]
    told = json.loads(codes.with_suffix(".json").read_text())["fidelity"]
    assert found.codes_recall == (told["recall"], told["nearest"])
    assert rows(tmp_path / "found.tsv")[0]["bits"] == "0"


def test_by_bands_with_the_recall_measured(files: tuple[Path, Path], tmp_path: Path) -> None:
    queries, codes = files
    out = tmp_path / "found.jsonl"
    SearchingCodes(nearest=5).to_file(queries, codes, tmp_path / "all.tsv")
    exact = [(one["query"], one["found"]) for one in rows(tmp_path / "all.tsv")]
    found = SearchingCodes(nearest=5, bands=9).to_file(queries, codes, out).bands
    assert found is not None and found.recall is not None and found.expected is not None
    hits = [json.loads(line) for line in out.read_text().splitlines()]
    last = {one["query"]: int(one["bits"]) for one in rows(tmp_path / "all.tsv")}  # the fifth's
    assert found.recall == sum(one["bits"] <= last[one["query"]] for one in hits) / len(exact)
    assert (found.bands, found.widths, found.sample) == (9, (7, 8), 3)
    assert 0 < found.expected < 1 and found.at_cosine["0.95"] > found.at_cosine["0.5"]
    whole = SearchingCodes(nearest=5, bands=64).to_file(queries, codes, out).bands
    assert whole is not None and whole.recall == 1 and whole.without == 0
    few = SearchingCodes(nearest=5, bands=1, sample=0).to_file(queries, codes, out).bands
    assert few is not None and (few.recall, few.without) == (None, 2)
    assert [json.loads(line)["query"] for line in out.read_text().splitlines()] == ["q0"]


def test_codes_of_meaning_need_their_model(files: tuple[Path, Path], tmp_path: Path) -> None:
    queries, _ = files
    codes = tmp_path / "meaning.npy"
    codes_file(tmp_path / "texts.txt", codes, options=CodeOptions(bits=32, sample=0))
    found = SearchingCodes(nearest=1).to_file(queries, codes, tmp_path / "found.tsv")
    assert found.codes_recall is None and rows(tmp_path / "found.tsv")[0]["bits"] == "0"
    assert SearchingCodes(model="default").to_file(queries, codes, tmp_path / "found.tsv").found == 30
    about = codes.with_suffix(".json")
    about.write_text(about.read_text().replace('"model_sha256": "', '"model_sha256": "0'))
    with pytest.raises(ModelError, match="default is not the model that"):
        SearchingCodes().to_file(queries, codes, tmp_path / "found.tsv")
    with pytest.raises(UsageError) as error:
        SearchingCodes(embeddings=codes).to_file(queries, codes, tmp_path / "found.tsv")
    assert error.value.params == ("embeddings",)


def test_codes_of_vectors_need_those_of_the_queries(files: tuple[Path, Path], tmp_path: Path) -> None:
    queries, _ = files
    rng = np.random.default_rng(0)
    vectors = rng.normal(size=(len(TEXTS), 6)).astype(np.float32)
    np.save(tmp_path / "v.npy", vectors)
    np.save(tmp_path / "q.npy", vectors[[7, 0, 3]])
    codes = tmp_path / "codes-of-vectors.npy"
    options = CodeOptions(bits=64, sample=0)
    codes_file(tmp_path / "texts.txt", codes, embeddings=tmp_path / "v.npy", options=options)
    out = tmp_path / "found.tsv"
    SearchingCodes(embeddings=tmp_path / "q.npy", nearest=1).to_file(queries, codes, out)
    assert [(one["found"], one["bits"]) for one in rows(out)] == [("8", "0"), ("1", "0"), ("4", "0")]
    for wrong in ({}, {"model": "default"}):
        with pytest.raises(UsageError) as error:
            SearchingCodes(**wrong).to_file(queries, codes, out)
        assert error.value.params == ("embeddings", "model")


def test_what_is_refused(files: tuple[Path, Path], tmp_path: Path) -> None:
    queries, codes = files
    out = tmp_path / "found.tsv"
    with pytest.raises(UsageError) as error:
        SearchingCodes().to_file(queries, codes, tmp_path / "found.npy")
    assert error.value.params == ("out",)
    with pytest.raises(UsageError) as error:
        SearchingCodes().to_file(queries, codes, queries)
    assert error.value.params == ("out",)
    with pytest.raises(UsageError) as error:
        SearchingCodes(bands=65).to_file(queries, codes, out)
    assert (error.value.params, error.value.value) == (("bands",), 65)
    with pytest.raises(UsageError) as error:
        SearchingCodes(model="default").to_file(queries, codes, out)
    assert error.value.params == ("model",)
    assert not out.exists()


@pytest.mark.parametrize(
    ("ending", "content", "message"),
    [
        (".json", b"{}", "does not say how"),
        (".json", b"[" * 100_000, "does not say how"),
        (".json", b"\xff", "does not say how"),
        (".json", {"bits": "64"}, "bits is '64'"),
        (".json", {"of": "smell"}, "of is 'smell'"),
        (".json", {"bits": 63}, "63"),
        (".json", {"fidelity": {"recall": "x"}}, "fidelity"),
        (".json", {"of": "meaning"}, "model is missing"),
        (".json", {"bits": 128}, "tells of codes of 128 bits"),
        (".json", None, "can't be read"),
        (".ids.txt", b"1\n2\n", "holds 2 ids of 48 codes"),
        (".ids.txt", b"\xff\n", "can't be read"),
        (".npy", b"\x93NUMPY", "not a whole NumPy file"),
    ],
)
def test_broken_files(
    files: tuple[Path, Path],
    tmp_path: Path,
    ending: str,
    content: bytes | dict[str, object] | None,
    message: str,
) -> None:
    queries, codes = files
    broken = codes.with_suffix(ending)
    if content is None:
        broken.unlink()
    elif isinstance(content, dict):
        broken.write_text(json.dumps(json.loads(broken.read_text()) | content))
    else:
        broken.write_bytes(content)
    with pytest.raises(DataError, match=message) as caught:
        SearchingCodes().to_file(queries, codes, tmp_path / "found.tsv")
    assert broken.name in str(caught.value)


@pytest.mark.parametrize("of", ["letters", "meaning"])
def test_codes_in_memory_are_searched_with_their_texts_and_ids(of: str) -> None:
    ids = [f"t{n}" for n in range(len(TEXTS))]
    made = tk.encode(pd.DataFrame({"key": ids, "text": TEXTS}), bits=64, of=of, text="text", id="key")
    one = tk.search(made, TEXTS[7], k=3)
    assert (one[0].id, one[0].text, one[0].bits, len(one)) == ("t7", TEXTS[7], 0, 3)
    several = tk.search(made, pd.Series(TEXTS[:2]), k=1)
    assert [hits[0].id for hits in several] == ["t0", "t1"]
    assert "t7" in one.text() and "compared with all codes" in one.text()


def test_codes_of_vectors_in_memory() -> None:
    vectors = np.random.default_rng(0).normal(size=(9, 8)).astype(np.float32)
    made = tk.encode(TEXTS[:9], bits=64, embeddings=vectors)
    assert tk.search(made, TEXTS[4], embeddings=vectors[[4]], k=1)[0].id == 4
    with pytest.raises(UsageError) as error:
        tk.search(made, TEXTS[4])
    assert error.value.params == ("embeddings", "model")


def test_a_blank_query_of_codes_is_refused(files: tuple[Path, Path]) -> None:
    with pytest.raises(UsageError) as error:
        SearchingCodes().of(" ", files[1])
    assert error.value.params == ("queries",)
