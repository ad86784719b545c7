"""Users' own systems by import path."""

import numpy as np
import pytest

import textkin as tk
from textkin.base.errors import UsageError
from textkin.kinds.systems import encoder_of, reader_of, resolve, resolve_for_classes, takes_frequencies
from textkin.models.ensembles.ensemble_folder import Together
from textkin.models.ensembles.open_ensemble import member_of
from textkin.models.provenance import hash_of_scorer
from textkin.text.baselines.own_systems import is_own

SYSTEMS = """
def lengths(a, b, *, sign=1):
    return [sign * (len(x) + len(y)) for x, y in zip(a, b)]

class Known:
    def __init__(self, fit_texts, *, bonus: float = 0.0):
        self.known, self.bonus = set(fit_texts), bonus

    def score(self, pairs):
        return [(a in self.known) + (b in self.known) + self.bonus for a, b in pairs]

class Letters:
    def encode(self, texts):
        return [[text.count(letter) for letter in "abc"] for text in texts]

class Sure:
    labels = ("no", "yes")

    def classify(self, pairs):
        return [[0.0, 1.0] for _ in pairs]

class Reads:
    name = "reads"

    def read(self, questions, passages, *, k=1):
        return [[] for _ in questions]

ready = Letters()
"""
PAIRS = [("a", "bb"), ("c", "c")]


@pytest.fixture
def name(own_module):
    return own_module(SYSTEMS)


def test_functions_classes_and_objects_score(name):
    assert resolve(f"{name}:lengths", fit_texts=()).score(PAIRS).tolist() == [3, 2]
    assert resolve(f"{name}:lengths(sign=-1)", fit_texts=()).score(PAIRS).tolist() == [-3, -2]
    assert resolve(f"{name}:Known(bonus=0.5)", fit_texts=["c"]).score(PAIRS).tolist() == [0.5, 2.5]
    assert resolve(f"{name}:ready", fit_texts=()).score(PAIRS).tolist() == [0, 1]
    assert encoder_of(f"{name}:Letters").encode(["abb"]).tolist() == [[1, 2, 0]]
    train = tk.as_pairs([("a", "b", 1), ("a", "c", 0)])
    np.testing.assert_array_equal(resolve_for_classes(f"{name}:Sure", train=train).classify(PAIRS)[:, 1], 1)
    assert reader_of(f"{name}:Reads", fit_texts=()).name == "reads"


def test_a_system_competes_by_its_path(name):
    data = [("a", "b", 1), ("c", "d", 0), ("ab", "ba", 1), ("cd", "dd", 0)]
    found = tk.compare(data, f"{name}:lengths", resamples=100, rounds=100)
    assert f"{name}:lengths" in [one.name for one in found.systems.rows]


def test_hashes_follow_code_options_and_texts(name):
    def of(part, **more):
        return hash_of_scorer(f"{name}:{part}", **more)

    assert takes_frequencies(f"{name}:Known") and not takes_frequencies(f"{name}:lengths")
    assert of("lengths") == of("lengths", fit_texts=["c"]) != of("lengths(sign=-1)")
    assert of("Known") != of("Known", fit_texts=["c"])


def test_bundled_names_are_no_paths(name):
    for word in ("bm25:english", "hybrid:default", "support:default", "tfidf", "a/b", 3, None):
        assert not is_own(word), word
    assert is_own(f"{name}:lengths(sign=2)")


@pytest.mark.parametrize("word", ["Sure", "nothing", "Known(size=2)", "lengths(1)"])
def test_what_scores_nothing_is_refused(name, word):
    with pytest.raises(UsageError):
        resolve(f"{name}:{word}", fit_texts=())


def test_an_ensembles_folder_names_no_code(name, tmp_path):
    with pytest.raises(UsageError) as error:
        member_of(f"{name}:lengths", kind=Together.PAIRS, out=tmp_path)
    assert error.value.params == ("models",)


def test_an_entry_point_names_a_system_and_a_measure(name, own_module, monkeypatch, tmp_path):
    measure = own_module("def first(ranked, judged): return float(ranked[0] > 0)")
    made = tmp_path / "parts-1.0.dist-info"
    made.mkdir()
    (made / "METADATA").write_text("Metadata-Version: 2.1\nName: parts\nVersion: 1.0\n")
    groups = f"[textkin.model]\nsizes = {name}:lengths\n[textkin.measure]\nfirst = {measure}:first\n"
    (made / "entry_points.txt").write_text(groups)
    assert not is_own("sizes")
    monkeypatch.syspath_prepend(str(tmp_path))
    assert resolve("sizes(sign=-1)", fit_texts=()).score(PAIRS).tolist() == [-3, -2]
    assert hash_of_scorer("sizes(sign=-1)") != hash_of_scorer("sizes")
    asked = [tk.Candidates("1", "a", ("1", "2"), ("bb", "c"), (1, 0))]
    found = tk.compare(asked, "sizes", measures=["first"], resamples=10, rounds=10)
    assert found.measure == f"{measure}:first"


@pytest.mark.parametrize(
    ("system", "data"),
    [
        ("Fails.score", [("a", "b", 1), ("c", "d", 0)]),
        ("fails", [("a", "b", 1), ("c", "d", 0)]),
        ("ends", [("a", "b", 1), ("c", "d", 0)]),
        ("FailsToEncode.encode", [("a", "b", 1), ("c", "d", 0)]),
        ("FailsToChoose.choose", [tk.ChoiceQuestion("1", "What melts?", ("ice", "fire"), answer=0)]),
        (
            "FailsToRead.read",
            tk.SpanSet(
                {"0": tk.Passage("0", "Ada", "Ada met Bob.")},
                (tk.SpanQuestion("1", "Who met Bob?", "0", (tk.Span(0, "Ada"),)),),
            ),
        ),
        ("FailsToClassify.classify", [("a", "b", "x"), ("c", "d", "y"), ("e", "f", "z")]),
    ],
)
def test_what_a_system_raises_names_it_and_its_line(own_module, system, data):
    name = own_module(FAILING)
    with pytest.raises(UsageError) as error:
        tk.compare(data, f"{name}:{system.partition('.')[0]}", resamples=10, rounds=10)
    assert error.value.value == system
    assert f"{name}.py, line " in error.value.fix


FAILING = """
def fails(a, b): return 1 / 0
def ends(a, b): raise SystemExit

class Fails:
    def score(self, pairs):
        return {}["missing"]

class FailsToEncode:
    def encode(self, texts): return 1 / 0

class FailsToChoose:
    name = "chooses"
    def choose(self, questions): return 1 / 0

class FailsToRead:
    name = "reads"
    def read(self, questions, passages, *, k=1): return 1 / 0

class FailsToClassify:
    labels = ("x", "y", "z")
    def classify(self, pairs): return 1 / 0
"""
