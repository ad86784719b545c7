"""Passports to JSON and back, and by their schema."""

import json
from pathlib import Path

import numpy as np
import pytest

import textkin as tk
from tests.models.passports.small_schema import violations
from tests.text.static_folders import table, write
from textkin.base.errors import ModelError
from textkin.data.protocols import PhraseVectors
from textkin.kinds.systems import load
from textkin.measures.decisions.calibration import Platt
from textkin.measures.decisions.fit_threshold import fit_threshold
from textkin.measures.decisions.goal import Goal
from textkin.measures.decisions.saved_thresholds import SavedThreshold
from textkin.models.passports.document import ExportLoss, PassportDecision
from textkin.models.passports.making import passport_of, read_passport, write_passport

ROOT = Path(tk.__file__).parent
SCHEMA = json.loads((ROOT / "models" / "passports" / "schema.json").read_text())


class Words:
    """A scorer of pairs."""

    name = "words"

    def score(self, pairs):
        return np.array([len(set(a.split()) & set(b.split())) for a, b in pairs], dtype=np.float32)


class Coin:
    """A classifier."""

    name, labels = "coin", ("no", "yes")

    def classify(self, pairs):
        odds = np.array([len(a) / (len(a) + len(b)) for a, b in pairs], dtype=np.float32)
        return np.stack([1 - odds, odds], axis=1)


class First:
    """A reader that takes the first word; no text no answer."""

    name = "first"

    def read(self, questions, passages, *, k=1):
        none = tk.SpanAnswer(0, 0, "", 99.0, 0.5)
        return [
            [none, *(tk.SpanAnswer(0, len(word), word, float(len(word)), 0.5) for word in text.split()[:1])]
            for text in passages
        ]


class Halves:
    """An encoder of phrases: a text's two halves, by their numbers of characters."""

    name, dim = "halves", 2

    def phrases(self, passages):
        rows = [
            [[len(text) // 2, 1], [len(text) - len(text) // 2, 2]] if len(text) > 1 else []
            for text in passages
        ]
        return [
            PhraseVectors(np.zeros((len(one), 2), np.int64), np.array(one, np.float32).reshape(-1, 2))
            for one in rows
        ]

    def questions(self, questions):
        return np.array([[len(text), 0] for text in questions], dtype=np.float32)


def fitted() -> PassportDecision:
    labels, scores = np.array([0.0, 1.0, 1.0, 0.0] * 25), np.linspace(0, 1, 100, dtype=np.float32)
    threshold = SavedThreshold(fit_threshold(labels, scores, Goal.parse("f1")), "pairs", "0" * 64, (0.4, 0.6))
    return PassportDecision(threshold, Platt(2.0, -1.0))


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return write(tmp_path_factory.mktemp("static") / "bag", {"embeddings": table()})


@pytest.fixture(scope="module")
def passports(folder):
    loss = ExportLoss("whole", "1" * 64, "onnx", "int8", "cosine", 0.99, 0.95)
    return [
        passport_of(load(folder), folder=folder, decision=fitted(), export=loss, guards=("order", "numbers")),
        passport_of(Words()),
        passport_of(Coin()),
        passport_of(First()),
        passport_of(Halves()),
    ]


def test_to_a_file_and_back(passports, tmp_path):
    for made in passports:
        read = read_passport(write_passport(made, tmp_path / "p.json"))
        assert read.to_dict() == made.to_dict()
        assert (read.canaries, read.decision, read.export) == (made.canaries, made.decision, made.export)
        for side, rows in made.says.items():
            np.testing.assert_array_equal(read.says[side], rows)


def test_they_keep_to_the_schema(passports):
    for made in passports:
        values = json.loads(json.dumps(made.to_dict()))
        assert violations(values, SCHEMA) == []
        assert violations({**values, "format": 2, "says": {}, "extra": 1}, SCHEMA)
    assert (Path(__file__).parents[3] / "docs" / "passport.schema.json").read_text() == (
        ROOT / "models" / "passports" / "schema.json"
    ).read_text()


def test_the_base_rate_follows_from_the_counts(passports):
    assert passports[0].to_dict()["decision"]["base_rate"] == 0.5
    assert passports[1].to_dict()["decision"] == {"threshold": None, "calibration": None, "base_rate": None}


def test_a_scorer_has_scores_of_pairs(passports):
    values = passports[1].to_dict()
    pairs = values["canaries"]["pairs"]
    np.testing.assert_array_equal(passports[1].says["document"][:, 0], Words().score(pairs))
    assert passports[2].settings["classes"] == ["no", "yes"]


def test_a_reader_has_the_score_of_its_best_words(passports):
    made = passports[3]
    expected = [len(text.split()[0]) if text.split() else 0 for _, text in made.canaries.pairs]
    np.testing.assert_array_equal(made.says["document"][:, 0], expected)
    assert (made.gives, made.guards, made.rule.measure) == ("answers", (), "difference")
    assert made.to_dict()["canaries"]["pairs"]


def test_phrases_have_their_mean_and_the_vectors_of_questions(passports):
    made = passports[4]
    lengths = [len(text) for text in made.canaries.texts]
    expected = [[length / 2, 1.5] if length > 1 else [0, 0] for length in lengths]
    np.testing.assert_array_equal(made.says["document"], expected)
    np.testing.assert_array_equal(made.says["query"][:, 0], lengths)
    assert (made.gives, made.guards, made.rule.measure) == ("phrases", (), "cosine")
    assert "pairs" not in made.to_dict()["canaries"]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"kind": "decision"}, "is not a passport"),
        ({"format": 2}, "has format 2, this textkin reads format 1; install a newer textkin"),
        ({"gives": "tea"}, "gives is 'tea', expected vectors, scores, classes, answers or phrases"),
        ({"says": {}}, "says nothing of documents"),
        ({"says": {"document": {"shape": [64, 2], "float32": "AAAA"}}}, "can't be read"),
        ({"says": {"document": {"shape": [1, 1], "float32": "AAAAAA=="}}}, "expected 64 rows"),
        ({"says": {"document": {"shape": [64, 1], "float32": "AADAfw==" * 64}}}, "can't be read"),
        ({"guards": "order"}, "a list of strings"),
        ({"decision": {"threshold": {"threshold": 3}}}, "stored decision"),
        ({"export": {"original": 1}}, "original is 1, expected a valid string"),
        ({"matching": {}}, "matching can't be read: source is missing"),
    ],
)
def test_what_is_no_passport(change, message, passports, tmp_path):
    path = tmp_path / "p.json"
    path.write_text(json.dumps(passports[0].to_dict() | change))
    with pytest.raises(ModelError, match=message):
        read_passport(path)


def test_there_is_none(tmp_path):
    with pytest.raises(ModelError, match="there is"):
        read_passport(tmp_path)
