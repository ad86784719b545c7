"""Passports made of folders, kept in them, and checked."""

import json
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import safetensors.numpy

import textkin as tk
from tests.models.interop import tiny_pairs
from textkin.base.errors import ModelError, UsageError, VerifyError
from textkin.base.hub import PHRASES, READER, located
from textkin.kinds.systems.passports import make_passport
from textkin.models.model_folder import load_model, save_model
from textkin.models.passports.making import read_passport
from textkin.models.provenance import hash_of_model
from textkin.verbs.deploy.export_model import export_model
from textkin.verbs.use.verified_model import verify_model

pytestmark = [pytest.mark.long, pytest.mark.torch]

BOX = located("default")
EXAMPLES = Path(__file__).parents[3] / "examples"


@pytest.fixture(scope="module")
def passport():
    return make_passport("default")


def copied(out: Path) -> Path:
    return Path(shutil.copytree(BOX, out))


def with_table(out: Path, change, *, name="embeddings") -> Path:
    """The built-in encoder with another table."""
    place = copied(out) / "model.safetensors"
    tensors = safetensors.numpy.load_file(place)
    key = name if name in tensors else next(iter(tensors))
    table = change(tensors[key].astype(np.float32))
    safetensors.numpy.save_file({**tensors, key: table}, place)
    if table.shape[1] < tensors[key].shape[1]:
        (out / "ngrams.safetensors").unlink()  # of the same width
    return out


def rounded(values: np.ndarray) -> np.ndarray:
    scale = np.abs(values).max(axis=1, keepdims=True) / 127
    return np.round(values / np.where(scale > 0, scale, 1)).astype(np.float32) * scale


def spoilt(path: Path, **changes) -> None:
    path.write_text(json.dumps(json.loads(path.read_text()) | changes))


def lower_cased(out: Path) -> Path:
    folder = copied(out)
    definition = json.loads((folder / "tokenizer.json").read_text())
    definition["normalizer"] = None
    (folder / "tokenizer.json").write_text(json.dumps(definition))
    return folder


TAMPERED = {
    "8 bits": lambda out: with_table(out, rounded),
    "a tenth of a percent of noise": lambda out: with_table(
        out, lambda one: one + 0.02 * one.std() * np.random.default_rng(0).normal(size=one.shape).astype("f4")
    ),
    "fewer dimensions": lambda out: with_table(out, lambda one: one[:, :64]),
    "rows moved by one": lambda out: with_table(out, lambda one: np.roll(one, 1, axis=0)),
    "no weights of words": lambda out: with_table(
        out, lambda one: one / np.maximum(np.linalg.norm(one, axis=1, keepdims=True), 1e-9)
    ),
    "no normaliser": lower_cased,
}
HONEST = {
    "copied": copied,
    "in bf16": lambda out: with_table(out, lambda one: (one.view("u4") & np.uint32(0xFFFF0000)).view("f4")),
    "in fp16": lambda out: with_table(out, lambda one: one.astype("f2")),
}


@pytest.mark.parametrize("name", TAMPERED)
def test_another_table_is_refused(name, passport, tmp_path):
    folder = TAMPERED[name](tmp_path / "made")
    with pytest.raises(VerifyError):
        verify_model(folder, expect=passport)
    assert not verify_model(folder, expect=passport, accept_drift=True).check.accepted


@pytest.mark.parametrize("name", HONEST)
def test_an_honest_table_is_accepted(name, passport, tmp_path):
    assert verify_model(HONEST[name](tmp_path / "made"), expect=passport).check.accepted


def test_an_export_has_a_passport_of_its_own_that_names_its_original(passport, tmp_path):
    made = export_model("default", out=tmp_path / "out", to="onnx", precision="int8")
    own = read_passport(tmp_path / "out")
    assert (own.export.original, own.export.original_sha256) == ("default", made.model_sha256)
    assert (own.export.precision, own.export.worst) == ("int8", made.parity.worst)
    assert own.rule == passport.rule and set(own.files) >= {"model.onnx", "tokenizer.json"}
    found = verify_model(tmp_path / "out", expect=own).check
    assert found.accepted and "of an export in int8 of default" in found.notes[-1]
    again = make_passport(tmp_path / "out", out=tmp_path / "again.json")
    assert again.to_dict() == own.to_dict()


