import json
import sys
from dataclasses import replace

import numpy as np
import pytest
import torch

from tests.training.making import IN_BATCH, LOGISTIC, pairs, recipe
from textkin.base import files, locks
from textkin.base.errors import MissingExtraError, OutputError, TrainingError, UsageError
from textkin.data.pair_set_operations import join
from textkin.data.records import LabelKind, Pair, PairSet
from textkin.data.splits.label_grades import GradeScale
from textkin.models.inference.scorers import load_scorer
from textkin.verbs.train import train_recipe as module
from textkin.verbs.train.material import Material
from textkin.verbs.train.train_recipe import train
from textkin.verbs.train.training_data import PairLessons, lessons_of
from textkin.verbs.use.verified_model import verify_model

pytestmark = pytest.mark.torch

RECIPE = recipe(LOGISTIC, IN_BATCH, epochs=2)
MATERIAL = Material(train=pairs(), dev=pairs(12, 40))


def test_a_run_leaves_all_that_it_was(tmp_path):
    run = train(RECIPE, MATERIAL, out=tmp_path / "run", seed=3, device="cpu")
    assert sorted(item.name for item in (tmp_path / "run").iterdir()) == [
        "checkpoints",
        "metrics.jsonl",
        "model",
        "recipe.toml",
        "result.json",
        "run.json",
    ]
    assert (run.name, run.seed, run.measure, len(run.evaluations)) == ("small", 3, "AP", 2)
    assert run.dev == max(epoch.dev for epoch in run.evaluations) == run.evaluations[run.best - 1].dev
    assert verify_model(run.model, expect=run.model).check.accepted
    encoder = load_scorer(run.model)
    assert encoder.model.provenance["dev"] == {"AP": run.dev}
    assert encoder.model.provenance["recipe"] == RECIPE.to_dict()
    from textkin.kinds.pair_figures import main_figure, test_set

    # Dev is measured with the network's output; an encoder adds vectors of unknown words to that.
    sides = (encoder.network_vectors(list(side)) for side in zip(*MATERIAL.dev.texts, strict=True))
    scores = np.vecdot(*sides).astype(np.float64)
    assert main_figure(test_set(MATERIAL.dev), scores) == pytest.approx(run.dev, abs=1e-9)


def test_texts_that_dev_shares_are_told_and_recorded(tmp_path, capsys):
    leaky = replace(MATERIAL, dev=PairSet((*MATERIAL.dev.pairs, MATERIAL.train.pairs[0]), LabelKind.BINARY))
    run = train(RECIPE, leaky, out=tmp_path, device="cpu")
    (warning,) = run.warnings
    assert "2 texts of dev are in sample questions too, so the score flatters the model" in warning
    assert f"textkin: warning: {warning}" in capsys.readouterr().err
    assert train(RECIPE, leaky, out=tmp_path, device="cpu") == run
    assert train(RECIPE, MATERIAL, out=tmp_path / "clean", device="cpu").warnings == ()


def test_the_scale_of_grades_is_told_and_recorded(tmp_path, capsys):
    grades = {0.0: 1.0, 1.0: 4.0}
    graded = [
        PairSet(
            tuple(replace(pair, label=grades[pair.label]) for pair in data), LabelKind.GRADED, name="marks"
        )
        for data in (pairs(), pairs(12, 40))
    ]
    run = train(RECIPE, Material(*graded), out=tmp_path, device="cpu")
    assert run.scale == GradeScale(1, 4)
    assert "on the scale 1 to 4" in capsys.readouterr().err
    assert train(RECIPE, Material(*graded), out=tmp_path, device="cpu") == run


def test_a_teacher_encodes_nothing_for_what_cant_be_trained(tmp_path, monkeypatch):
    def refuse(self, module):
        raise UsageError("not here")

    monkeypatch.setattr("textkin.training.device.Device.require", refuse)
    monkeypatch.setattr(PairLessons, "objectives", None)  # for which the teacher encodes all texts
    with pytest.raises(UsageError, match="not here"):
        train(RECIPE, MATERIAL, out=tmp_path, device="cpu")
    assert list(tmp_path.iterdir()) == []


