import json

import pytest

from textkin.base.errors import DataError, UsageError
from textkin.data.readers import Reading, detect, load
from textkin.data.readers.datasets.movieqa import read_movieqa


def _item(qid, film, answers, right, question="Why?"):
    return {
        "qid": qid,
        "imdb_key": film,
        "question": question,
        "answers": answers,
        "correct_index": right,
        "video_clips": [],
    }


ITEMS = [
    _item("train:0", "tt1", ["a", "b", "c", "d", "e"], 2),
    _item("train:1", "tt1", ["a", "", None, "d", "e"], 4),
    _item("test:0", "tt2", ["a", "b"], None),
    _item("train:2", "tt3", [], 0),
]


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "qa.json").write_text(json.dumps(ITEMS))
    (tmp_path / "splits.json").write_text(json.dumps({"train": ["tt1", "tt3"], "val": [], "test": ["tt2"]}))
    return tmp_path


def test_answers_are_candidates(folder):
    assert detect(folder) == detect(folder / "qa.json") == "movieqa"
    loaded = load(folder)
    assert [(one.query_id, one.query, one.docs, one.doc_ids, one.labels) for one in loaded.data] == [
        ("train:0", "Why?", ("a", "b", "c", "d", "e"), ("0", "1", "2", "3", "4"), (0, 0, 1, 0, 0)),
        ("train:1", "Why?", ("a", "d", "e"), ("0", "3", "4"), (0, 0, 1)),
    ]
    assert loaded.report.sentence() == (
        "13 rows, 8 kept; skipped 5: 2 empty text (question 2), 2 answer to a question whose right one is "
        "not told (question 3), 1 question without candidates (question 4)"
    )
    assert load(folder / "qa.json").data == loaded.data


def test_splits_go_by_film(folder):
    assert len(load(folder, reading=Reading(split="train")).data) == 2
    loaded = load(folder / "qa.json", reading=Reading(split="test"))
    assert loaded.data.name == "qa.json test, questions with a right candidate"
    assert loaded.report.skipped["answer to a question of another split"] == 10
    with pytest.raises(UsageError) as error:
        load(folder, reading=Reading(split="dev"))
    assert error.value.params == ("split",)
    (folder / "splits.json").unlink()
    with pytest.raises(DataError) as error:
        load(folder, reading=Reading(split="train"))
    assert str(error.value.path).endswith("test_splits_go_by_film0")


@pytest.mark.parametrize(
    ("items", "words"),
    [
        ([_item("a", "tt1", ["x"], 1)], r"\[0\]: correct_index 1, expected 0 to 0"),
        ([_item("a", "tt1", ["x"], "0")], r"\[0\].correct_index: expected a whole number"),
        ([_item("a", "tt1", ["x", 7], 0)], r"\[0\].answers\[1\]: expected text, found 7"),
        ([_item(q, "tt1", ["x"], 0) for q in "aba"], "question 3: question 'a' comes back"),
        ([{"imdb_key": "a"}], r"\[0\].answers: expected a list, found nothing"),
        ({"a": 1}, "expected a list"),
    ],
)
def test_broken_files(tmp_path, items, words):
    path = tmp_path / "qa.json"
    path.write_text(json.dumps(items))
    with pytest.raises(DataError, match=words):
        read_movieqa(path)
