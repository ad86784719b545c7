"""textkin compare --predictions."""

import json
from pathlib import Path

import pytest

from tests.cli.conftest import Textkin


def write(folder: Path, name: str, value: object) -> Path:
    path = folder / name
    path.write_text(json.dumps(value))
    return path


def question(key: str, *answers: str) -> dict[str, object]:
    told = [{"text": answer, "answer_start": "Ada met Bob.".find(answer)} for answer in answers]
    return {"id": key, "question": "Who?", "answers": told, "is_impossible": not answers}


def data(folder: Path, name: str, *questions: dict[str, object]) -> Path:
    paragraphs = [{"context": "Ada met Bob.", "qas": [one]} for one in questions]
    return write(folder, name, {"version": "x", "data": [{"title": "A", "paragraphs": paragraphs}]})


@pytest.fixture
def first(tmp_path: Path) -> tuple[Path, str, Path]:
    gold = data(tmp_path, "first.json", question("1", "Ada"), question("2", "Bob"), question("3", "met Bob"))
    return gold, "--predictions", write(tmp_path, "p.json", {"1": "the ADA", "3": "Bob"})


@pytest.fixture
def second(tmp_path: Path) -> tuple[Path, Path, Path]:
    gold = data(tmp_path, "second.json", question("1", "Ada"), question("2"), question("3", "Bob"))
    predictions = write(tmp_path, "p.json", {"1": "Ada", "2": "Bob", "3": "Bob"})
    return gold, predictions, write(tmp_path, "na.json", {"1": 0.1, "2": 0.8, "3": 0.3})


def test_version_1(textkin: Textkin, first: tuple[Path, str, Path]) -> None:
    told = textkin("compare", *first, "--json")
    assert told.err.splitlines() == ["textkin: warning: 1 question (2) without prediction, counted as wrong"]
    found = told.json
    assert list(found)[:2] == ["exact_match", "f1"]
    assert (found["exact_match"], found["f1"]) == (100.0 / 3, 100.0 * (1 + 2 / 3) / 3)
    assert (found["version"], found["missing"], found["unknown"]) == ("1.1", ["2"], [])
    assert [one["name"] for one in found["figures"]] == ["exact_match", "f1"]
    shown = textkin("compare", *first).out
    assert [line.split()[1] for line in shown.splitlines()[2:4]] == ["33.33", "55.56"]
    assert shown.endswith("3 questions in 3 groups, by the rules of SQuAD 1.1\n")


def test_version_2(textkin: Textkin, second: tuple[Path, Path, Path], tmp_path: Path) -> None:
    gold, predictions, na = second
    found = textkin("compare", gold, "--predictions", predictions, "--json").json
    assert (found["total"], found["HasAns_exact"], found["NoAns_f1"]) == (3, 100.0, 0.0)
    assert "best_exact" not in found
    given = (gold, "--predictions", predictions, "--na-prob", na)
    found = textkin("compare", *given, "--na-threshold", 0.5, "--json").json
    assert (found["exact"], found["best_exact"], found["best_exact_thresh"]) == (100.0, 100.0, 0.3)
    dev = data(tmp_path, "dev.json", question("9", "Ada"), question("8"))
    answers = write(tmp_path, "dev-p.json", {"9": "Ada", "8": "Bob"})
    theirs = write(tmp_path, "dev-na.json", {"9": 0.2, "8": 0.25})
    shown = textkin("compare", *given, "--threshold-from", dev, answers, theirs).out
    rows = {line.split()[0]: line for line in shown.splitlines() if line.strip()}
    assert rows["best_f1"].rstrip().endswith("tuned on these labels")
    assert rows["dev_exact"].split()[1] == "66.67"
    assert rows["dev_exact_thresh"].split()[1:] == ["0.2", "chosen", "on", "dev.json"]


def test_question_by_question(textkin: Textkin, first: tuple[Path, str, Path]) -> None:
    lines = textkin("compare", *first, "--per-query", "--group-by", "article").out.splitlines()
    assert lines[0] == "figure\tquestion\tvalue"
    assert lines[1:4] == ["exact\t1\t1.0", "f1\t1\t1.0", "exact\t2\t0.0"]
    assert lines[-2] == "exact_match\tall\t33.333333333333336"
    told = textkin("compare", *first, "--per-query", "--json").json
    assert told["per_question"]["3"]["exact"] == 0.0


@pytest.mark.slow
def test_what_it_refuses(
    textkin: Textkin, first: tuple[Path, str, Path], second: tuple[Path, Path, Path]
) -> None:
    gold, predictions, na = second
    for arguments, code, words in (
        ([*first, "-m", "AP"], 2, "--measure doesn't apply to predictions"),
        ([gold, "default", "--na-prob", na], 2, "--na-prob needs --predictions"),
        ([*first, "--na-prob", na], 2, "--na-prob doesn't apply"),
        ([gold, "--predictions", predictions, "--na-threshold", "0.5"], 2, "needs --na-prob"),
        ([gold, "--predictions", gold], 3, "expected text, found"),
        ([predictions, "--predictions", predictions], 3, "data: expected a list, found nothing"),
        ([gold, "--predictions", predictions, "--na-prob", predictions], 3, "expected a finite number"),
        (
            [gold, "--predictions", predictions, "--na-prob", na, "--threshold-from", gold, predictions, na],
            3,
            "has 3 of the measured questions",
        ),
    ):
        found = textkin("compare", *arguments)
        assert found.code == code and words in found.error, arguments
