"""Training on files of triplets, with a teacher's scores, and on a teacher's vectors."""

import json
from dataclasses import replace

import numpy as np
import pytest

from textkin.base.errors import DataError, TrainingError, UsageError
from textkin.cli import main
from textkin.data.pair_set_operations import content_hash
from textkin.data.records import CandidateSet, LabelKind, Pair, PairSet
from textkin.kinds.systems import load_encoder
from textkin.networks.recipes.recipe import Recipe
from textkin.verbs.train.material import Material, read_for, read_train, rows_of
from textkin.verbs.train.train_recipe import train

pytestmark = pytest.mark.torch

WORDS = ["red", "blue", "green", "old", "new", "small", "fast", "slow"]


def made(*objectives, dim=8, task="pairs"):
    return Recipe.from_dict(
        {
            "name": "taught",
            "task": task,
            "model": {"arguments": {"cell": "mean", "dim": dim}},
            "objectives": [{"batch_size": 8, **one} for one in objectives],
            "training": {"epochs": 1, "learning_rate": 0.01},
        }
    )


@pytest.fixture
def triplets(tmp_path):
    rows = [
        {
            "anchor": f"where is the {word} house",
            "positive": f"a {word} house stands here",
            "negative": f"the {WORDS[at - 1]} car",
            "margin": at / 2,
        }
        for at, word in enumerate(WORDS)
    ]
    path = tmp_path / "triplets.jsonl"
    path.write_text("\n".join(map(json.dumps, rows)) + "\n", encoding="utf-8")
    return path


def graded():
    pairs = tuple(Pair(f"a {word} car", f"the {WORDS[at % 3]} car", at / 7) for at, word in enumerate(WORDS))
    return PairSet(pairs, LabelKind.GRADED, name="cars")


HARD = {"loss": "multiple-negatives", "rows": "hard-negatives"}
MARGINS = {"loss": "margin-mean-square", "rows": "all-candidate-pairs", "score_scale": 4.0}


@pytest.mark.parametrize("task", ["pairs", "ranking"])
def test_any_recipe_learns_from_triplets(triplets, tmp_path, task):
    loaded = read_for(task, triplets)
    assert isinstance(loaded.data, CandidateSet)
    dev = graded() if task == "pairs" else loaded.data
    pairs = {"loss": "logistic", "rows": "pairs"}
    run = train(
        made(HARD, MARGINS, pairs, task=task), Material(loaded.data, dev), out=tmp_path / "run", device="cpu"
    )
    assert run.measure == ("MAP" if task == "ranking" else "Spearman")
    assert load_encoder(run.model).encode(["the red car"]).shape == (1, 8)


def test_a_teachers_scores_stay_on_its_scale(triplets):
    data = read_for("pairs", triplets).data
    rows = rows_of(data)
    right = np.flatnonzero(rows.same)
    margins = [float(rows.scores[at] - rows.scores[at ^ 1]) for at in right]
    assert margins == [at / 2 for at in range(8)]
    untaught = CandidateSet(tuple(replace(one, scores=()) for one in data), data.name)
    assert rows_of(untaught).scores is None
    assert content_hash(untaught) != content_hash(data)


def test_scores_must_be_there(triplets, tmp_path):
    data = read_for("pairs", triplets).data
    untaught = CandidateSet(tuple(replace(one, scores=()) for one in data), data.name)
    with pytest.raises(TrainingError):
        train(made(MARGINS), Material(untaught, graded()), out=tmp_path / "run", device="cpu")


DISTIL = {"loss": "distillation", "rows": "texts"}


def test_a_model_learns_the_vectors_of_another(triplets, tmp_path):
    data = read_for("pairs", triplets).data
    teacher = train(made(HARD), Material(data, graded()), out=tmp_path / "teacher", device="cpu").model
    material = Material(data, graded(), teacher=teacher)
    recipe = made(DISTIL)
    longer = recipe.training.model_copy(update={"epochs": 30, "learning_rate": 0.05})
    run = train(recipe.model_copy(update={"training": longer}), material, out=tmp_path / "run", device="cpu")
    assert run.evaluations[-1].loss < 0.2 * run.evaluations[0].loss
    texts = [one.query for one in data]
    cosines = (load_encoder(run.model).encode(texts) * load_encoder(teacher).encode(texts)).sum(axis=1)
    assert cosines.min() > 0.9
    with pytest.raises(UsageError) as error:
        train(
            recipe.model_copy(update={"training": longer}),
            replace(material, teacher=None),
            out=tmp_path / "run",
        )
    assert error.value.params == ("out",)
    with pytest.raises(TrainingError):
        train(recipe, replace(material, teacher=None), out=tmp_path / "none", device="cpu")


def test_plain_texts_are_learnt_from_alone_or_with_a_teacher(triplets, tmp_path):
    data = read_for("pairs", triplets).data
    teacher = train(made(HARD), Material(data, graded()), out=tmp_path / "teacher", device="cpu").model
    texts = list(dict.fromkeys(one.query for one in data))
    (tmp_path / "texts.txt").write_text("\n".join([*texts, "", texts[0]]) + "\n", encoding="utf-8")
    pairs = "\n".join(f"{pair.a}\t{pair.b}\t{pair.label > 0.5:d}" for pair in graded())
    (tmp_path / "dev.tsv").write_text(f"question1\tquestion2\tis_duplicate\n{pairs}\n", encoding="utf-8")
    unsupervised = {"loss": "multiple-negatives", "rows": "texts"}
    for objective, further in ((unsupervised, []), (DISTIL, ["--teacher", str(teacher)])):
        recipe, out = tmp_path / "recipe.toml", tmp_path / objective["loss"]
        recipe.write_text(made(objective).to_toml(), encoding="utf-8")
        arguments = ["--train", str(tmp_path / "texts.txt"), "--dev", str(tmp_path / "dev.tsv"), *further]
        assert main(["train", str(recipe), *arguments, "--out", str(out), "--device", "cpu"]) == 0
        assert load_encoder(out / "model").encode(texts).shape == (len(texts), 8)
    loaded = read_train(made(unsupervised), tmp_path / "texts.txt")
    assert [pair.a for pair in loaded.data] == [pair.b for pair in loaded.data] == [*texts, texts[0]]
    assert loaded.report.skipped == {"empty text": 1}
    # A table, and a recipe that also compares pairs, are read as usual.
    assert isinstance(read_train(made(unsupervised), triplets).data, CandidateSet)
    with pytest.raises(DataError):
        read_train(made(unsupervised, HARD), tmp_path / "texts.txt")
