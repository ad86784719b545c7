"""Every bundled recipe for a model of two texts trains, and its model is unchanged after loading."""

from dataclasses import replace

import numpy as np
import pytest

from tests.models.interop.tiny import write_theirs
from textkin.base.errors import ConfigError, DataError, ModelError, TrainingError, UsageError
from textkin.data.protocols import Classifier, Encoder, Scorer
from textkin.data.records import Candidates, CandidateSet, LabelKind, Pair, PairSet
from textkin.kinds.systems import load, load_encoder
from textkin.models.inference.scorers import load_scorer
from textkin.networks.recipes.files import bundled_recipes
from textkin.networks.recipes.recipe import PRETRAINED, load_recipe
from textkin.verbs.train.material import Material
from textkin.verbs.train.train_recipe import train

pytestmark = pytest.mark.torch

# Those that start from a pretrained model are trained in tests/training/test_transfer.py.
RECIPES = {name: load_recipe(name) for name in bundled_recipes()}
ALONE = [name for name, recipe in RECIPES.items() if recipe.model.architecture not in PRETRAINED]
RANKING = [name for name in ALONE if RECIPES[name].task == "ranking"]
CLASSES = [name for name in ALONE if RECIPES[name].task == "classes"]
PAIRS = [name for name in ALONE if name.startswith("pairs-")]
WORDS = ["red", "blue", "green", "old", "new", "small", "fast", "slow"]


def small(name, **training):
    """The recipe with one epoch, and minimal sizes."""
    recipe = load_recipe(name)
    text = recipe.text.model_copy(update={"oov_buckets": 4 if recipe.text.oov == "hash" else 1})
    settings = recipe.training.model_copy(update={"epochs": 1, "least_steps": 0, **training})
    return recipe.model_copy(update={"text": text, "training": settings})


def questions(count=6):
    found = []
    for number in range(count):
        word, other = WORDS[number % 8], WORDS[(number + 1) % 8]
        docs = (f"the {other} car is here", f"a {word} house stands there", f"nothing {number}")
        found.append(Candidates(f"q{number}", f"where is the {word} house", ("a", "b", "c"), docs, (0, 1, 0)))
    return CandidateSet(tuple(found), name="houses")


def premises(classes=("yes", "no", "maybe")):
    pairs = tuple(
        Pair(f"a {word} car", f"the car is {WORDS[(at + shift) % 8]}", float(shift))
        for at, word in enumerate(WORDS)
        for shift in range(3)
    )
    return PairSet(pairs, LabelKind.CLASSES, classes, name="cars")


def graded(kind):
    highest = 1 if kind is LabelKind.BINARY else 5
    pairs = tuple(
        Pair(f"a {word} car", f"the car is {WORDS[(at + shift) % 8]}", float(highest * (1 - shift)))
        for at, word in enumerate(WORDS)
        for shift in range(2)
    )
    return PairSet(pairs, kind, name="cars")


@pytest.mark.parametrize("kind", [LabelKind.BINARY, LabelKind.GRADED])
@pytest.mark.parametrize("name", PAIRS)
def test_a_recipe_for_pairs_trains_on_yes_or_no_and_on_grades(name, kind, tmp_path):
    run = train(small(name), Material(graded(kind), graded(kind)), out=tmp_path, device="cpu")
    assert run.measure == ("AP" if kind is LabelKind.BINARY else "Spearman")
    scorer = load_scorer(run.model)
    assert isinstance(scorer, Scorer)
    assert not isinstance(scorer, Classifier | Encoder)
    scores = scorer.score(graded(kind).texts)
    assert np.isfinite(scores).all()
    assert len(np.unique(scores)) > 1


@pytest.mark.parametrize("name", RANKING)
def test_a_ranking_recipe_trains(name, tmp_path):
    run = train(small(name), Material(questions(), questions(4)), out=tmp_path, device="cpu")
    assert run.measure == "MAP"
    assert 0 < run.dev <= 1
    scorer = load_scorer(run.model)
    assert isinstance(scorer, Scorer)
    assert not isinstance(scorer, Classifier | Encoder)
    pairs = [(one.query, text) for one in questions(4) for text in one.docs]
    scores = scorer.score(pairs)
    assert np.isfinite(scores).all()
    assert len(np.unique(scores)) > 1
    np.testing.assert_allclose(scorer.score(pairs[::-1]), scores[::-1], atol=1e-5)


@pytest.mark.parametrize("name", CLASSES)
def test_a_recipe_for_classes_trains(name, tmp_path):
    run = train(small(name), Material(premises(), premises()), out=tmp_path, device="cpu")
    assert run.measure == "accuracy"
    classifier = load_scorer(run.model)
    assert isinstance(classifier, Classifier)
    assert classifier.labels == ("yes", "no", "maybe")
    shares = classifier.classify(premises().texts)
    assert shares.shape == (24, 3)
    np.testing.assert_allclose(shares.sum(axis=1), 1, atol=1e-5)
    assert (shares.argmax(axis=1) == premises().labels).mean() == pytest.approx(run.dev)
    with pytest.raises(UsageError) as error:
        classifier.score(premises().texts)
    assert error.value.params == ("model",)


