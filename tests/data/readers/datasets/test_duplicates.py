from __future__ import annotations

from pathlib import Path

import pytest

from textkin.base.errors import DataError, UsageError
from textkin.data.readers import Reading, detect, load, load_candidates, load_pairs
from textkin.data.readers.datasets.duplicates import read_duplicates

FILES = {
    "test_corpus.tsv": 'qid\tquestion\n1\twhat is "x"?\n2\twhat\'s "x\n3\tb\n',
    "test_duplicates.tsv": "qid1\tqid2\n1\t2\n",
    "dev_corpus.tsv": "qid\tquestion\n7\ta\n8\tA\n",
    "dev_duplicates.tsv": "qid1\tqid2\n8\t7\n",
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    place = tmp_path / "mining"
    place.mkdir()
    for name, text in FILES.items():
        (place / name).write_text(text)
    return place


def test_texts_and_duplicates_of_a_side(folder: Path) -> None:
    assert detect(folder) == "duplicates"
    loaded = load(folder)
    assert (loaded.format, loaded.report.rows) == ("duplicates", 4)
    assert loaded.data == read_duplicates(folder).data
    assert read_duplicates(folder).data.texts == {"1": 'what is "x"?', "2": "what's \"x", "3": "b"}
    assert read_duplicates(folder).data.pairs == (("1", "2"),)
    dev = read_duplicates(folder, split="dev").data
    assert (dev.pairs, dev.name) == ((("8", "7"),), "mining dev")


@pytest.mark.parametrize(
    ("name", "text", "line"),
    [
        ("test_duplicates.tsv", "qid1\tqid2\n1\t2\n1\t9\n", 3),
        ("test_duplicates.tsv", "id1\tid2\n1\t2\n", 1),
        ("test_duplicates.tsv", "qid1\tqid2\n1\t2\n2\t1\n", None),
        ("test_duplicates.tsv", "qid1\tqid2\n1\t1\n", None),
        ("test_corpus.tsv", "qid\tquestion\n1\ta\n2\n", 3),
        ("test_corpus.tsv", "qid\tquestion\n1\ta\n1\tb\n", 3),
    ],
)
def test_broken_files_are_named(folder: Path, name: str, text: str, line: int | None) -> None:
    (folder / name).write_text(text)
    with pytest.raises(DataError) as error:
        load(folder)
    assert (error.value.path, error.value.line) == (folder / name, line)


def test_a_missing_side_and_other_kinds_of_data(folder: Path) -> None:
    with pytest.raises(DataError) as error:
        load(folder, reading=Reading(split="train"))
    assert error.value.path == folder / "train_corpus.tsv"
    with pytest.raises(DataError) as error:
        load_pairs(folder)
    assert error.value.path == folder
    with pytest.raises(UsageError) as usage:
        load_candidates(folder)
    assert (usage.value.params, usage.value.value) == (("format",), "duplicates")
    (folder / "test_corpus.tsv").unlink()
    (folder / "dev_corpus.tsv").unlink()
    with pytest.raises(DataError):
        detect(folder)
