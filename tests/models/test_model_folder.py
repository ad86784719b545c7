import json
import os
import pickle
import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch

from textkin.base.errors import ModelError, OutputError, UsageError
from textkin.base.files import sha256_of_file
from textkin.measures.decisions.calibration import fit_calibration
from textkin.measures.decisions.fit_threshold import fit_threshold
from textkin.measures.decisions.goal import Goal
from textkin.measures.decisions.saved_thresholds import SavedThreshold
from textkin.models.inference.scorers import NeuralEncoder, load_scorer
from textkin.models.manifest import ModelFacts, is_model_dir
from textkin.models.model_folder import Model, load_model, save_decision, save_model
from textkin.networks.architectures.table import build
from textkin.text.pipeline import WordPipeline
from textkin.text.tokenizer_pipeline import TokenizerPipeline
from textkin.text.vocabulary import build_vocabulary

pytestmark = pytest.mark.torch

TEXTS = ["reset my password", "how do I reset the router", "", "xyzzy", "password"]
LABELS, SCORES = np.array([0.0, 1.0, 0.0, 1.0]), np.array([0.1, 0.6, 0.4, 0.9])
FILES = ["README.md", "model.safetensors", "textkin.json", "vocabulary.txt"]


def made(**options):
    torch.manual_seed(0)
    words = [text.split() for text in TEXTS[:2]]
    pipeline = WordPipeline(build_vocabulary(words))
    arguments = {"size": pipeline.size, "pad_id": pipeline.pad_id, "zero_ids": [0], "dim": 4}
    arguments |= options if options.get("cell") == "mean" else {"hidden": 3, **options}
    facts = ModelFacts(
        "small",
        threshold=SavedThreshold(fit_threshold(LABELS, SCORES, Goal.parse("f1")), "dev", "abc", (0.5, 0.9)),
        calibration=fit_calibration(LABELS, SCORES),
        provenance={"seed": 3},
    )
    return Model(facts, "siamese", arguments, build("siamese", **arguments).eval(), pipeline)


@pytest.fixture
def folder(tmp_path):
    return save_model(made(), tmp_path / "model")


@pytest.mark.parametrize("mask", [True, False])
@pytest.mark.parametrize("cell", ["mean", "lstm", "bilstm", "gru", "bigru", "keras-gru", "cnn"])
def test_what_is_saved_comes_back_bit_for_bit(cell, mask, tmp_path):
    model = made(cell=cell, mask=mask, token_weights=True, dense=2)
    found = load_model(save_model(model, tmp_path))
    assert (found.architecture, found.arguments) == (model.architecture, model.arguments)
    for part in ("name", "threshold", "calibration", "provenance"):
        assert getattr(found.facts, part) == getattr(model.facts, part), part
    assert not found.module.training
    expected, state = model.module.state_dict(), found.module.state_dict()
    assert all(torch.equal(tensor, state[name]) for name, tensor in expected.items())
    first, second = load_scorer(tmp_path), load_scorer(tmp_path)
    assert np.array_equal(first.encode(TEXTS), second.encode(TEXTS))
    assert first.name == "small"
    assert sorted(item.name for item in tmp_path.iterdir()) == FILES


def test_a_model_without_decisions(tmp_path):
    found = load_model(save_model(replace(made(), facts=ModelFacts("small")), tmp_path, card="# Mine\n"))
    assert found.facts.threshold is None is found.facts.calibration
    assert (tmp_path / "README.md").read_text() == "# Mine\n"


def test_decisions_are_saved_later(folder):
    threshold = SavedThreshold(fit_threshold(LABELS, SCORES, Goal.parse("accuracy")), "other")
    save_decision(folder, threshold=threshold, calibration=None)
    found = load_model(folder)
    assert found.facts.threshold == threshold
    assert found.facts.calibration is None
    with pytest.raises(ModelError) as error:
        save_decision(folder / "none", threshold=None, calibration=None)
    assert str(error.value.path).endswith("none")


def change(folder, **values):
    path = folder / "textkin.json"
    manifest = json.loads(path.read_text())
    manifest.update(values)
    path.write_text(json.dumps({key: value for key, value in manifest.items() if value is not ...}))


@pytest.mark.parametrize("name", ["model.safetensors", "vocabulary.txt"])
def test_missing_truncated_and_damaged_files_are_named(name, folder):
    path = folder / name
    content = path.read_bytes()
    for broken in (content[:-1], b"", content[:-3] + b"???", None):
        if broken is None:
            path.unlink()
        else:
            path.write_bytes(broken)
        with pytest.raises(ModelError) as error:
            load_model(folder)
        assert error.value.path == path


