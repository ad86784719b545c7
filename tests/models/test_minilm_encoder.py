"""The built-in transformer: present, small, near its original, and usable wherever a model is named."""

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from textkin.base.files import sha256_of_file
from textkin.base.hub import MINILM, located, name_of
from textkin.cli import main
from textkin.data import samples
from textkin.kinds.systems import load, load_encoder
from textkin.models.light_transformer import LightTransformer
from textkin.models.packed_weights import PACKED

FOLDER = located(MINILM)
TEXTS = [row[-1] for row in list(samples.rows("questions.tsv"))[::40]]


def test_it_is_small_and_says_where_it_comes_from():
    assert sum(item.stat().st_size for item in FOLDER.rglob("*") if item.is_file()) <= 24_500_000
    assert "Apache License, Version 2.0" in (FOLDER / "NOTICE").read_text(encoding="utf-8")
    source = json.loads((FOLDER / "source.json").read_text(encoding="utf-8"))
    assert len(source["sha256"]["model.safetensors"]) == 64


def test_its_certificate_is_of_these_weights():
    certificate = json.loads((FOLDER / "certificate.json").read_text(encoding="utf-8"))
    source = json.loads((FOLDER / "source.json").read_text(encoding="utf-8"))
    assert certificate["texts"] == 10_000
    assert 0.999 <= certificate["worst"] <= certificate["mean"] <= 1 and certificate["below_0.999"] == 0
    assert certificate["weights"] == {
        PACKED: sha256_of_file(FOLDER / PACKED),
        "model.safetensors": source["sha256"]["model.safetensors"],
    }


@pytest.mark.torch
def test_torch_and_numpy_say_the_same():
    pytest.importorskip("torch")
    with_torch, without = load_encoder(MINILM), LightTransformer(FOLDER, name=MINILM)
    assert not isinstance(with_torch, LightTransformer)
    np.testing.assert_allclose(with_torch.encode(TEXTS), without.encode(TEXTS), atol=2e-6)
    assert (with_torch.name, with_torch.max_tokens) == (without.name, without.max_tokens) == (MINILM, 254)


def test_a_folder_of_that_name_is_named_by_its_path(tmp_path, monkeypatch):
    (tmp_path / MINILM).mkdir()
    monkeypatch.chdir(tmp_path)
    assert located(MINILM) == FOLDER and name_of(FOLDER) == MINILM
    assert located("./minilm") == located(Path(MINILM)) == Path(MINILM)


@pytest.mark.torch
def test_commands_take_it(capsys, monkeypatch):
    monkeypatch.delenv("TEXTKIN_DEBUG", raising=False)
    pair = ("How old are you?", "What is your age?")
    assert main(["score", *pair, "--model", MINILM, "--json"]) == 0
    said = json.loads(capsys.readouterr().out)
    assert said["score"] == pytest.approx(float(load_encoder(MINILM).score([pair])[0]), abs=1e-6)


COMMAND = """
import sys
from textkin.cli import main
code = main(sys.argv[1:])
sys.exit(code or print("torch" in sys.modules, file=sys.stderr))
"""


def in_a_process(folder, *arguments):
    """A command's output, and True if it loaded torch."""
    done = subprocess.run(
        [sys.executable, "-c", COMMAND, *arguments], cwd=folder, capture_output=True, text=True, check=True
    )
    return done.stdout, done.stderr.splitlines()[-1] == "True"


@pytest.mark.torch
def test_few_texts_do_not_wait_for_torch(tmp_path):
    pytest.importorskip("torch")
    pair = ("How old are you?", "What is your age?")
    said, waited = in_a_process(tmp_path, "score", *pair, "--model", MINILM, "--json")
    assert not waited
    assert json.loads(said)["score"] == pytest.approx(float(load(MINILM).score([pair])[0]), abs=1e-6)
    (tmp_path / "texts.txt").write_text("\n".join(TEXTS))
    assert not in_a_process(tmp_path, "collection", "add", "c.kin", "texts.txt", "--model", MINILM)[1]
    said, waited = in_a_process(tmp_path, "search", "c.kin", TEXTS[3], "--mode", "vectors", "--json")
    assert not waited
    assert json.loads(said.splitlines()[0])["hits"][0]["text"] == TEXTS[3]
