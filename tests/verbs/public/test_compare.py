"""tk.compare."""

import json

import pandas as pd
import pytest

import textkin as tk
from tests.verbs.public.making import DEV, LEAKING, ROWS, TEXTS

FEW = {"resamples": 20, "rounds": 20}
QRELS = {"q1": {"d1": 1}, "q2": {"d1": 1}}
RUN = {"q1": {"d1": 0.9, "d2": 0.5}, "q2": {"d2": 0.3, "d1": 0.1}}


@pytest.mark.torch
def test_they_refuse_what_the_model_was_trained_on(run):
    for models in (run.model, [run.model, "default"]):
        with pytest.raises(tk.TextkinError):
            tk.compare(LEAKING, models, **FEW)


def test_they_refuse_thresholds_fitted_on_measured_pairs(tmp_path):
    with (tmp_path / "dev.jsonl").open("w") as stream:
        stream.writelines(json.dumps({"a": a, "b": b, "label": label}) + "\n" for a, b, label in LEAKING)
    with pytest.raises(tk.TextkinError):
        tk.compare(DEV, "default", dev=tmp_path / "dev.jsonl", **FEW)


class Overlap:
    name = "overlap"

    def score(self, pairs):
        return [len(set(a.lower().split()) & set(b.lower().split())) for a, b in pairs]


class Letters:
    name = "letters"

    def encode(self, texts):
        return [[1 + text.count(letter) for letter in "abcdefghijklmnopqrst"] for text in texts]


def test_objects_stand_beside_models():
    quick = {"baselines": "tfidf", **FEW}
    found = tk.compare(ROWS, ["default", Overlap(), Letters()], **quick)
    assert {row["system"] for row in found.rows()} == {"tfidf", "default", "overlap", "letters"}
    assert tk.compare(ROWS, [Overlap()], **quick).reference == "tfidf"
    assert tk.score([("a b", "b c")], model=Overlap()).scores.tolist() == [1]
    assert tk.encode(["abc"], model=Letters()).shape == (1, 20)
    assert len(tk.mine(TEXTS, model=Letters(), top=3)) == 3
    assert tk.dedupe(["aaaaaaaa", "aaaaaaaa", "bbbbbbbb"], model=Letters()).kept.tolist() == [0, 2]
    question = tk.Candidates("q", "some words", ("1", "2"), ("words here", "other"), (1, 0))
    candidates = tk.CandidateSet((question,), "few")
    ranked = tk.compare(candidates, [Overlap(), Letters()], **quick)
    assert {row["system"]: row["MAP"] for row in ranked.rows()}["overlap"] == 1
    with pytest.raises(tk.TextkinError) as error:
        tk.encode(["a"], model=Overlap())
    assert error.value.params == ("model",)
    with pytest.raises(tk.TextkinError) as error:
        tk.compare(ROWS, [Overlap(), Overlap()], **quick)
    assert error.value.params == ("models",)


def test_one_model_alone_and_a_model_first():
    found = tk.compare(ROWS, Overlap(), **FEW)
    assert "overlap" in {row.system for row in found} and found.kind == "pairs"
    with pytest.raises(tk.TextkinError) as error:
        tk.compare("default", pd.DataFrame(ROWS))
    assert error.value.params == ("data",)
    with pytest.raises(TypeError, match="data first"):
        tk.compare(Overlap(), pd.DataFrame(ROWS))


def test_rankings_from_dictionaries_and_frames():
    corpus, queries = {"d1": "a red door", "d2": "a blue car"}, {"q1": "red door", "q2": "blue"}
    qrels = {"q1": {"d1": 1}, "q2": {"d2": 1}}
    given = {"queries": queries, "qrels": qrels, "models": ["tfidf"], "baselines": ["bm25"], **FEW}
    found = tk.compare(corpus=corpus, **given)
    assert [row["nDCG@10"] for row in found] == [1, 1]
    frame = pd.DataFrame({"doc_id": list(corpus), "text": list(corpus.values())})
    assert tk.compare(corpus=frame, **given).rows() == found.rows()
    for missing in ("corpus", "qrels"):
        with pytest.raises(tk.TextkinError) as error:
            tk.compare(**{**given, "corpus": corpus, missing: None})
        assert error.value.params == (missing,)


def test_runs_alone():
    one = tk.compare(qrels=QRELS, models={"a": RUN}, measures=["MRR"])
    assert one["mrr"] == 0.75 and len(one) == 1
    both = tk.compare(qrels=QRELS, models={"a": RUN, "b": QRELS}, measures=["MRR"], **FEW)
    assert {row.system: row.MRR for row in both} == {"a": 0.75, "b": 1} and both.reference == "a"
    seeds = tk.compare(qrels=QRELS, models={"a": [RUN, QRELS]}, measures=["MRR"], **FEW)
    assert seeds[0].MRR == 0.875
    for given, param in (({"table": "t.md"}, "table"), ({"dev": "d"}, "dev")):
        with pytest.raises(tk.TextkinError) as error:
            tk.compare(qrels=QRELS, models={"a": RUN}, **given)
        assert error.value.params == (param,)
    with pytest.raises(tk.TextkinError) as error:
        tk.compare(qrels=QRELS, models="bm25")
    assert error.value.params == ("models",)


def test_options_that_need_another_one():
    for given, param in (
        ({}, "data"),
        ({"na_prob": {"q": 1.0}}, "predictions"),
        ({"qrels": QRELS}, "models"),
        ({"predictions": {"q": "a"}}, "data"),
    ):
        with pytest.raises(tk.TextkinError) as error:
            tk.compare(**given)
        assert error.value.params == (param,)
