"""Dev as an exam: the accuracy of choices selects the epoch."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import textkin as tk
from tests.making_choices import as_table
from tests.verbs.making import rows, write_recipe
from textkin.base.errors import DataError
from textkin.data.choice_records import ChoiceQuestion, ChoiceSet
from textkin.kinds.measuring import Options
from textkin.measures.intervals.sampling import Sampling
from textkin.verbs.evaluate.comparison import compared


def exam() -> ChoiceSet:
    """Questions that ask for the second text of a pair, among three others."""
    pairs = [(a, b) for a, b, label in rows() if int(label) and a != b][:24]
    questions = []
    for number, (a, b) in enumerate(pairs):
        others = [pairs[(number + step) % len(pairs)][1] for step in (3, 5, 7)]
        place = number % 4
        choices = [*others[:place], b, *others[place:]]
        questions.append(ChoiceQuestion(str(number), a, tuple(choices), place))
    return ChoiceSet(tuple(questions), "exam.tsv")


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    folder = tmp_path_factory.mktemp("exam")
    (folder / "exam.tsv").write_text(as_table(exam()))
    lines = ["a\tb\tlabel", *("\t".join(map(str, pair)) for pair in rows()[60:])]
    (folder / "train.tsv").write_text("\n".join(lines) + "\n")
    return folder / "train.tsv", folder / "exam.tsv"


@pytest.mark.torch
def test_the_accuracy_is_that_which_evaluate_gives(files: tuple[Path, Path], tmp_path: Path) -> None:
    recipe, (train, dev) = write_recipe(tmp_path), files
    run = tk.train(train, recipe, dev=dev, out=tmp_path / "run", device="cpu")
    assert run.measure == "accuracy"
    logged = [json.loads(line) for line in (tmp_path / "run/metrics.jsonl").read_text().splitlines()]
    assert run.dev == max(one["dev"] for one in logged) > 0.25
    assert list((tmp_path / "run/checkpoints").glob("epoch-*-acc-*"))
    options = Options(baselines=("first",), sampling=Sampling(20, 20))
    measured = compared(dev, models=[str(run.model)], options=options)
    found = next(row for row in measured.systems.rows if row.name == str(run.model))
    assert found.measures["accuracy"].value == pytest.approx(run.dev, abs=0.05)  # encoders add spellings
    # Records train the same run.
    pairs = tk.load_pairs(train).data
    again = tk.train(pairs, dev=exam(), recipe=recipe, out=tmp_path / "run")
    assert again == run


@pytest.mark.torch
def test_a_recipe_learns_from_exams(files: tuple[Path, Path], tmp_path: Path) -> None:
    run = tk.train(files[1], write_recipe(tmp_path), dev=files[1], out=tmp_path / "run", device="cpu")
    assert run.measure == "accuracy"
    assert any("flatters the model" in words for words in run.warnings)
    by_records = tk.train(exam(), dev=exam(), recipe=write_recipe(tmp_path), out=tmp_path / "other")
    assert by_records.evaluations[0].loss == pytest.approx(run.evaluations[0].loss, rel=1e-6)  # GPUs vary


def test_dev_questions_must_be_answered(files: tuple[Path, Path], tmp_path: Path) -> None:
    path = tmp_path / "open.tsv"
    path.write_text("id\tquestion\tanswerA\tanswerB\n1\tWhat?\tthis\tthat\n")
    with pytest.raises(DataError, match=r"open\.tsv doesn't tell the right choice of every question"):
        tk.train(files[0], write_recipe(tmp_path), dev=path, out=tmp_path / "run")
