"""textkin answer, of exams."""

from pathlib import Path

import pytest

from tests.cli.conftest import Textkin
from tests.making_choices import as_table, exam

FEW = ("--rounds", "99", "--resamples", "50")


def write(folder: Path, *, answered: bool = True) -> Path:
    path = folder / "exam.tsv"
    path.write_text(as_table(exam(12, answered=answered)))
    return path


def test_accuracy_stands_beside_baselines(textkin: Textkin, tmp_path: Path) -> None:
    out = tmp_path / "predictions.csv"
    arguments = (
        "answer",
        write(tmp_path),
        "--model",
        "longest",
        "--out",
        out,
        "--rounds",
        "99",
        "--resamples",
        "50",
    )
    shown = textkin(*arguments).out
    assert "longest" in shown and "popular" in shown and "accuracy" in shown
    assert f"12 answers: {out}" in shown
    assert out.read_text().splitlines()[0] == "0,A,10.0,10.0,10.0,10.0"
    told = textkin(*arguments, "--json").json
    assert len(told["choices"]) == 12
    assert told["measured"]["measure"] == "accuracy"


def test_the_form_of_the_challenge(textkin: Textkin, tmp_path: Path) -> None:
    out = tmp_path / "submission.csv"
    path = write(tmp_path, answered=False)
    shown = textkin("answer", path, "--model", "shortest", "--out", out, "--kaggle").out
    assert "12 of 12 questions have choices with equal scores" in shown
    assert out.read_text().startswith("id,correctAnswer\n0,A\n")
    assert textkin("answer", path, "--model", "shortest").out.startswith("0\tA\tchoice 0 0\n")


def test_evaluate_and_compare_know_exams(textkin: Textkin, tmp_path: Path) -> None:
    path = write(tmp_path)
    options = (*FEW, "--json")
    assert textkin("compare", path, "longest", *options).json["kind"] == "choices"
    assert textkin("compare", path, "longest", "tfidf", *options).json["measure"] == "accuracy"


@pytest.mark.slow
def test_wrong_arguments_take_one_line(textkin: Textkin, tmp_path: Path) -> None:
    path = write(tmp_path)
    broken = tmp_path / "broken.tsv"
    broken.write_text(path.read_text().replace("9\tWhich is 9?\t", "9\tWhich is 9?\tZ"))
    for arguments, code in (
        (("nothing-there", path), 5),
        (("first", path, "--kaggle"), 2),
        (("first", tmp_path / "none.tsv"), 3),
        (("first", path, "-k", 2), 2),
        (("first", "Who built it?"), 2),
        (("first", broken), 3),
        (("first", path, "--split", "val"), 2),
        (("choice-words", path), 3),
    ):
        failed = textkin("answer", *arguments[1:], "--model", arguments[0])
        assert (failed.code, failed.out) == (code, ""), failed.err
        assert failed.err.count("\n") == 1 and "Traceback" not in failed.err
    assert f"{broken}:11:" in textkin("answer", broken, "--model", "first").err
