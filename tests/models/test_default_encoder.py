"""The built-in encoder: present, small, and usable without torch and offline."""

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import textkin as tk
from textkin.base.hub import DEFAULT, locate, name_of
from textkin.cli import main
from textkin.kinds.systems import load_encoder, resolve

PAIRS = [
    ("How do I reset my password?", "I forgot my password and can't log in"),
    ("How do I reset my password?", "What is the best pizza in Naples?"),
    ("A man is playing a guitar.", "Someone plays an instrument."),
    ("A man is playing a guitar.", "The stock market fell sharply today."),
]


def folder() -> Path:
    found = locate(DEFAULT)
    assert found is not None
    return found


def test_it_tells_what_is_alike_from_what_is_not():
    encoder = load_encoder()
    alike, other, also_alike, also_other = encoder.score(PAIRS)
    assert alike > other + 0.2 and also_alike > also_other + 0.2
    assert (encoder.name, encoder.dim) == ("default", 128)
    for same in (tk.load(), tk.load("default"), resolve("default", fit_texts=())):
        np.testing.assert_array_equal(same.score(PAIRS), encoder.score(PAIRS))


@pytest.mark.slow
def test_it_needs_no_torch():
    code = (
        "import sys, textkin as tk; tk.load().score([('a cat', 'a dog')]); "
        "print(sorted({'torch', 'transformers'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_it_is_small_and_says_where_it_comes_from():
    assert sum(item.stat().st_size for item in folder().iterdir()) <= 6_600_000
    assert "Apache License, Version 2.0" in (folder() / "NOTICE").read_text(encoding="utf-8")
    card = (folder() / "README.md").read_text(encoding="utf-8")
    assert "STS Benchmark" in card and "benchmarks/default_encoder.py" in card
    record = json.loads((folder() / "distil.json").read_text(encoding="utf-8"))
    assert record["teacher"] == "all-MiniLM-L6-v2"


def test_it_knows_eight_languages_more():
    record = json.loads((folder() / "distil.json").read_text(encoding="utf-8"))
    assert record["languages"] == ["en", "de", "fr", "es", "it", "pt", "nl", "pl", "tr"]
    pairs = [
        ("Wo kann ich mein Auto parken?", "Where can I park my car?", "When does the library open?"),
        ("Où puis-je garer ma voiture ?", "Where can I park my car?", "When does the library open?"),
        ("¿Cuándo abre la biblioteca?", "When does the library open?", "Where can I park my car?"),
    ]
    encoder = load_encoder()
    for text, same, other in pairs:
        alike, unlike = encoder.score([(text, same), (text, other)])
        assert alike > unlike + 0.1
        assert not encoder.unknown([text])


def test_other_scripts_are_unknown_to_it():
    for text in ("Где мой ключ", "超市什么时候开门", "鍵はどこですか", "أين المفتاح", "กุญแจอยู่ที่ไหน"):
        assert load_encoder().unknown([text])[0].share == 1


@pytest.mark.slow
def test_model2vec_opens_it():
    from model2vec import StaticModel

    texts = [text for pair in PAIRS for text in pair]
    theirs = StaticModel.from_pretrained(folder(), force_download=False)
    np.testing.assert_allclose(theirs.encode(texts), load_encoder().encode(texts), atol=1e-6)


def test_a_folder_of_that_name_is_named_by_its_path(tmp_path, monkeypatch):
    (tmp_path / "default").mkdir()
    monkeypatch.chdir(tmp_path)
    assert locate("default") == folder()
    assert locate("./default") == locate(Path("default")) == Path("default")
    assert name_of(Path("default")) == name_of(folder()) == "default"


def test_commands_take_it(capsys, monkeypatch):
    monkeypatch.delenv("TEXTKIN_DEBUG", raising=False)
    assert main(["score", *PAIRS[0], "--json"]) == 0
    said = json.loads(capsys.readouterr().out)
    assert said["score"] == pytest.approx(float(load_encoder().score(PAIRS[:1])[0]), abs=1e-6)