def test_files_of_two_models_are_not_mixed(folder, tmp_path):
    other = made()
    with torch.no_grad():
        other.module.embedding.table.add_(1)
    save_model(other, tmp_path / "other")
    (tmp_path / "other" / "model.safetensors").rename(folder / "model.safetensors")
    with pytest.raises(ModelError) as error:
        load_model(folder)
    assert str(error.value.path).endswith("model.safetensors")


_THRESHOLD = {"threshold": {}, "fitted_on": "", "data_sha256": "", "precision": None}


@pytest.mark.parametrize(
    ("values", "words"),
    [
        ({"format": 2}, "has format 2, .* reads format 1; install a newer textkin"),
        ({"format": 0}, "format 0.*save the model again"),
        ({"format": ...}, r"textkin\.json: format is missing, expected a whole number from 0"),
        ({"name": ...}, r"textkin\.json: name is missing, expected a string"),
        ({"files": 3}, r"textkin\.json: files is 3, expected an object"),
        ({"architecture": "bert"}, "unknown architecture 'bert'"),
        ({"arguments": {}}, "architecture 'siamese' can't be built: .*pad_id"),
        ({"arguments": []}, r"textkin\.json: arguments is \[\], expected an object"),
        ({"text": {"kind": "runes"}}, "unknown kind of text pipeline 'runes'"),
        ({"text": {"kind": "words"}}, "text pipeline is broken"),
        ({"threshold": {}}, r"textkin\.json: .*threshold is missing"),
        ({"threshold": _THRESHOLD}, r"textkin\.json: .*threshold\.value is missing"),
        ({"calibration": {"method": "tea leaves"}}, "textkin.json: .*tea leaves"),
    ],
)
def test_manifests_that_are_not_ours_are_named(values, words, folder):
    change(folder, **values)
    with pytest.raises(ModelError, match=words):
        load_model(folder)


def test_other_shapes_are_named(folder):
    manifest = json.loads((folder / "textkin.json").read_text())
    for arguments, words in (
        (
            {"hidden": 5},
            r"model.safetensors: tensor .* has shape \[12\], the architecture wants \[20\]",
        ),
        ({"dense": 2}, r"'dense.bias' has shape None, the architecture wants \[2\]"),
        ({"size": 99}, "the text pipeline has .* ids, the architecture 99 rows"),
    ):
        change(folder, arguments={**manifest["arguments"], **arguments})
        with pytest.raises(ModelError, match=words):
            load_model(folder)


@pytest.mark.parametrize("content", [b"", b"{", b"[]", b"\xff", b"3"])
def test_manifests_that_are_no_json_are_named(content, folder):
    (folder / "textkin.json").write_bytes(content)
    with pytest.raises(ModelError) as error:
        load_model(folder)
    assert str(error.value.path).endswith("textkin.json")


def test_foreign_folders(tmp_path):
    with pytest.raises(ModelError) as error:
        load_model(tmp_path / "none")
    assert str(error.value.path).endswith("none")
    with pytest.raises(ModelError) as error:
        load_model(tmp_path)
    assert error.value.path == tmp_path
    (tmp_path / "pytorch_model.bin").write_bytes(b"cos\nsystem\n(S'false'\ntR.")
    with pytest.raises(ModelError, match=r"'pytorch_model.bin', and textkin never loads pickled"):
        load_model(tmp_path)
    assert not is_model_dir(tmp_path)


def test_a_failed_save_changes_nothing(folder, monkeypatch):
    before = {item.name: item.read_bytes() for item in folder.iterdir()}
    other = made(cell="gru")

    def full(handle):
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr("os.fsync", full)
        with pytest.raises(OutputError):
            save_model(other, folder)
        with pytest.raises(OutputError):
            save_decision(folder, threshold=None, calibration=None)
        with pytest.raises(OutputError):
            save_model(other, folder.parent / "new")
    assert {item.name: item.read_bytes() for item in folder.iterdir()} == before
    assert list((folder.parent / "new").iterdir()) == []
    (folder / "notes.txt").write_text("mine")
    save_model(other, folder)
    assert load_model(folder).arguments["cell"] == "gru"
    assert (folder / "notes.txt").read_text() == "mine"


