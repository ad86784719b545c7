"""Every public verb with data that leak, and with files of a foreign format."""

import json

import pytest

import textkin as tk
from textkin import samples

QUICK = tk.Sampling(40, 40)
TRAIN, DEV = samples.pairs("travel")[::3], samples.pairs("cooking")[::3]
LEAKING = [*DEV, *TRAIN[:40]]


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    """A model that was trained while dev shared texts with what it learnt from."""
    import torch

    torch.set_num_threads(1)
    out = tmp_path_factory.mktemp("trained") / "run"
    return tk.train(TRAIN, dev=LEAKING, recipe="static", out=out)


def test_train_says_what_dev_shares(run):
    (warning,) = run.warnings
    assert "texts of pairs are in pairs too, so the score flatters the model" in warning
    assert f"warning: {warning}" in str(run)


def test_lint_finds_shared_texts():
    sides = tk.as_pairs(TRAIN, name="train"), tk.as_pairs(LEAKING, name="dev")
    found = {one.kind.value: one for one in tk.lint(sides).findings}
    assert found["shared-text"].count > 0
    assert found["shared-pair"].count == 40


def test_split_shares_nothing(tmp_path):
    report = tk.split(TRAIN, out=tmp_path / "split")
    assert (report.shared.texts, report.shared.keys, report.shared.components) == (0, 0, 0)


def test_calibrate_refuses_what_the_model_was_trained_on(run):
    with pytest.raises(tk.TextkinError, match="was trained on 229 of the 229 pairs"):
        tk.calibrate(TRAIN, model=run.model)


def test_calibrate_refuses_a_test_that_shares_texts(run):
    other = samples.pairs("hobbies")[::3]
    with pytest.raises(tk.TextkinError, match=r"share \d+ texts, for example"):
        tk.calibrate(DEV, model=run.model, test=[*other, *DEV[:9]])


def test_evaluate_and_compare_refuse_what_the_model_was_trained_on(run):
    options = tk.Options(sampling=QUICK)
    for measure in (
        lambda: tk.evaluate(LEAKING, model=run.model, options=options),
        lambda: tk.compare(LEAKING, models=[run.model, "default"], options=options),
    ):
        with pytest.raises(tk.TextkinError, match="was trained on 40 of the 257 pairs"):
            measure()


def test_compare_refuses_thresholds_fitted_on_measured_pairs(tmp_path):
    with (tmp_path / "dev.jsonl").open("w") as stream:
        stream.writelines(json.dumps({"a": a, "b": b, "label": label}) + "\n" for a, b, label in LEAKING)
    options = tk.Options(dev=tmp_path / "dev.jsonl", sampling=QUICK)
    for measure in (
        lambda: tk.compare(DEV, models=["default"], options=options),
        lambda: tk.evaluate(DEV, model="default", options=options),
    ):
        with pytest.raises(tk.TextkinError, match="of the measured pairs: thresholds fitted on them"):
            measure()


def test_contest_tells_what_its_sides_share(tmp_path):
    test = [*samples.pairs("hobbies")[::3], *TRAIN[:40]]
    for name, rows in {"train": TRAIN, "dev": DEV, "test": test}.items():
        lines = ["a\tb\tlabel", *(f"{a}\t{b}\t{label}" for a, b, label in rows)]
        (tmp_path / f"{name}.tsv").write_text("\n".join(lines) + "\n")
    options = tk.ContestOptions(recipes=("static",), seeds=1, sampling=QUICK)
    found = tk.contest(tmp_path, out=tmp_path / "contest", options=options)
    told = " ".join([*found.report.notes, *found.report.facts.proof])
    assert "left out, since one of their texts is in dev or test too" in told


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
    "calibrate": lambda path, out: tk.calibrate(path, model="MODEL"),
    "compare": lambda path, out: tk.compare(path, models=["default"], options=tk.Options(sampling=QUICK)),
    "compare_suite": lambda path, out: tk.compare_suite(path, models=["default"]),
    "contest": lambda path, out: tk.contest(tk.Sources(train=path, test=path), out=out),
    "dedupe": lambda path, out: tk.dedupe(path),
    "dedupe to a folder": lambda path, out: tk.dedupe(path, out=out),
    "encode": lambda path, out: tk.encode(path),
    "encode to a file": lambda path, out: tk.encode(path, out=out.with_suffix(".npy")),
    "evaluate": lambda path, out: tk.evaluate(path, model="default", options=tk.Options(sampling=QUICK)),
    "hash_texts": lambda path, out: tk.hash_texts(path),
    "hash to a file": lambda path, out: tk.hash_texts(path, out=out.with_suffix(".npy")),
    "lint": lambda path, out: tk.lint(path),
    "lint of several": lambda path, out: tk.lint([path, samples.path("near_misses.tsv")]),
    "measure, as a run": lambda path, out: tk.measure(path, qrels=tk.Qrels.from_dict({"q": {"d": 1}})),
    "measure, as qrels": lambda path, out: tk.measure(tk.Run.from_dict({"q": {"d": 1}}), qrels=path),
    "mine": lambda path, out: tk.mine(path),
    "mine to a file": lambda path, out: tk.mine(path, out=out.with_suffix(".tsv")),
    "negatives": lambda path, out: tk.negatives(path, out=out.with_suffix(".tsv")),
    "score": lambda path, out: tk.score(path),
    "split": lambda path, out: tk.split(path, out=out),
    "study": lambda path, out: tk.study(path, out=out),
    "train": lambda path, out: tk.train(path, dev=path, recipe="static", out=out),
    "verify": lambda path, out: tk.verify(path),
}
TEXTS = ("dedupe", "encode", "hash", "mine")
FITTING = {
    ("measure, as a run", "run.trec"),
    ("measure, as qrels", "qrels.trec"),
    *((verb, name) for verb in VERBS if verb.startswith(TEXTS) for name in ("run.trec", "qrels.trec")),
}
"""Where a file is in order: it is a run or qrels, or has one text a line."""


@pytest.mark.parametrize("name", FOREIGN)
@pytest.mark.parametrize("verb", VERBS)
def test_a_foreign_file_is_refused(verb, name, tmp_path, run, monkeypatch):
    content, path = FOREIGN[name], tmp_path / name
    if content is not None:
        path.write_bytes(content)
    if verb == "calibrate":
        monkeypatch.setitem(VERBS, verb, lambda path, out: tk.calibrate(path, model=run.model))
    if (verb, name) in FITTING:
        VERBS[verb](path, tmp_path / "out")
        return
    with pytest.raises(tk.TextkinError) as error:
        VERBS[verb](path, tmp_path / "out")
    assert len(str(error.value)) < 500
    assert "twice" not in str(error.value) or verb == "contest"
    assert not [item for item in tmp_path.rglob("*") if item.is_file() and item != path]
