import gzip
import json
import pickle
from pathlib import Path

import pytest

from textkin.base.errors import DataError, UsageError
from textkin.data.readers import Reading, detect, load
from textkin.data.readers.datasets.insuranceqa import read_insuranceqa

VOCABULARY = {1: "what", 2: "is", 3: "life", 4: "insurance"}
ANSWERS = {1: [3], 2: [3, 4], 3: [4, 3], 10: [2]}
TRAIN = [([1, 2], [2]), ([3], [1, 3])]
POOLS = [([1, 2, 4], [10, 2], [3, 2, 1]), ([4], [1], [3])]


def _tokens(numbers) -> str:
    return " ".join(f"idx_{number}" for number in numbers)


def _numbers(numbers) -> str:
    return " ".join(map(str, numbers))


def _text_files(folder: Path) -> Path:
    files = {
        "vocabulary": [f"idx_{number}\t{word}" for number, word in VOCABULARY.items()],
        "answers.label.token_idx": [f"{number}\t{_tokens(words)}" for number, words in ANSWERS.items()],
        "question.train.token_idx.label": [f"{_tokens(words)}\t{_numbers(good)}" for words, good in TRAIN],
        "question.dev.label.token_idx.pool": [
            f"{_numbers(good)}\t{_tokens(words)}\t{_numbers(pool)}" for words, good, pool in POOLS
        ],
    }
    for name, lines in files.items():
        (folder / name).write_text("\n".join(lines) + "\n")
    return folder


def _objects(folder: Path) -> Path:
    objects = {
        "vocabulary": VOCABULARY,
        "answers": ANSWERS,
        "train": [{"question": words, "answers": good} for words, good in TRAIN],
        "dev": [{"question": words, "good": good, "bad": pool} for words, good, pool in POOLS],
    }
    for name, value in objects.items():
        (folder / f"{name}.json").write_text(json.dumps(value))
    return folder


@pytest.mark.parametrize("make", [_text_files, _objects])
def test_pools_in_both_layouts(tmp_path, make):
    folder = make(tmp_path)
    assert detect(folder) == "insuranceqa"
    data = load(folder, reading=Reading(split="dev")).data
    assert [(one.query_id, one.query) for one in data] == [("1", "what is insurance"), ("2", "insurance")]
    first, second = data
    assert first.doc_ids == ("1", "2", "3", "10"), "in the order of the numbers, and each once"
    assert first.docs == ("life", "life insurance", "insurance life", "is")
    assert first.labels == (0, 1, 0, 1)
    assert (second.doc_ids, second.labels) == (("1", "3"), (1, 0))


def test_wrong_answers_are_drawn_for_train(tmp_path):
    folder = _text_files(tmp_path)
    loaded = read_insuranceqa(folder, split="train", negatives=1)
    assert "train, 1 drawn wrong answers each" in loaded.data.name
    assert [sum(one.labels) for one in loaded.data] == [1, 2]
    assert [len(one.docs) for one in loaded.data] == [2, 3]
    assert read_insuranceqa(folder, split="train", negatives=1).data == loaded.data
    drawn = {
        read_insuranceqa(folder, split="train", negatives=1, seed=seed).data.queries[0].doc_ids
        for seed in range(20)
    }
    assert drawn == {("1", "2"), ("2", "3"), ("2", "10")}
    everything = read_insuranceqa(folder, split="train").data
    assert [one.doc_ids for one in everything] == [("1", "2", "3", "10")] * 2
    positives = read_insuranceqa(folder, split="train", negatives=0).data
    assert [one.labels for one in positives] == [(1,), (1, 1)]


def test_packed_files_and_skips(tmp_path):
    folder = _text_files(tmp_path)
    pool = folder / "question.dev.label.token_idx.pool"
    pool.with_name(pool.name + ".gz").write_bytes(gzip.compress(pool.read_bytes() + b"\tidx_1\t\n1\t\t2\n"))
    pool.unlink()
    (folder / "answers.label.token_idx").write_text("1\t\n2\tidx_3\n3\tidx_4\n10\tidx_2\n")
    loaded = read_insuranceqa(folder, split="dev")
    assert loaded.report.skipped == {"empty text": 4, "question without candidates": 1}
    assert loaded.report.examples[1].line == 2


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        ("question.dev.label.token_idx.pool", "2\tidx_1\n", 1),
        ("question.dev.label.token_idx.pool", "2\tidx_1\t99\n", 1),
        ("question.dev.label.token_idx.pool", "2\tidx_1\tx\n", 1),
        ("question.dev.label.token_idx.pool", "2\tidx_77\t1\n", 1),
        ("answers.label.token_idx", "1\tidx_1\n2\tidx_99\n", 2),
        ("answers.label.token_idx", "one\tidx_1\n", 1),
        ("vocabulary", "idx_1 what\n", 1),
        ("vocabulary", "idx_1\twhat\nidx_2\tis\nidx_1\twhich\n", 3),
        ("answers.label.token_idx", "1\tidx_1\n2\tidx_2\n1\tidx_2\n", 3),
        ("answers.label.token_idx", "1\tidx_1\n01\tidx_2\n", 2),
        ("answers.label.token_idx", "1\tidx_1\n2 1\tidx_2\n", 2),
    ],
)
def test_broken_text_files_name_the_line(tmp_path, name, content, words):
    folder = _text_files(tmp_path)
    (folder / name).write_text(content)
    with pytest.raises(DataError) as error:
        read_insuranceqa(folder, split="dev")
    assert error.value.line == words