def test_an_older_manifest_has_nothing_removed_outside_of_the_folder(folder, tmp_path):
    theirs = tmp_path / "theirs"
    theirs.mkdir()
    (theirs / "file").write_text("theirs")
    (folder / "link").symlink_to(theirs)
    before = {item.name: item.read_bytes() for item in folder.iterdir() if item.is_file()}
    manifest = json.loads(before["textkin.json"])
    for name in ("link/file", "../theirs/file", str(theirs / "file")):
        hashes = {**manifest["files"], name: sha256_of_file(theirs / "file")}
        (folder / "textkin.json").write_text(json.dumps({**manifest, "files": hashes}))
        with pytest.raises(ModelError) as error:
            load_model(folder)
        assert (error.value.path, error.value.value) == (folder / "textkin.json", name)
        with pytest.raises(ModelError) as error:
            save_model(made(cell="gru"), folder)
        assert (error.value.path, error.value.value) == (folder / "textkin.json", name)
        assert (theirs / "file").read_text() == "theirs"
        assert (folder / "model.safetensors").read_bytes() == before["model.safetensors"]


def test_only_files_of_the_older_model_are_removed(folder):
    (folder / "notes.txt").write_text("mine")
    (folder / "sub").mkdir()
    (folder / "old.bin").write_text("old")
    manifest = json.loads((folder / "textkin.json").read_text())
    further = {"notes.txt": "0" * 64, "sub": "0" * 64, "old.bin": sha256_of_file(folder / "old.bin")}
    manifest["files"] |= further
    (folder / "textkin.json").write_text(json.dumps(manifest))
    save_model(made(cell="gru"), folder)
    assert (folder / "notes.txt").read_text() == "mine"
    assert (folder / "sub").is_dir() and not (folder / "old.bin").exists()


@pytest.mark.parametrize("name", ["vocabulary.txt", "model.safetensors", "textkin.json"])
def test_a_pipe_in_the_place_of_a_file_is_refused(name, folder):
    (folder / name).unlink()
    os.mkfifo(folder / name)
    with pytest.raises(ModelError, match=r"not a regular file|has no textkin\.json"):
        load_model(folder)
    save_model(made(), folder)
    assert load_model(folder).name == made().name


def test_a_save_that_is_killed_half_way_is_no_model(folder, monkeypatch):
    class Killed(BaseException):
        pass

    real = Path.replace

    def killed(self, target):
        if target == folder / "vocabulary.txt":
            raise Killed
        return real(self, target)

    monkeypatch.setattr(Path, "replace", killed)
    with pytest.raises(Killed):
        save_model(made(cell="gru"), folder)
    assert not is_model_dir(folder)


def test_a_tokenizer_is_saved_too(tmp_path):
    from tokenizers import Tokenizer, models, pre_tokenizers

    tokenizer = Tokenizer(models.WordLevel({"[PAD]": 0, "[UNK]": 1, "password": 2}, unk_token="[UNK]"))
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    pipeline = TokenizerPipeline(tokenizer.to_str())
    arguments = {"size": pipeline.size, "pad_id": pipeline.pad_id, "cell": "mean", "dim": 3}
    model = replace(made(), pipeline=pipeline, arguments=arguments, module=build("siamese", **arguments))
    assert load_model(save_model(model, tmp_path)).pipeline.ids(["my password"])[0].tolist() == [2]


def test_a_loaded_model_is_pickled_as_its_folder(folder):
    model = load_scorer(folder)
    packed = pickle.dumps(model)
    assert len(packed) < 1000
    again = pickle.loads(packed)
    assert again.name == model.name
    assert np.array_equal(again.encode(TEXTS), model.encode(TEXTS))


def test_a_model_in_memory_says_why_it_is_not_pickled():
    model = NeuralEncoder(made().module, made().pipeline, name="small", loaded=made())
    with pytest.raises(UsageError, match=r"small is in memory only.*save it"):
        pickle.dumps(model)


def test_folders_beside_a_model_say_where_it_is(tmp_path):
    (tmp_path / "run" / "model").mkdir(parents=True)
    (tmp_path / "run" / "model" / "textkin.json").write_text("{}")
    with pytest.raises(ModelError, match=re.escape(str(tmp_path / "run" / "model"))):
        load_model(tmp_path / "run")
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "export.json").write_text("{}")
    with pytest.raises(ModelError, match="an export"):
        load_model(tmp_path / "out")