@pytest.mark.parametrize("outputs", [1, 3])
def test_scorers_and_classifiers(outputs, tmp_path):
    folder = tiny_pairs.write_bare(tmp_path / "pairs", outputs=outputs)
    made = make_passport(folder, out=tmp_path / "p.json")
    assert made.gives == ("scores" if outputs == 1 else "classes")
    assert made.says["document"].shape == (64, outputs)
    exported = tmp_path / "out"
    export_model(folder, out=exported, to="onnx")
    assert verify_model(exported, expect=tmp_path / "p.json").check.accepted
    assert verify_model(save_model(load_model(folder), tmp_path / "saved"), expect=made).check.accepted
    model = load_model(folder)
    for weight in model.module.parameters():
        weight.data = weight.data * 1.1
    with pytest.raises(VerifyError):
        verify_model(save_model(model, tmp_path / "other"), expect=made)


def test_a_saved_model_leaves_its_threshold_to_the_manifest(tmp_path):
    folder = save_model(load_model(BOX), tmp_path / "model")
    before = hash_of_model(folder)
    make_passport(folder, out=folder)
    assert hash_of_model(folder) == before
    assert json.loads((folder / "passport.json").read_text())["decision"] == {"file": "textkin.json"}
    pairs = [("a cat", "the cat", 1), ("a dog", "an idea", 0), ("one two", "two one", 1), ("x", "y", 0)] * 20
    tk.calibrate(pairs, folder, out=tmp_path / "cut.json")
    with_cut = make_passport(folder, decision=tmp_path / "cut.json", out=tmp_path / "p.json")
    assert with_cut.decision.base_rate == 0.5
    assert read_passport(tmp_path / "p.json").decision == with_cut.decision
    tk.calibrate(pairs, model=folder)  # into the manifest, where the passport in the folder finds it
    assert read_passport(folder).decision.threshold.threshold.pairs == 80
    assert "value" not in (folder / "passport.json").read_text()
    save_model(load_model(BOX), folder)
    assert not (folder / "passport.json").exists()


@pytest.mark.parametrize(
    ("name", "other", "gives"), [(READER, PHRASES, "answers"), (PHRASES, READER, "phrases")]
)
def test_what_finds_answers_has_a_passport(name, other, gives, tmp_path):
    made = make_passport(name, out=tmp_path / "p.json")
    assert (made.gives, made.settings["arguments"]["most"]) == (gives, 30 if name == READER else 10)
    copy = shutil.copytree(located(name), tmp_path / "copy")
    with_torch = verify_model(copy, expect=tmp_path / "p.json").check
    assert with_torch.accepted and not with_torch.changed
    with pytest.raises(VerifyError, match=f"it gives {'phrases' if name == READER else 'answers'}"):
        verify_model(other, expect=tmp_path / "p.json")


def test_a_reader_of_other_weights_is_refused(tmp_path):
    model = load_model(located(READER))
    for weight in model.module.backbone.qa_outputs.parameters():
        weight.data = weight.data * 1.1
    with pytest.raises(VerifyError, match="largest"):
        verify_model(save_model(model, tmp_path / "other"), expect=make_passport(READER))


def test_what_can_have_no_passport(tmp_path):
    with pytest.raises(UsageError) as error:
        make_passport("tfidf")
    assert error.value.params == ("model",)
    with pytest.raises(ModelError, match="there is no model"):
        make_passport(tmp_path / "nothing")
    folder = copied(tmp_path / "model")
    with pytest.raises(UsageError) as error:
        make_passport(folder, out=folder / "config.json")
    assert error.value.params == ("out",)
    (folder / "passport.json").unlink()
    with pytest.raises(ModelError, match="there is no passport"):
        verify_model(folder, expect=folder)


def test_files_of_a_folder_by_the_programs_without_textkin(tmp_path):
    folder = copied(tmp_path / "model")
    make_passport(folder, out=folder)
    commands = [[sys.executable, str(EXAMPLES / "check_passport.py")]]
    if (node := shutil.which("node")) is not None:
        commands.append([node, str(EXAMPLES / "check_passport.mjs")])

    def said(command):
        arguments = [*command, str(folder / "passport.json"), "--folder", str(folder)]
        found = subprocess.run(arguments, capture_output=True, text=True, check=False)
        return found.returncode, found.stdout.splitlines()

    for command in commands:
        assert said(command) == (0, ["files: all the same", "accepted"])
    spoilt(folder / "config.json", normalize=False)
    (folder / "tokenizer.json").unlink()
    for command in commands:
        assert said(command) == (
            1,
            ["files: config.json differs; tokenizer.json is missing", "refused"],
        )
    for command in commands:
        assert subprocess.run([*command, str(folder / "x")], capture_output=True, check=False).returncode == 2


def test_a_passport_that_is_nowhere_is_no_model(tmp_path):
    with pytest.raises(UsageError) as error:
        tk.verify("default", expect=tmp_path / "nofile")
    assert error.value.params == ("expect",)
