import csv
import json
from pathlib import Path

import numpy as np
import pytest

import textkin as tk
from textkin.base.errors import DataError, UsageError
from textkin.data.readers import TextReading
from textkin.data.readers.plain_folder import PlainFolder, plain_files
from textkin.data.readers.texts import TextFile, TextParts, open_texts

FILES = {
    "mill.md": "The mill was built in 1856.\nIt burned down.\n",
    "park.txt": "Parking is behind the house.",
    "sub/park.text": "Parking is behind the house!",
}
TEXTS = {name: text.rstrip("\n") for name, text in FILES.items()}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    place = tmp_path / "notes"
    for name, text in {**FILES, "empty.txt": " \n", "data.csv": "1"}.items():
        (place / name).parent.mkdir(parents=True, exist_ok=True)
        (place / name).write_text(text, encoding="utf-8")
    return place


def test_each_file_is_a_text(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    loaded = tk.load_texts(folder)
    assert dict(zip(loaded.data.ids, loaded.data.texts, strict=True)) == TEXTS
    report = loaded.report
    assert (report.rows, report.kept, report.unit, list(report.skipped.values())) == (4, 3, "file", [1])
    assert "1 other file not read" in report.columns
    assert [path.relative_to(folder).as_posix() for path in plain_files(folder)] == ["empty.txt", *TEXTS]


def test_parts_are_read_as_one_file(folder: Path, tmp_path: Path) -> None:
    assert isinstance(open_texts(folder), PlainFolder)
    assert isinstance(open_texts(folder / "park.txt"), TextFile)
    (folder / "part-0.txt").write_text("one\ntwo\n", encoding="utf-8")
    assert isinstance(open_texts(folder), TextParts)
    (tmp_path / "none").mkdir()
    (tmp_path / "none" / "data.csv").write_text("1", encoding="utf-8")
    with pytest.raises(DataError):
        open_texts(tmp_path / "none")


@pytest.mark.parametrize("reading", [TextReading(text="x"), TextReading(id="x")])
def test_there_are_no_columns(folder: Path, reading: TextReading) -> None:
    with pytest.raises(UsageError):
        tk.load_texts(folder, reading=reading)
    with pytest.raises(UsageError) as error:
        tk.dedupe(folder, keep="votes")
    assert error.value.params == ("keep",)


def test_verbs_of_texts_take_it(folder: Path, tmp_path: Path) -> None:
    assert tk.search(folder, "mill", k=1)[0]["id"] == "mill.md"
    [pair] = tk.mine(folder, threshold=0.9)
    assert {pair["id_a"], pair["id_b"]} == {"park.txt", "sub/park.text"}
    assert tk.match(folder, "parking is behind the house").matches[0].verdict.value == "duplicate"
    labels = tk.cluster(folder, threshold=0.5).labels
    assert (labels[1] == labels[2]) and labels[0] != labels[1]
    tk.encode(folder, out=tmp_path / "v.npy")
    assert (tmp_path / "v.ids.txt").read_text(encoding="utf-8").split() == list(TEXTS)
    np.testing.assert_allclose(np.load(tmp_path / "v.npy"), tk.encode(list(TEXTS.values())), atol=1e-6)


def test_kept_texts_are_a_table(folder: Path, tmp_path: Path) -> None:
    before = {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}
    made = tk.dedupe(folder, threshold=0.9, out=tmp_path / "out")
    assert made.kept == tmp_path / "out" / "kept.csv"
    with made.kept.open(encoding="utf-8", newline="") as stream:
        rows = dict(list(csv.reader(stream))[1:])
    assert rows == {name: TEXTS[name] for name in ("mill.md", "sub/park.text")}
    assert dict(zip(*_read(made.kept), strict=True)) == rows
    assert {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()} == before


def test_formulas_of_kept_texts_are_texts_and_come_back(tmp_path: Path) -> None:
    place = tmp_path / "notes"
    place.mkdir()
    texts = {"a.txt": "=1+1 is two", "b.txt": "'=quoted", "c.txt": 'one, "two"\nthree'}
    for name, text in texts.items():
        (place / name).write_text(text, encoding="utf-8")
    kept = tk.dedupe(place, threshold=0.999, out=tmp_path / "out").kept
    assert dict(zip(*_read(kept), strict=True)) == texts
    assert "'=1+1 is two" in kept.read_text(encoding="utf-8")


def test_places_count_empty_files(folder: Path) -> None:
    files = plain_files(folder)
    for text, row, line in PlainFolder(folder, reading=TextReading()).placed():
        assert (files[row].read_text(encoding="utf-8").rstrip("\n"), line) == (text, 1)


def test_files_of_one_name_count_apart(folder: Path, tmp_path: Path) -> None:
    (folder / "sub" / "park.txt").write_text("one", encoding="utf-8")

    def account() -> str:
        tk.dedupe(folder, threshold=0.9, out=tmp_path / "out")
        made = json.loads((tmp_path / "out" / "dedupe.json").read_text(encoding="utf-8"))
        return str(made["made_with"]["sha256 of the texts"])

    first = account()
    (folder / "park.txt").write_text("Parking isn't behind the house.", encoding="utf-8")
    assert account() != first


def _read(path: Path) -> tuple[tuple[str, ...], tuple[str, ...]]:
    found = tk.load_texts(path).data
    return found.ids, found.texts