def test_classes_of_dev_are_matched_by_name(tmp_path):
    turned = PairSet(
        tuple(replace(pair, label=2 - pair.label) for pair in premises()),
        LabelKind.CLASSES,
        ("MAYBE", "No", "yes"),
        name="turned",
    )
    recipe = small("classes-word-means", epochs=3)
    straight = train(recipe, Material(premises(), premises()), out=tmp_path / "a", device="cpu")
    other = train(recipe, Material(premises(), turned), out=tmp_path / "b", device="cpu")
    assert [one.dev for one in straight.evaluations] == [one.dev for one in other.evaluations]
    with pytest.raises(DataError, match="has the class 'perhaps', the model knows yes, no, maybe"):
        train(recipe, Material(premises(), premises(("yes", "no", "perhaps"))), out=tmp_path / "c")


def test_two_classes_give_a_similarity(tmp_path):
    data = PairSet(
        tuple(replace(pair, label=float(pair.label == 0)) for pair in premises()),
        LabelKind.BINARY,
        name="two",
    )
    run = train(small("classes-word-means"), Material(data, data), out=tmp_path, device="cpu")
    classifier = load_scorer(run.model)
    assert run.measure == "AP"
    assert classifier.labels == ("0", "1")
    shares = classifier.classify(data.texts)
    np.testing.assert_allclose(classifier.score(data.texts), np.log(shares[:, 1] / shares[:, 0]), atol=1e-4)


def test_training_goes_on_from_another_model(tmp_path):
    recipe = small("classes-word-means")
    first = train(recipe, Material(premises(), premises()), out=tmp_path / "first", device="cpu")
    still = recipe.model_copy(
        update={"training": recipe.training.model_copy(update={"learning_rate": 1e-12})}
    )
    same = train(
        still, Material(premises(), premises(), start=first.model), out=tmp_path / "same", device="cpu"
    )
    texts = premises().texts
    np.testing.assert_allclose(
        load_scorer(same.model).classify(texts), load_scorer(first.model).classify(texts), atol=1e-5
    )
    # Two classes instead of three: the last layer is new, everything else is kept.
    data = PairSet(
        tuple(replace(pair, label=float(pair.label == 0)) for pair in premises()),
        LabelKind.BINARY,
        name="two",
    )
    other = train(still, Material(data, data, start=first.model), out=tmp_path / "other", device="cpu")
    kept, changed = (load_scorer(one.model).loaded.module.state_dict() for one in (first, other))
    differing = [name for name in kept if kept[name].shape != changed[name].shape]
    assert len(differing) == 2  # weight and bias
    for name in kept.keys() - {*differing}:
        np.testing.assert_allclose(kept[name], changed[name], atol=1e-6)


def test_a_start_that_does_not_fit_is_an_error(tmp_path):
    first = train(
        small("classes-word-means"), Material(premises(), premises()), out=tmp_path / "first", device="cpu"
    )
    material = Material(premises(), premises(), start=first.model)
    with pytest.raises(ConfigError) as error:
        train(small("classes-esim"), material, out=tmp_path / "a")
    assert (error.value.params, error.value.value, error.value.expected) == (
        ("start",),
        "word-means",
        "esim",
    )
    with pytest.raises(UsageError) as error:
        train(small("classes-word-means"), replace(material, vectors=first.model), out=tmp_path / "b")
    assert error.value.params == ("vectors", "start")
    with pytest.raises(UsageError) as error:
        train(small("classes-word-means"), replace(material, start=tmp_path), out=tmp_path / "c")
    assert error.value.params == ("model",)


def test_data_that_do_not_fit_are_errors(tmp_path):
    with pytest.raises(TrainingError):
        train(small("ranking-knrm"), Material(premises(), premises()), out=tmp_path / "a")
    graded = PairSet(
        tuple(replace(pair, label=pair.label / 2) for pair in premises()), LabelKind.GRADED, name="grades"
    )
    with pytest.raises(ConfigError) as error:
        train(small("classes-esim"), Material(graded, graded), out=tmp_path / "b")
    assert (error.value.params, error.value.expected) == (("recipe",), "classes")
    unanswered = CandidateSet(tuple(replace(one, labels=(0, 0, 0)) for one in questions()), name="none")
    with pytest.raises(TrainingError):
        train(small("ranking-knrm"), Material(questions(), unanswered), out=tmp_path / "c")
    one_class = premises().select([0, 3, 6])
    with pytest.raises(TrainingError):
        train(small("classes-esim"), Material(premises(), one_class), out=tmp_path / "d")


def test_a_model_without_vectors_is_no_encoder(tmp_path):
    run = train(small("ranking-knrm"), Material(questions(), questions()), out=tmp_path, device="cpu")
    assert load(run.model).name == "ranking-knrm"
    with pytest.raises(ModelError, match="compares two texts and gives no vectors"):
        load_encoder(run.model)


@pytest.mark.parametrize("name", ["pairs-encoder", "quora-contrastive", "quora-mnrl", "quora-multitask"])
def test_a_recipe_for_pretrained_encoders_trains(name, tmp_path):
    start = write_theirs(tmp_path / "start")
    data = graded(LabelKind.BINARY)
    run = train(small(name), Material(data, data, start=start), out=tmp_path / "run", device="cpu")
    assert run.measure == "AP"
    found, before = (load_encoder(one).encode(["a red car", "the blue car"]) for one in (run.model, start))
    assert np.abs(found - before).max() > 1e-6
    with pytest.raises(ConfigError) as error:
        train(small(name), Material(data, data), out=tmp_path / "none", device="cpu")
    assert error.value.params == ("start",)
