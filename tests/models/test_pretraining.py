"""Pretraining data: named where a model and a file's name meet, and carried on by training."""

from pathlib import Path

import pytest

from textkin.base.errors import ModelError
from textkin.base.files import write_json
from textkin.base.hub import located
from textkin.models.pretraining import named_in, pretraining_in_words, pretraining_of

READ = pretraining_of(located("minilm"))


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("quora/test_pairs.tsv", ["Quora's question pairs"]),
        ("data/snli_1.0/snli_test.jsonl", ["SNLI"]),
        ("multinli_dev_matched.jsonl", ["MultiNLI"]),
        ("squad/dev-v1.1.json", ["SQuAD"]),
        ("spans/squadshifts-amazon.json", []),
        ("mine/tickets.csv", []),
        ("quora/of/old/tickets.csv", []),
        ("qa-pairs/nq.tsv", ["Natural Questions"]),
    ],
)
def test_a_file_is_recognised_by_its_name_and_that_of_its_folder(path, expected):
    assert list(named_in(READ, Path(path))) == expected


def test_a_model_folder_says_it_by_its_provenance_and_others_by_their_name(tmp_path):
    assert pretraining_of(located("default")) == READ == pretraining_of(tmp_path / "all-MiniLM-L6-v2")
    assert pretraining_of(tmp_path / "other") == ()
    write_json(tmp_path / "textkin.json", {"provenance": {"pretrained_on": ["SNLI"]}})
    assert pretraining_of(tmp_path) == ("SNLI",)
    write_json(tmp_path / "textkin.json", {"provenance": {}})
    assert pretraining_of(tmp_path) == ()
    write_json(tmp_path / "textkin.json", {"provenance": {"pretrained_on": 3}})
    with pytest.raises(ModelError):
        pretraining_of(tmp_path)


def test_nothing_known_is_no_sentence():
    assert pretraining_in_words(()) == ""
    assert all(name in pretraining_in_words(READ) for name in READ)
