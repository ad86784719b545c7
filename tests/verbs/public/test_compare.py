"""tk.compare and tk.evaluate."""

import json

import pytest

import textkin as tk
from tests.verbs.public.making import DEV, LEAKING, QUICK, ROWS, TEXTS


@pytest.mark.torch
def test_they_refuse_what_the_model_was_trained_on(run):
    options = tk.Options(sampling=QUICK)
    for measure in (
        lambda: tk.evaluate(LEAKING, model=run.model, options=options),
        lambda: tk.compare(LEAKING, models=[run.model, "default"], options=options),
    ):
        with pytest.raises(tk.TextkinError):
            measure()


def test_they_refuse_thresholds_fitted_on_measured_pairs(tmp_path):
    with (tmp_path / "dev.jsonl").open("w") as stream:
        stream.writelines(json.dumps({"a": a, "b": b, "label": label}) + "\n" for a, b, label in LEAKING)
    options = tk.Options(dev=tmp_path / "dev.jsonl", sampling=QUICK)
    for measure in (
        lambda: tk.compare(DEV, models=["default"], options=options),
        lambda: tk.evaluate(DEV, model="default", options=options),
    ):
        with pytest.raises(tk.TextkinError):
            measure()


class Overlap:
    name = "overlap"

    def score(self, pairs):
        return [len(set(a.lower().split()) & set(b.lower().split())) for a, b in pairs]


class Letters:
    name = "letters"

    def encode(self, texts):
        return [[1 + text.count(letter) for letter in "abcdefghijklmnopqrst"] for text in texts]


def test_objects_stand_beside_models():
    options = tk.Options(baselines=("tfidf",), sampling=QUICK)
    found = tk.compare(ROWS, models=["default", Overlap(), Letters()], options=options)
    assert {row["system"] for row in found.rows()} == {"tfidf", "default", "overlap", "letters"}
    assert tk.evaluate(ROWS, model=Overlap(), options=options).rival == "tfidf"
    assert tk.score([("a b", "b c")], model=Overlap()).scores.tolist() == [1]
    assert tk.encode(["abc"], model=Letters()).shape == (1, 20)
    assert len(tk.mine(TEXTS, model=Letters(), top=3)) == 3
    assert tk.dedupe(["aaaaaaaa", "aaaaaaaa", "bbbbbbbb"], model=Letters()).kept.tolist() == [0, 2]
    question = tk.Candidates("q", "some words", ("1", "2"), ("words here", "other"), (1, 0))
    candidates = tk.CandidateSet((question,), "few")
    ranked = tk.compare(candidates, models=[Overlap(), Letters()], options=options)
    assert {row["system"]: row["AP"] for row in ranked.rows()}["overlap"] == 1
    with pytest.raises(tk.TextkinError) as error:
        tk.encode(["a"], model=Overlap())
    assert error.value.params == ("model",)
    with pytest.raises(tk.TextkinError) as error:
        tk.compare(ROWS, models=[Overlap(), Overlap()], options=options)
    assert error.value.params == ("models",)
