import json

import pytest

from textkin.base.errors import DataError, UsageError
from textkin.data.readers.datasets.squad_parts import (
    PlacedQuestion,
    read_contexts,
    read_questions,
    split_squad,
)


def document():
    qas = [
        {
            "id": "q1",
            "question": "Who?",
            "answers": [{"text": "Emma", "answer_start": 0}],
            "is_impossible": False,
            "plausible_answers": [],
        },
        {"id": "q2", "question": "When?", "answers": []},
    ]
    return {
        "version": "1.1",
        "data": [
            {
                "title": "A/B",
                "paragraphs": [{"context": "Emma came.", "qas": qas}, {"context": "", "qas": []}],
            },
            {"title": "A/B", "paragraphs": []},
            {"title": "Ü", "paragraphs": [{"context": "Nobody.", "qas": [{"id": "q3", "question": "Who?"}]}]},
        ],
    }


@pytest.fixture
def parts(tmp_path):
    path = tmp_path / "data.json"
    path.write_text(json.dumps(document()))
    found = split_squad(path, tmp_path / "c.json", tmp_path / "q.json")
    assert (found.articles, found.paragraphs, found.asked) == (3, 3, 3)
    return tmp_path / "c.json", tmp_path / "q.json"


def test_either_part_has_nothing_of_the_other(parts):
    contexts, questions = (json.loads(path.read_text()) for path in parts)
    assert contexts["data"][0] == {"title": "A/B", "paragraphs": [{"context": "Emma came."}, {"context": ""}]}
    assert questions["data"][0]["paragraphs"] == [
        {"qas": [{"id": "q1", "question": "Who?"}, {"id": "q2", "question": "When?"}]},
        {"qas": []},
    ]
    assert contexts["version"] == questions["version"] == "1.1"


def test_the_parts_are_read(parts):
    contexts, questions = read_contexts(parts[0]), read_questions(parts[1])
    assert contexts.titles == questions.titles == ("A/B", "A/B", "Ü")
    assert contexts.paragraphs == (("Emma came.", ""), (), ("Nobody.",))
    assert questions.questions[2] == PlacedQuestion("q3", "Who?", 2, 0)


def test_a_part_with_the_other_side_in_it_is_refused(tmp_path, parts):
    with pytest.raises(DataError) as error:
        read_contexts(tmp_path / "data.json")
    assert str(error.value.path).endswith("data.json")
    assert read_contexts(tmp_path / "data.json", alone=False) == read_contexts(parts[0])
    with pytest.raises(DataError) as error:
        read_questions(tmp_path / "data.json")
    assert str(error.value.path).endswith("data.json")
    document = {
        "data": [{"title": "", "paragraphs": [{"qas": [{"id": "1", "question": "?", "answers": []}]}]}]
    }
    (tmp_path / "answers.json").write_text(json.dumps(document))
    with pytest.raises(DataError) as error:
        read_questions(tmp_path / "answers.json")
    assert str(error.value.path).endswith("answers.json")


def test_an_id_that_comes_twice(tmp_path):
    wrong = document()
    wrong["data"][2]["paragraphs"][0]["qas"][0]["id"] = "q1"
    (tmp_path / "wrong.json").write_text(json.dumps(wrong))
    with pytest.raises(DataError) as error:
        split_squad(tmp_path / "wrong.json", tmp_path / "c", tmp_path / "q")
    assert str(error.value.path).endswith("wrong.json")
    assert not (tmp_path / "c").exists()


def test_files_that_are_one(tmp_path):
    path = tmp_path / "data.json"
    path.write_text(json.dumps(document()))
    for places in [(path, "q.json"), ("c.json", path), ("c.json", "c.json")]:
        with pytest.raises(UsageError) as error:
            split_squad(path, tmp_path / places[0], tmp_path / places[1])
        assert error.value.params == ("contexts", "questions")
