import json
from pathlib import Path

import numpy as np
import pytest
from scipy.sparse import csc_array

import textkin as tk
from tests.verbs.rival import meets_a_rival
from textkin.base.errors import DataError, OutputError, UsageError
from textkin.base.hub import located
from textkin.base.shingles import Unit, shingle_list
from textkin.models.provenance import hash_of_model
from textkin.vectors import text_codes as coded
from textkin.vectors.join.hamming import hamming
from textkin.vectors.text_codes import codes_of_counts, codes_of_vectors
from textkin.verbs.codes import codes as module
from textkin.verbs.codes.code_files import read_codes
from textkin.verbs.codes.codes import CodeOptions, codes_file, codes_of

TEXTS = [
    "How do I get a card?",
    "When do you open?",
    "how do I get  a card?",
    "When do you open?",
    "?!",
    "no",
]


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "texts.txt"
    path.write_text("".join(f"{text}\n" for text in (*TEXTS[:2], "", *TEXTS[2:])))
    return path


def test_codes_of_meaning_are_those_of_the_vectors():
    encoder = tk.load_encoder()
    vectors = encoder.encode(TEXTS)
    expected = codes_of_vectors(vectors, bits=64, seed=3)
    options = CodeOptions(bits=64, seed=3)
    for found in (
        codes_of(TEXTS, options=options),
        codes_of(TEXTS, "default", options=options),
        codes_of(TEXTS, encoder, options=options),
        codes_of(TEXTS, embeddings=vectors, options=options),
    ):
        assert np.array_equal(found.codes, expected) and found.codes.dtype == np.uint8
        assert found.different == 5
        assert (found.fidelity.queries, found.fidelity.against, found.fidelity.nearest) == (5, 5, 4)
    assert found.of == "meaning, given vectors"


@pytest.mark.parametrize("unit", Unit)
def test_codes_of_spelling_are_those_of_the_shingles(unit, monkeypatch):
    monkeypatch.setattr(coded, "_TEXTS_AT_ONCE", 2)
    found = codes_of(TEXTS, options=CodeOptions(of=unit.value, bits=512, seed=1))
    keys = [
        "how do i get a card?",
        "when do you open?",
        "how do i get a card?",
        "when do you open?",
        "?!",
        "no",
    ]
    names = sorted({one for key in keys for one in shingle_list(key, unit)})
    counts = [[shingle_list(key, unit).count(name) for name in names] for key in keys]
    expected = codes_of_counts(csc_array(np.array(counts)), names, bits=512, seed=1)
    assert np.array_equal(found.codes, expected)
    assert found.different == 5
    assert not hamming(found.codes[:1], found.codes[2:3]).any()
    assert found.of == f"{unit.value}, SimHash"


def test_the_measured_cosines_are_those_of_the_shingle_counts():
    found = codes_of(["abcdabcd", "abcdefgh", "12345", "12345!"], options=CodeOptions(of="letters"))
    assert [(level.cosine, level.pairs) for level in found.fidelity.levels] == [
        *((0.8, 2), (0.7, 2), (0.6, 2), (0.5, 2)),
    ]


def test_the_order_of_the_texts_changes_nothing():
    mixed = [5, 3, 0, 1, 4, 2]
    for of in ("meaning", "words"):
        one = codes_of(TEXTS, options=CodeOptions(of=of))
        other = codes_of([TEXTS[place] for place in mixed], options=CodeOptions(of=of))
        assert np.array_equal(other.codes, one.codes[mixed])
        assert other.fidelity == one.fidelity


def test_only_some_of_many_texts_are_measured(monkeypatch):
    monkeypatch.setattr("textkin.verbs.codes.codes.MOST_COMPARED", 3)
    found = codes_of(TEXTS, options=CodeOptions(sample=2)).fidelity
    assert (found.queries, found.against) == (2, 3)
    assert codes_of(TEXTS, options=CodeOptions(sample=0)).fidelity is None
    assert codes_of(["alone"], options=CodeOptions(of="words")).fidelity is None


def test_vectors_of_zeros_are_counted_and_not_measured():
    vectors = np.array([[1, 0], [0, 0], [1, 0.1], [0, 0], [0, 0], [0, 1]], dtype=np.float32)
    found = codes_of(TEXTS, embeddings=vectors)
    assert (found.blank, found.different) == (3, 5)  # two texts are equal
    assert (found.fidelity.queries, found.fidelity.against) == (3, 3)
    assert not found.codes[[1, 3, 4]].any() and found.codes[[0, 2, 5]].any(axis=1).all()
    assert codes_of(TEXTS, embeddings=0 * vectors).fidelity is None
    assert codes_of(TEXTS, options=CodeOptions(of="words")).blank == 0