def test_a_finished_run_is_returned_not_trained_again(tmp_path, monkeypatch):
    run = train(RECIPE, MATERIAL, out=tmp_path, device="cpu")
    monkeypatch.setattr(module, "_fit", None)
    assert train(RECIPE, MATERIAL, out=tmp_path, device="cpu") == run
    (tmp_path / "result.json").write_text('{"epochs": []}')
    with pytest.raises(UsageError) as error:
        train(RECIPE, MATERIAL, out=tmp_path)
    assert error.value.params == ("out",)


def test_the_words_of_a_list_are_the_models(tmp_path):
    words = sorted({word for pair in pairs().texts for word in pair[0].lower().split() if word.isalpha()})
    (tmp_path / "words.txt").write_text("\n".join(words))
    listed = replace(MATERIAL, vocabulary=tmp_path / "words.txt")
    run = train(recipe(LOGISTIC, epochs=1), listed, out=tmp_path / "run", device="cpu")
    assert (run.model / "vocabulary.txt").read_text().split() == words
    (tmp_path / "words.txt").write_text("\n".join(words) + "\n")  # the same words
    assert train(recipe(LOGISTIC, epochs=1), listed, out=tmp_path / "run", device="cpu") == run
    with pytest.raises(UsageError) as error:
        train(
            recipe(LOGISTIC, epochs=1), replace(listed, start=run.model), out=tmp_path / "more", device="cpu"
        )
    assert error.value.params == ("vocabulary", "start")


def test_what_is_kept_says_its_step_if_epochs_have_several_evaluations(tmp_path):
    run = train(recipe(LOGISTIC, epochs=2, evaluate_every=2), MATERIAL, out=tmp_path / "run", device="cpu")
    assert [(one.epoch, one.steps) for one in run.evaluations] == [
        (1, 2),
        (1, 4),
        (1, 5),
        (2, 7),
        (2, 9),
        (2, 10),
    ]
    best = max(run.evaluations, key=lambda one: (one.dev, -one.steps))
    assert run.evaluations[run.best - 1] == best
    assert run.kept == f"epoch {best.epoch}, step {best.steps}" and run.kept in str(run)
    assert run.rows()[0]["step"] == 2
    assert train(RECIPE, MATERIAL, out=tmp_path / "plain", device="cpu").kept in ("epoch 1", "epoch 2")


def test_a_run_that_did_not_keep_every_model_is_not_taken_for_one_that_did(tmp_path):
    every = recipe(LOGISTIC, epochs=2, evaluate_every=3)
    options = {"out": tmp_path / "best", "device": "cpu"}
    run = train(every, MATERIAL, **options)
    with pytest.raises(UsageError) as error:
        train(every, MATERIAL, watch=module.Watch("all"), **options)
    assert (error.value.params, error.value.value) == (("keep_checkpoints",), "all")
    assert "did not keep the model of epoch 1, step 3" in error.value.message
    assert train(every, MATERIAL, **options) == run
    options["out"] = tmp_path / "all"
    kept = train(every, MATERIAL, watch=module.Watch("all"), **options)
    assert [folder.name for folder in kept.epochs] == ["1-step-3", "1", "2-step-8", "2"]
    assert train(every, MATERIAL, watch=module.Watch("all"), **options) == kept


def test_what_cant_be_computed_is_said_before_the_folder_is_taken(tmp_path, monkeypatch):
    def fail(self, *inputs):
        raise RuntimeError("could not create a primitive descriptor\nfor the LSTM")

    half = recipe(LOGISTIC, model={"cell": "lstm"}, precision="bf16", epochs=1)
    with monkeypatch.context() as patch:
        patch.setattr(torch.nn.LSTM, "forward", fail)
        with pytest.raises(UsageError) as error:
            train(half, MATERIAL, out=tmp_path, device="cpu")
        assert error.value.value == "bf16"
    assert list(tmp_path.iterdir()) == []
    # The recipe is mended, and the folder can be used.
    train(recipe(LOGISTIC, model={"cell": "lstm"}, epochs=1), MATERIAL, out=tmp_path, device="cpu")


