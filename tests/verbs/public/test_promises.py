"""Every public verb with leaking data, and with files of a foreign format."""

import json

import pytest

import textkin as tk
from tests.verbs.public.making import QUICK
from textkin.data import samples
from textkin.kinds.measuring import Options
from textkin.verbs.evaluate.agree import agree
from textkin.verbs.evaluate.comparison import compared
from textkin.verbs.evaluate.suite import compare_suite

SQUAD = {"version": "1.1", "data": [{"title": "t", "paragraphs": [{"context": "One. Two.", "qas": []}]}]}
FOREIGN = {
    "squad.json": json.dumps(SQUAD).encode(),
    "run.trec": b"q1 Q0 d1 1 2.5 tag\nq1 Q0 d2 2 1.5 tag\nq2 Q0 d1 1 0.5 tag\n",
    "qrels.trec": b"q1 0 d1 1\nq1 0 d2 0\nq2 0 d1 1\n",
    "picture.png": b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR\x00\x00\x00\x01\x00\x00\x00\x01\x08\x06\x00\x00\x00",
    "empty.tsv": b"",
    "missing.tsv": None,
}
VERBS = {
    "agree": lambda path, out: agree(path, models=["default", "tfidf"]),
    "calibrate": lambda path, out: tk.calibrate(path, model="MODEL"),
    "compare": lambda path, out: compared(path, models=["default"], options=Options(sampling=QUICK)),
    "compare_suite": lambda path, out: compare_suite(path, models=["default"]),
    "dedupe": lambda path, out: tk.dedupe(path),
    "dedupe to a folder": lambda path, out: tk.dedupe(path, out=out),
    "encode": lambda path, out: tk.encode(path),
    "encode to a file": lambda path, out: tk.encode(path, out=out.with_suffix(".npy")),
    "ensemble": lambda path, out: tk.ensemble(["default", "tfidf"], dev=path, out=out),
    "evaluate": lambda path, out: compared(path, models=["default"], options=Options(sampling=QUICK)),
    "codes": lambda path, out: tk.encode(path, bits=64),
    "codes to a file": lambda path, out: tk.encode(path, bits=64, out=out.with_suffix(".npy")),
    "lint": lambda path, out: tk.lint(path),
    "lint of several": lambda path, out: tk.lint([path, samples.path("near_misses.tsv")]),
    "measure, as a run": lambda path, out: tk.measure(path, qrels=tk.Qrels.from_dict({"q1": {"d": 1}})),
    "measure, as qrels": lambda path, out: tk.measure(tk.Run.from_dict({"q1": {"d": 1}}), qrels=path),
    "mine": lambda path, out: tk.mine(path),
    "mine to a file": lambda path, out: tk.mine(path, out=out.with_suffix(".tsv")),
    "negatives": lambda path, out: tk.negatives(path, out=out.with_suffix(".tsv")),
    "score": lambda path, out: tk.score(path),
    "split": lambda path, out: tk.split(path, out=out),
    "study": lambda path, out: tk.study(path, out=out),
    "study of sides": lambda path, out: tk.study(train=path, test=path, out=out),
    "train": lambda path, out: tk.train(path, dev=path, recipe="static", out=out),
    "verify": lambda path, out: tk.verify(path),
}
NEURAL = ("calibrate", "verify")
TEXTS = ("codes", "dedupe", "encode", "mine")
FITTING = {
    ("measure, as a run", "run.trec"),
    ("measure, as qrels", "qrels.trec"),
    *((verb, name) for verb in VERBS if verb.startswith(TEXTS) for name in ("run.trec", "qrels.trec")),
}
"""Verbs for which a file is valid: it is a run or qrels, or has one text per line."""


@pytest.mark.parametrize("name", FOREIGN)
@pytest.mark.parametrize(
    "verb", [pytest.param(verb, marks=pytest.mark.torch) if verb in NEURAL else verb for verb in VERBS]
)
def test_a_foreign_file_is_refused(verb, name, tmp_path, request, monkeypatch):
    content, path = FOREIGN[name], tmp_path / name
    if content is not None:
        path.write_bytes(content)
    if verb == "calibrate":
        run = request.getfixturevalue("run")
        monkeypatch.setitem(VERBS, verb, lambda path, out: tk.calibrate(path, model=run.model))
    if (verb, name) in FITTING:
        VERBS[verb](path, tmp_path / "out")
        return
    with pytest.raises(tk.TextkinError) as error:
        VERBS[verb](path, tmp_path / "out")
    assert len(str(error.value)) < 500
    assert "twice" not in str(error.value) or verb == "study of sides"
    assert not [item for item in tmp_path.rglob("*") if item.is_file() and item != path]