@pytest.mark.parametrize(
    ("name", "value", "words"),
    [
        ("dev", [{"question": [99], "good": [1], "bad": []}], "the word 99 is not in the vocabulary"),
        ("dev", [{"question": [1], "good": [1], "bad": [98]}], "question 1: there is no answer 98"),
        ("dev", [{"question": [1], "good": ["1"], "bad": []}], r"\[0\].good: expected whole numbers"),
        ("dev", {}, "expected a list"),
        ("answers", {"x": [1]}, "the key 'x' is not a number"),
        ("vocabulary", {"1": 5}, "expected text, found 5"),
        ("answers", {"1": [1], "01": [2]}, r"\['01'\]: 1 comes twice"),
    ],
)
def test_broken_objects_name_the_place(tmp_path, name, value, words):
    folder = _objects(tmp_path)
    (folder / f"{name}.json").write_text(json.dumps(value))
    with pytest.raises(DataError, match=words):
        read_insuranceqa(folder, split="dev")


@pytest.mark.parametrize(
    ("name", "content"),
    [("vocabulary", '{"1": "what", "2": "is", "1": "which"}'), ("answers", '{"1": [1], "1": [2]}')],
)
def test_a_key_of_the_objects_that_comes_twice_is_refused(tmp_path, name, content):
    folder = _objects(tmp_path)
    (folder / f"{name}.json").write_text(content)
    with pytest.raises(DataError) as error:
        read_insuranceqa(folder, split="dev")
    assert str(error.value.path).endswith(f"{name}.json")


def test_a_text_may_come_twice_unchanged(tmp_path):
    folder = _text_files(tmp_path)
    expected = read_insuranceqa(folder, split="dev").data
    for name, again in (("vocabulary", "idx_1\twhat\n"), ("answers.label.token_idx", "01\tidx_3\n")):
        with (folder / name).open("a") as file:
            file.write(again)
    assert read_insuranceqa(folder, split="dev").data == expected


def test_pickles_are_named_and_not_loaded(tmp_path):
    for name, value in (("vocabulary", VOCABULARY), ("answers", ANSWERS), ("train", []), ("dev", [])):
        (tmp_path / name).write_bytes(pickle.dumps(value))
    assert detect(tmp_path) == "insuranceqa"
    with pytest.raises(DataError) as error:
        load(tmp_path, reading=Reading(split="dev"))
    assert str(error.value.path).endswith("answers")


def test_arguments(tmp_path):
    folder = _text_files(tmp_path)
    for options, words in (
        ({}, ("split",)),
        ({"split": "test"}, ("split",)),
        ({"split": "train", "negatives": -1}, ("negatives",)),
    ):
        with pytest.raises(UsageError) as error:
            read_insuranceqa(folder, **options)
        assert error.value.params == words
    with pytest.raises(DataError) as error:
        read_insuranceqa(folder, split="test1")
    assert str(error.value.path).endswith("test_arguments0")
    with pytest.raises(DataError) as error:
        read_insuranceqa(folder / "vocabulary", split="dev")
    assert str(error.value.path).endswith("vocabulary")


LONG = "7" * 5_000


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        ("question.dev.label.token_idx.pool", f"{LONG}\tidx_1\t1\n", 1),
        (
            "question.dev.label.token_idx.pool",
            f"1\tidx_{LONG}\t1\n",
            1,
        ),
        ("answers.label.token_idx", f"{LONG}\tidx_1\n", 1),
    ],
)
def test_a_number_of_5000_digits_is_refused(tmp_path, name, content, words):
    folder = _text_files(tmp_path)
    (folder / name).write_text(content)
    with pytest.raises(DataError) as caught:
        read_insuranceqa(folder, split="dev")
    assert caught.value.line == words
    assert len(str(caught.value)) < 300


@pytest.mark.parametrize(
    ("digits", "words"),
    [(5_000, "holds a whole number of more than 4,300 digits"), (4_000, "there is no answer 7777")],
)
def test_a_number_of_5000_digits_in_the_objects_is_refused(tmp_path, digits, words):
    folder = _objects(tmp_path)
    (folder / "dev.json").write_text(f'[{{"question": [1], "good": [{"7" * digits}], "bad": [1]}}]')
    with pytest.raises(DataError, match=words) as caught:
        read_insuranceqa(folder, split="dev")
    assert len(str(caught.value)) < 300
    (folder / "dev.json").write_text(f'[{{"question": [{"7" * digits}], "good": [1], "bad": [1]}}]')
    with pytest.raises(DataError) as caught:
        read_insuranceqa(folder, split="dev")
    assert str(caught.value.path).endswith("dev.json")
    assert len(str(caught.value)) < 300