@pytest.fixture
def claimed(tmp_path, monkeypatch):
    def claim(recipe, material, out, *, identity, **options):
        module.claim(out, identity, recipe)

    monkeypatch.setattr(module, "_fit", claim)
    (tmp_path / "words.txt").write_text("a 1 2\n")
    train(RECIPE, MATERIAL, out=tmp_path / "run", seed=3)
    return tmp_path / "run"


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"seed": 4}, "other seed"),
        ({"recipe": recipe(LOGISTIC, epochs=9)}, r"other recipe\.objectives, recipe\.training"),
        ({"train": pairs(23)}, "other training pairs"),
        ({"dev": pairs(11, 40), "seed": 1}, "other seed, dev pairs"),
        ({"more": (pairs(5, 80),)}, "other further pairs"),
        ({"vectors": "words.txt"}, "other word vectors"),
        ({"vocabulary": "words.txt"}, "other vocabulary"),
    ],
)
def test_another_run_is_refused_by_what_differs(changes, words, claimed):
    made, seed = changes.pop("recipe", RECIPE), changes.pop("seed", 3)
    if "vocabulary" in changes:
        changes = {"vocabulary": claimed.parent / "words.txt"}
    if "vectors" in changes:
        changes["vectors"] = claimed.parent / changes["vectors"]
    with pytest.raises(UsageError) as error:
        train(made, replace(MATERIAL, **changes), out=claimed, seed=seed)
    assert error.value.params == ("out",)
    train(RECIPE, MATERIAL, out=claimed, seed=3)


def test_other_names_of_classes_are_another_run(claimed):
    def named(*classes):
        sides = (replace(data, kind=LabelKind.CLASSES, classes=classes) for data in (pairs(), pairs(12, 40)))
        return Material(*sides)

    out = claimed.parent / "classes"
    train(RECIPE, named("neutral", "same"), out=out)
    with pytest.raises(UsageError) as error:
        train(RECIPE, named("other", "same"), out=out)
    assert (error.value.params, error.value.message) == (
        ("out",),
        f"{out} holds another run, with other names of classes",
    )
    train(RECIPE, named("neutral", "same"), out=out)
    assert json.loads((out / "run.json").read_text())["classes"] == [["neutral", "same"]] * 2
    assert "classes" not in json.loads((claimed / "run.json").read_text())


@pytest.mark.parametrize("content", [b"", b"{", b"[]", b"{}", b"\xff", b'{"recipe": 3}'])
def test_a_broken_run_file_is_named(content, claimed):
    (claimed / "run.json").write_bytes(content)
    with pytest.raises(UsageError) as error:
        train(RECIPE, MATERIAL, out=claimed, seed=3)
    assert error.value.params == ("out",)


@pytest.mark.parametrize("name", ["result.json", "checkpoints"])
def test_results_of_nobody_knows_what_are_refused(name, claimed):
    (claimed / "run.json").unlink()
    (claimed / name).mkdir()
    with pytest.raises(UsageError) as error:
        train(RECIPE, MATERIAL, out=claimed, seed=3)
    assert error.value.params == ("out",)


def test_a_folder_that_another_process_writes_to_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(locks, "PATIENCE", 0)
    with files.sole_writer(tmp_path), pytest.raises(OutputError):
        train(RECIPE, MATERIAL, out=tmp_path, device="cpu")