def test_a_file_of_codes(tmp_path, file):
    out = tmp_path / "codes.npy"
    made = codes_file(file, out, options=CodeOptions(bits=128, seed=5))
    assert np.array_equal(np.load(out), made.codes)
    assert np.array_equal(np.load(out), codes_of(TEXTS, options=CodeOptions(bits=128, seed=5)).codes)
    assert made.ids.read_text().split() == ["1", "2", "4", "5", "6", "7"]
    about = json.loads(made.about.read_text())
    assert (about["of"], about["bits"], about["seed"], about["count"], about["different"]) == (
        *("meaning", 128, 5, 6, 5),
    )
    assert (about["model"], about["model_sha256"]) == ("default", hash_of_model(located("default")))
    assert about["fidelity"]["recall"] == made.fidelity.recall
    assert {path.name for path in tmp_path.iterdir()} == {
        *("texts.txt", "codes.npy", "codes.ids.txt", "codes.json"),
    }


def test_a_call_that_was_stopped_does_not_encode_again(tmp_path, file, monkeypatch):
    out, whole = tmp_path / "codes.npy", tmp_path / "whole.npy"
    codes_file(file, whole)
    with monkeypatch.context() as patched:
        patched.setattr("textkin.verbs.codes.codes.fidelity", None)  # stops once the vectors are there
        with pytest.raises(TypeError):
            codes_file(file, out)
    assert not out.exists() and len(list((tmp_path / ".codes.npy.encoding").glob("*.npy"))) == 1
    monkeypatch.setattr("textkin.vectors.unique_texts.append_vectors", None)
    codes_file(file, out)
    assert out.read_bytes() == whole.read_bytes()
    assert not (tmp_path / ".codes.npy.encoding").exists()


def test_what_can_not_be_meant(tmp_path, file):
    with pytest.raises(UsageError) as error:
        CodeOptions(bits=100)
    assert (error.value.params, error.value.value) == (("bits",), 100)
    with pytest.raises(UsageError) as error:
        codes_of(TEXTS, "default", options=CodeOptions(of="words"))
    assert error.value.params == ("model", "embeddings")
    with pytest.raises(UsageError) as error:
        codes_of(TEXTS, "default", embeddings=np.ones((6, 2)))
    assert error.value.params == ("model", "embeddings")
    with pytest.raises(UsageError) as error:
        codes_file(file, tmp_path / "codes")
    assert error.value.params == ("out",)
    with pytest.raises(UsageError) as error:
        codes_file(file, tmp_path / "v.npy", embeddings=tmp_path / "v.npy")
    assert error.value.params == ("out",)
    with pytest.raises(OutputError):
        codes_file(file, file / "codes.npy", options=CodeOptions(of="words"))
    for of in ("meaning", "letters"):
        with pytest.raises(DataError) as error:
            codes_of([], options=CodeOptions(of=of))
        assert error.value.params == ("texts",)
    with pytest.raises(DataError) as error:
        codes_of(TEXTS, embeddings=np.ones((5, 2)))
    assert error.value.value == (5, 6)


@pytest.mark.parametrize("renamed", [0, 1, 2])
def test_a_kill_leaves_no_codes_beside_the_settings_of_others(renamed, file, tmp_path, monkeypatch):
    out, replace, done = tmp_path / "codes.npy", Path.replace, []
    codes_file(file, out, options=CodeOptions(bits=64, seed=1))

    def killed(self, target):
        if Path(target).parent == tmp_path:
            if len(done) == renamed:
                raise KeyboardInterrupt
            done.append(target)
        return replace(self, target)

    with monkeypatch.context() as patched:
        patched.setattr(Path, "replace", killed)
        with pytest.raises(KeyboardInterrupt):
            codes_file(file, out, options=CodeOptions(bits=64, seed=2))
    with pytest.raises(DataError) as error:
        read_codes(out)
    assert error.value.path == out.with_suffix(".json")
    made = codes_file(file, out, options=CodeOptions(bits=64, seed=2))
    assert read_codes(out).options.seed == 2 and np.array_equal(read_codes(out).codes, made.codes)


@pytest.mark.parametrize("of", ["meaning", "words", "letters"])
def test_a_second_writer_is_refused_while_the_first_makes_codes(of, file, tmp_path, monkeypatch):
    options = CodeOptions(of=of, bits=64)
    codes_file(file, tmp_path / "alone.npy", options=options)
    out = tmp_path / "out.npy"
    told = meets_a_rival(monkeypatch, module, "coded", lambda: codes_file(file, out, options=options))
    codes_file(file, out, options=options)
    assert "out.npy" in told[0]
    assert out.read_bytes() == (tmp_path / "alone.npy").read_bytes()
    assert not [item.name for item in tmp_path.iterdir() if item.name.startswith(".")]
