"""Folders of BEIR."""

from pathlib import Path

import pytest

from tests.data.readers.making import write_beir as made_beir
from textkin.base.errors import DataError, UsageError
from textkin.data.readers import Reading, load
from textkin.data.readers.datasets.beir import read_beir, splits, write_beir
from textkin.data.records import RetrievalSet


def test_a_collection(tmp_path: Path) -> None:
    loaded = load(made_beir(tmp_path))
    assert isinstance(loaded.data, RetrievalSet)
    assert loaded.data.corpus == {"d1": "Sun It is hot.", "d2": ""}
    assert loaded.data.queries == {"q1": "hot?"}
    assert loaded.data.qrels.to_dict() == {"q1": {"d1": 2, "d2": 0, "d9": 1}}
    assert loaded.report.skipped == {"judgement of an unknown query": 1}
    with pytest.raises(UsageError) as error:
        load(tmp_path, reading=Reading(split="dev"))
    assert error.value.params == ("split",)


def test_a_blank_query_is_skipped_with_its_judgements(tmp_path: Path) -> None:
    made_beir(tmp_path)
    (tmp_path / "queries.jsonl").write_text('{"_id": "q1", "text": "hot?"}\n{"_id": "q2", "text": " "}\n')
    with (tmp_path / "qrels/test.tsv").open("a") as qrels:
        qrels.write("q2\td1\t1\n")
    found = load(tmp_path)
    assert found.data.queries == {"q1": "hot?"} and found.data.qrels.query_ids == ("q1",)
    assert found.report.skipped == {"empty text": 1, "judgement of an unknown query": 2}


def test_a_written_folder_is_read_as_it_was(tmp_path: Path) -> None:
    data = load(made_beir(tmp_path)).data
    assert isinstance(data, RetrievalSet)
    write_beir(data, tmp_path / "again", split="dev")
    again = read_beir(tmp_path / "again").data
    assert again.content() == data.content()
    assert splits(tmp_path / "again") == ("dev",)


@pytest.mark.parametrize(
    ("name", "extra", "line", "words"),
    [
        ("corpus.jsonl", '{"_id": "d1", "text": ""}\n', 3, 3),
        ("corpus.jsonl", "{broken\n", 3, 3),
        ("corpus.jsonl", '{"text": "x"}\n', 3, 3),
        ("qrels/test.tsv", "q1\td1\t1\n", 6, 6),
        ("qrels/test.tsv", "q1\td1\tx\n", 6, 6),
        ("qrels/test.tsv", "q1\td1\n", 6, 6),
    ],
)
def test_broken_files_name_file_and_line(
    tmp_path: Path, name: str, extra: str, line: int, words: str
) -> None:
    path = made_beir(tmp_path) / name
    path.write_text(path.read_text() + extra)
    with pytest.raises(DataError) as caught:
        load(tmp_path)
    assert caught.value.line == words
    assert str(caught.value).startswith(f"{path}:{line}: ")


@pytest.mark.parametrize("score", ["1" + 23 * "0", "-1" + 23 * "0", "1e23", "9" * 5_000])
def test_a_score_beyond_any_grade_is_refused(tmp_path: Path, score: str) -> None:
    folder = made_beir(tmp_path)
    with (folder / "qrels" / "test.tsv").open("a") as stream:
        stream.write(f"q1\td1\t{score}\n")
    with pytest.raises(DataError) as caught:
        load(folder)
    assert caught.value.line == 6
    assert len(str(caught.value)) < 300