def test_a_folder_that_is_a_file(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(OutputError):
        train(RECIPE, MATERIAL, out=tmp_path / "file")


def test_a_full_disk_is_an_output_error(tmp_path, monkeypatch):
    def full(handle):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.fsync", full)
    with pytest.raises(OutputError):
        train(RECIPE, MATERIAL, out=tmp_path, device="cpu")
    assert list(tmp_path.iterdir()) == []


def test_missing_vectors_are_named(tmp_path):
    with pytest.raises(UsageError) as error:
        train(RECIPE, replace(MATERIAL, vectors=tmp_path / "none.txt"), out=tmp_path / "run")
    assert error.value.params == ("vectors",)
    assert not (tmp_path / "run").exists()


def test_further_pairs_serve_the_positives_only():
    more = PairSet((Pair("x", "y", 1.0), Pair("x", "z", 0.0), Pair("u", "v")), LabelKind.BINARY)
    both = join(MATERIAL.train, [more])
    assert both.pairs[: len(MATERIAL.train)] == MATERIAL.train.pairs
    assert both.pairs[len(MATERIAL.train) :] == (Pair("x", "y"), Pair("u", "v"))
    from textkin.training.assemble import assemble

    texts = [text for pair in both.texts for text in pair]
    lessons = lessons_of(RECIPE, replace(MATERIAL, more=(more,)))
    labelled, positives = lessons.objectives(assemble(RECIPE, texts, seed=0), seed=0)
    assert len(labelled.rows) == len(MATERIAL.train) == 71
    assert len(positives.rows) == 48 + 2
    taken = {positives.data.texts[text] for text in positives.data.a[positives.rows]}
    assert {"x", "u"} <= taken
    assert "x" not in labelled.data.texts


def test_dev_with_one_kind_of_labels_cannot_choose(tmp_path):
    dev = MATERIAL.dev.select(range(3), name="my dev")
    with pytest.raises(TrainingError):
        train(RECIPE, replace(MATERIAL, dev=dev), out=tmp_path, device="cpu")


def test_nothing_to_train_on(tmp_path):
    with pytest.raises(TrainingError):
        train(RECIPE, replace(MATERIAL, train=pairs().select([])), out=tmp_path, device="cpu")


def test_a_missing_tensorboard_is_said_before_training(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "tensorboard", None)
    with pytest.raises(MissingExtraError):
        train(RECIPE, MATERIAL, out=tmp_path / "run", tensorboard=True)
    assert not (tmp_path / "run").exists()


def test_a_static_encoder_starts_from_the_box(tmp_path):
    from textkin.base.hub import DEFAULT, located
    from textkin.kinds.systems import load_encoder
    from textkin.models.provenance import hash_of_model
    from textkin.networks.recipes.recipe import load_recipe

    # Word vectors that a study has for other recipes are left aside.
    run = train(
        load_recipe("static"),
        replace(MATERIAL, vectors=tmp_path / "none"),
        out=tmp_path / "run",
        device="cpu",
    )
    identity = json.loads((run.folder / "run.json").read_text())
    assert identity["start_sha256"] == hash_of_model(located(DEFAULT)) and identity["vectors_sha256"] is None
    texts = ["reset my password", "a loan that is late"]
    trained, box = load_scorer(run.model).encode(texts), load_encoder().encode(texts)
    assert trained.shape == box.shape
    cosines = np.vecdot(trained, box)
    assert cosines.min() > 0.5 and cosines.max() < 0.9999


def test_two_runs_agree(tmp_path):
    first, second = (train(RECIPE, MATERIAL, out=tmp_path / name, device="cpu") for name in "ab")
    assert [(epoch.loss, epoch.dev) for epoch in first.evaluations] == [
        (epoch.loss, epoch.dev) for epoch in second.evaluations
    ]
    files = [json.loads((run.model / "textkin.json").read_text())["files"] for run in (first, second)]
    assert files[0] == files[1]


def test_a_precision_is_tried_out_without_vocabulary_or_weights(monkeypatch):
    def fail(self, *inputs):
        raise RuntimeError("no such primitive")

    half = recipe(LOGISTIC, model={"cell": "lstm"}, precision="bf16", epochs=1)
    monkeypatch.setattr("textkin.training.assemble.fit_pipeline", None)
    gru = recipe(LOGISTIC, model={"cell": "gru"}, precision="bf16", epochs=1)  # any processor computes it
    module.require_precision(gru, MATERIAL, device="cpu")
    monkeypatch.setattr(torch.nn.LSTM, "forward", fail)
    with pytest.raises(UsageError) as error:
        module.require_precision(half, MATERIAL, device="cpu")
    assert error.value.value == "bf16"
    module.require_precision(recipe(LOGISTIC, precision="bf16"), MATERIAL, device="cpu")
