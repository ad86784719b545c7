from __future__ import annotations

import json
import shutil
import sys
from pathlib import Path

import numpy as np
import pytest

import textkin as tk
from tests.cli.conftest import write_pairs
from tests.making_spans import spans, write_squad
from tests.models.ensembles.making import Picks
from textkin.base.errors import DataError, LeakError, ModelError, OutputError, UsageError
from textkin.data import samples
from textkin.data.choice_scores import scores_by
from textkin.data.splits.training_texts import seen_of
from textkin.kinds.data_coverage import accounts_on
from textkin.kinds.measuring import Options
from textkin.kinds.registry import data_kind
from textkin.kinds.spans import SpanKind
from textkin.kinds.systems import reader_of, resolve, takes_frequencies
from textkin.measures.decisions.combination import CombinedBy
from textkin.measures.decisions.combination_fit import cross_fitted, folds_of
from textkin.measures.intervals.sampling import Sampling
from textkin.models.ensembles.ensemble_folder import ENSEMBLE, load_saved
from textkin.models.ensembles.open_ensemble import needs_texts, open_ensemble_chooser
from textkin.models.interop.folder_kinds import Kind, kind_of
from textkin.models.provenance import hash_of_model, hash_of_scorer
from textkin.text.baselines.classifiers import CLASS_BASELINES
from textkin.verbs.evaluate.comparison import compared

QUICK = {"resamples": 50, "rounds": 99}
SAMPLING = Sampling(**QUICK)
DEV, TEST = tk.as_pairs(samples.pairs("travel")[::3], name="dev"), tk.as_pairs(samples.pairs("cooking")[::3])
MEASURING = Options(baselines=("tfidf",), sampling=SAMPLING)


def candidates(topic="travel", questions=25):
    """Each first text of a pair with its second texts."""
    by_query: dict[str, list[tuple[str, int]]] = {}
    for a, b, label in samples.pairs(topic):
        by_query.setdefault(a, []).append((b, label))
    kept = [(a, found) for a, found in by_query.items() if {label for _, label in found} == {0, 1}]
    return tk.CandidateSet(
        tuple(
            tk.Candidates(
                f"q{place}",
                a,
                tuple(f"d{place}-{number}" for number in range(len(found))),
                tuple(b for b, _ in found),
                tuple(label for _, label in found),
            )
            for place, (a, found) in enumerate(kept[:questions])
        ),
        name=topic,
    )


@pytest.fixture
def static(tmp_path):
    """A copy of the built-in model, so that there is a folder."""
    from textkin.base.hub import located

    return Path(shutil.copytree(located("default"), tmp_path / "static"))


@pytest.mark.slow
@pytest.mark.parametrize("rule", [rule for rule in CombinedBy if rule is not CombinedBy.RRF])
def test_pairs_there_and_back(rule, tmp_path, static):
    found = tk.ensemble([static, "minhash"], dev=DEV, out=tmp_path / "both", combine=rule, **QUICK)
    assert found.kind == "pairs" and found.compared.measure == "AP" and found.folds == 5
    one = tk.load(found.folder)
    assert isinstance(one, tk.Scorer) and one.name == "both"
    alone = np.concatenate([one.score([pair]) for pair in TEST.texts[:20]])
    assert one.score(TEST.texts)[:20].tolist() == alone.tolist(), "no batch moves a pair's score"
    measured = compared(TEST, models=[str(found.folder)], options=MEASURING)
    assert {row["system"] for row in measured.rows()} == {str(found.folder), "tfidf"}
    assert 0.3 < found.compared.ensemble.value <= 1
    assert list(found.compared.members) == [str(static), "minhash"]


@pytest.mark.slow
def test_the_figure_is_that_of_folds_which_were_held_out(tmp_path):
    found = tk.ensemble(["default", "minhash"], dev=DEV, out=tmp_path / "e", combine="logistic", **QUICK)
    dev = data_kind(DEV).dev_data(DEV, SAMPLING)
    for name in ("default", "minhash"):
        dev.ask(name, resolve(name, fit_texts=()))
    votes = dev.votes()
    again = cross_fitted(votes, CombinedBy.LOGISTIC, folds_of(votes.groups, folds=5, seed=0))
    assert votes.figure(again) == pytest.approx(found.compared.ensemble.value)
    for component in np.unique(votes.groups):
        assert len(set(folds_of(votes.groups)[votes.groups == component].tolist())) == 1


@pytest.mark.parametrize("rule", list(CombinedBy))
def test_rankings(rule, tmp_path):
    data = candidates()
    found = tk.ensemble(["default", "minhash"], dev=data, out=tmp_path / "r", combine=rule, **QUICK)
    assert found.kind == "rankings"
    dev = data_kind(data).dev_data(data, SAMPLING)
    for name in ("default", "minhash"):
        dev.ask(name, resolve(name, fit_texts=()))
    votes = dev.votes()
    own = dev.compared(np.zeros(len(votes.values)))
    for column, name in enumerate(("default", "minhash")):
        assert votes.figure(votes.values[:, column]) == pytest.approx(own.members[name].value), "as the judge"
    measured = compared(candidates("cooking"), models=[str(found.folder)], options=MEASURING)
    assert measured.kind == "candidates"


def collection(topic):
    """Each first text as a query, and all second texts as the corpus."""
    asked = candidates(topic).queries
    corpus = {name: text for one in asked for name, text in zip(one.doc_ids, one.docs, strict=True)}
    judged = {one.query_id: dict(zip(one.doc_ids, one.labels, strict=True)) for one in asked}
    return tk.RetrievalSet(
        corpus, {one.query_id: one.query for one in asked}, tk.Qrels.from_dict(judged), topic
    )


@pytest.mark.slow
@pytest.mark.parametrize("rule", list(CombinedBy))
def test_collections(rule, tmp_path):
    data = collection("travel")
    found = tk.ensemble(["default", "bm25"], dev=data, out=tmp_path / "r", combine=rule, **QUICK)
    assert found.kind == "rankings" and found.compared.measure == "nDCG@10"
    alone = compared(data, models=["default", "bm25"], options=MEASURING).rows()
    assert {row["system"]: row["nDCG@10"] for row in alone if row["system"] in found.compared.members} == {
        name: one.value for name, one in found.compared.members.items()
    }
    if rule is CombinedBy.RRF:  # nothing is fitted, so that held out queries are as any
        hybrid = compared(data, models=["hybrid:bm25+default"], options=MEASURING).rows()
        value = next(row["nDCG@10"] for row in hybrid if row["system"] == "hybrid:bm25+default")
        assert found.compared.ensemble.value == pytest.approx(value)
    measured = compared(collection("cooking"), models=[str(found.folder)], options=MEASURING)
    assert measured.kind == "collection"
    with pytest.raises(LeakError):
        compared(data, models=[str(found.folder)], options=MEASURING)


def test_a_hybrid_is_no_member(tmp_path):
    with pytest.raises(UsageError) as error:
        tk.ensemble(["hybrid:default", "bm25"], dev=collection("travel"), out=tmp_path, **QUICK)
    assert error.value.params == ("members",)


def test_baselines_take_word_frequencies_from_the_texts_at_hand(tmp_path):
    folder = tmp_path / "e"
    tk.ensemble(["tfidf", "bm25"], dev=DEV, out=folder, combine="mean", **QUICK)
    assert needs_texts(folder) == ("tfidf", "bm25") and takes_frequencies(folder)
    with pytest.raises(ModelError, match="tfidf, bm25, which take word frequencies"):
        tk.load(folder)
    fit = [text for pair in TEST.texts for text in pair]
    members = [resolve(name, fit_texts=fit).score(TEST.texts) for name in ("tfidf", "bm25")]
    expected = load_saved(folder).combination.combine(np.stack(members, axis=1).astype(np.float64))
    assert resolve(folder, fit_texts=fit).score(TEST.texts) == pytest.approx(expected, rel=1e-6)
    assert tk.score([("one text", "another")], model=str(folder)).notes
    hashes = {hash_of_scorer(folder, fit_texts=texts) for texts in (["a"], ["b"], ["a", "a"])}
    assert len(hashes) == 2


@pytest.mark.slow
def test_a_member_that_is_missing_or_has_changed_is_refused(tmp_path, static):
    folder = tmp_path / "e"
    tk.ensemble([static, "minhash"], dev=DEV, out=folder, combine="mean", **QUICK)
    config = static / "config.json"
    kept = config.read_text()
    config.write_text(kept + " ")
    with pytest.raises(ModelError) as error:
        tk.load(folder)
    assert (error.value.path, error.value.value) == (folder, str(static))
    config.write_text(kept)
    tk.load(folder)
    static.rename(tmp_path / "elsewhere")
    with pytest.raises(ModelError) as error:
        compared(TEST, models=[str(folder)], options=MEASURING)
    assert (error.value.path, error.value.value) == (folder, str(static))


@pytest.mark.slow
def test_ensemble_and_members_can_be_moved_together(tmp_path, static):
    home = tmp_path / "home"
    shutil.copytree(static, home / "models" / "m")
    folder = home / "e"
    tk.ensemble([home / "models" / "m", "minhash"], dev=DEV, out=folder, combine="mean", **QUICK)
    assert load_saved(folder).members[0].model == "../models/m"
    expected, sha256 = tk.load(folder).score(TEST.texts), hash_of_scorer(folder)
    home.rename(tmp_path / "new")
    assert tk.load(tmp_path / "new" / "e").score(TEST.texts).tolist() == expected.tolist()
    assert hash_of_scorer(tmp_path / "new" / "e") == sha256


@pytest.mark.torch
def test_what_it_was_fitted_on_and_what_members_learnt_from_is_seen(tmp_path):
    learnt = DEV.select([*range(30), *range(len(DEV) - 30, len(DEV))])
    recipe = tk.train(learnt, dev=TEST, recipe="static", out=tmp_path / "run")
    other = tk.as_pairs(samples.pairs("support-desk")[::5], name="other")
    folder = tmp_path / "e"
    tk.ensemble([recipe.model, "default"], dev=other, out=folder, combine="mean", **QUICK)
    seen = seen_of(tk.load(folder))
    assert seen is not None
    for pairs in (other.texts, learnt.texts):
        assert seen.share(pairs).learnt == len(pairs)
    with pytest.raises(LeakError):
        compared(other, models=[str(folder)], options=MEASURING)
    with pytest.raises(LeakError):
        tk.ensemble([recipe.model, "default"], dev=DEV, out=tmp_path / "f", **QUICK)
    found = tk.ensemble([recipe.model, "default"], dev=DEV, out=tmp_path / "f", **QUICK, accept_leaks=True)
    assert "was trained on 60 of these" in " ".join(found.notes)


@pytest.mark.torch
def test_calibration_is_saved_with_an_ensemble_of_models(tmp_path):
    folder = tmp_path / "e"
    tk.ensemble(["default", "minhash"], dev=DEV, out=folder, combine="logistic", **QUICK)
    sha256 = hash_of_scorer(folder)
    tk.calibrate(TEST, folder, f1=True, resamples=20)
    scored = tk.score([("one text", "one text")], model=str(folder))
    assert scored.threshold is not None and scored.probabilities is not None
    assert hash_of_scorer(folder) == sha256
    mixed = tmp_path / "mixed"
    tk.ensemble(["default", "tfidf"], dev=DEV, out=mixed, combine="mean", **QUICK)
    with pytest.raises(UsageError) as error:
        tk.calibrate(TEST, mixed)
    assert error.value.params == ("out", "fit")


@pytest.mark.slow
def test_ensembles_of_ensembles(tmp_path):
    inner, outer = tmp_path / "inner", tmp_path / "outer"
    tk.ensemble(["default", "minhash"], dev=DEV, out=inner, combine="mean", **QUICK)
    tk.ensemble([inner, "minhash"], dev=TEST, out=outer, combine="mean", **QUICK)
    assert tk.load(outer).score([("a", "a")]).shape == (1,)
    accounts = accounts_on(TEST, {"outer": [tk.load(outer)]})
    names = [one.model for one in accounts.truncations]
    assert names == ["outer, member inner, member default"]
    with pytest.raises(UsageError) as error:
        tk.ensemble([inner, "minhash"], dev=DEV, out=inner, **QUICK)
    assert error.value.params == ("out",)


def test_readers(tmp_path):
    data = spans(6)
    found = tk.ensemble(
        ["sliding-window", "sentence-bm25"], dev=data, out=tmp_path / "s", combine="sum", **QUICK
    )
    assert found.kind == "spans" and found.compared.measure == "F1"
    texts = [one.text for one in data.passages.values()]
    reader = reader_of(str(tmp_path / "s"), fit_texts=texts)
    listed = reader.read([data.questions[0].question], [texts[0]], k=3)[0]
    assert listed and sum(one.probability for one in listed) <= 1 + 1e-9
    other = write_squad(tmp_path / "other.json", spans(4, first=6))
    measured = compared(other, models=[str(tmp_path / "s")], options=Options(sampling=SAMPLING))
    assert measured.kind == "spans"
    with pytest.raises(ModelError, match="scores no pairs"):
        resolve(str(tmp_path / "s"), fit_texts=texts)
    answers = tk.answer("When?", passages=texts[:2], model=str(tmp_path / "s"))
    assert answers.rows()


@pytest.mark.parametrize("rule", list(CombinedBy))
def test_every_rule_combines_answers(rule, tmp_path):
    members = ["sliding-window", "random"]
    found = tk.ensemble(members, dev=spans(20), out=tmp_path / "s", combine=rule, **QUICK)
    assert 0 <= found.compared.ensemble.value <= 1
    dev = SpanKind().dev_data(spans(20), SAMPLING)
    for name in members:
        dev.ask(name, reader_of(name, fit_texts=()))
    votes = dev.votes()
    own = dev.compared(votes.values[:, 0])
    assert votes.figure(votes.values[:, 0]) == pytest.approx(own.ensemble.value)


@pytest.mark.parametrize("rule", list(CombinedBy))
def test_choices(rule, tmp_path):
    rng = np.random.default_rng(0)
    questions = tuple(
        tk.ChoiceQuestion(
            f"{place}", f"question {place}", ("a b", "c d", "e f", "g")[: 3 + place % 2], place % 3
        )
        for place in range(40)
    )
    data = tk.ChoiceSet(questions, "exam")
    found = tk.ensemble(["random", "minhash"], dev=data, out=tmp_path / "c", combine=rule, **QUICK)
    assert found.kind == "choices" and found.compared.measure == "accuracy"
    chooser = open_ensemble_chooser(tmp_path / "c", lambda one: resolve(one, fit_texts=()))
    assert scores_by(chooser, questions).shape == (40, 4)
    dev = data_kind(data).dev_data(data, SAMPLING)
    told = {one.question_id: rng.random(len(one.choices)).tolist() for one in questions}
    dev.ask("picks", Picks("picks", told))
    dev.ask("random", resolve("random", fit_texts=()))
    votes = dev.votes()
    expected = np.mean([np.argmax(told[one.question_id]) == one.answer for one in questions])
    assert votes.figure(votes.values[:, 0]) == pytest.approx(expected)
    assert dev.compared(votes.values[:, 0]).ensemble.value == pytest.approx(expected)


def classes(start, stop):
    words = {"entailment": "yes surely", "contradiction": "no never", "neutral": "perhaps maybe"}
    return tk.as_pairs(
        [
            (f"thing {n} here", f"{words[label]} thing {n}", label)
            for n in range(start, stop)
            for label in words
        ],
        name=f"classes {start}",
    )


RECIPE = """
name = "tiny-classes"
[model]
architecture = "decomposable-attention"
[model.arguments]
dim = 8
[[objectives]]
loss = "cross-entropy"
rows = "pairs"
batch_size = 16
[training]
epochs = 1
"""


@pytest.mark.torch
def test_classifiers(tmp_path):
    import torch

    torch.set_num_threads(1)
    (tmp_path / "r.toml").write_text(RECIPE)
    models = []
    for seed in range(2):
        run = tk.train(
            classes(0, 20),
            dev=classes(20, 30),
            recipe=str(tmp_path / "r.toml"),
            out=tmp_path / f"run{seed}",
            seed=seed,
        )
        models.append(run.model)
    for rule in CombinedBy:
        folder = tmp_path / str(rule)
        found = tk.ensemble(models, dev=classes(30, 45), out=folder, combine=rule, **QUICK)
        assert found.kind == "classes" and found.compared.measure == "accuracy"
        one = tk.load(folder)
        assert isinstance(one, tk.Classifier)
        assert one.classify(classes(50, 52).texts).sum(axis=1) == pytest.approx(np.ones(6), abs=1e-5)
        measured = compared(classes(50, 60), models=[str(folder)], options=Options(sampling=SAMPLING))
        assert measured.measure == "accuracy"
    with pytest.raises(UsageError) as error:
        resolve(str(folder), fit_texts=())
    assert error.value.params == ("model",)
    with pytest.raises(UsageError) as error:
        tk.ensemble([models[0], CLASS_BASELINES[0]], dev=classes(30, 45), out=folder, **QUICK)
    assert error.value.params == ("members",)
    with pytest.raises(UsageError) as error:
        tk.ensemble([models[0], "default"], dev=classes(30, 45), out=folder, **QUICK)
    assert error.value.params == ("members",)


@pytest.mark.parametrize(
    ("members", "error", "told"),
    [
        (["default"], UsageError, "members is"),
        (["default", "default"], UsageError, "members is"),
        (["default", "no-such-model"], ModelError, "no-such-model"),
        (["default", object()], UsageError, "members is"),
    ],
)
def test_members_that_can_not_be(members, error, told, tmp_path):
    with pytest.raises(error, match=told):
        tk.ensemble(members, dev=DEV, out=tmp_path / "e", **QUICK)
    assert not (tmp_path / "e").exists()


def test_data_and_rules_that_can_not_be(tmp_path):
    graded = tk.as_pairs([("a", "a", 2.5), ("c", "d", 1.5), ("e", "f", 0.5)])
    with pytest.raises(UsageError) as error:
        tk.ensemble(["default", "minhash"], dev=graded, out=tmp_path / "e", combine="sum", **QUICK)
    assert error.value.params == ("combine",)
    with pytest.raises(UsageError) as error:
        tk.ensemble(["default", "minhash"], dev=DEV, out=tmp_path / "e", combine="stack")
    assert error.value.params == ("combine",)
    one = tk.as_pairs([("a", "b", 1), ("a", "c", 0), ("b", "d", 0)])
    with pytest.raises(DataError, match="hang together"):
        tk.ensemble(["default", "minhash"], dev=one, out=tmp_path / "e", combine="mean", **QUICK)


def test_a_folder_with_something_else_is_left_alone(tmp_path, static):
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "notes.txt").write_text("mine")
    for folder, told in (
        (static, "holds no ensemble|holds a model"),
        (tmp_path / "full", "not an empty folder"),
    ):
        before = sorted(item.name for item in folder.iterdir())
        with pytest.raises(OutputError, match=told):
            tk.ensemble(["default", "minhash"], dev=DEV, out=folder, **QUICK)
        assert sorted(item.name for item in folder.iterdir()) == before


@pytest.mark.torch
def test_an_ensemble_takes_the_place_of_an_older_one_and_is_no_model(tmp_path):
    folder = tmp_path / "e"
    for rule in ("mean", "rank"):
        tk.ensemble(["default", "minhash"], dev=DEV, out=folder, combine=rule, **QUICK)
    assert load_saved(folder).rule is CombinedBy.RANK
    assert sorted(item.name for item in folder.iterdir()) == ["README.md", ENSEMBLE, "seen.npy"]
    assert kind_of(folder) is Kind.ENSEMBLE and len(hash_of_model(folder)) == 64
    with pytest.raises(ModelError, match="gives no vectors"):
        tk.load_encoder(folder)
    with pytest.raises(tk.TextkinError, match="an ensemble"):
        tk.export(folder, out=tmp_path / "x", to="onnx")


def test_damaged_directories_are_refused(tmp_path):
    folder = tmp_path / "e"
    tk.ensemble(["default", "minhash"], dev=DEV, out=folder, combine="mean", **QUICK)
    whole = json.loads((folder / ENSEMBLE).read_text())
    for broken, told in (
        ({**whole, "format": 2}, "format 2"),
        ({**whole, "members": whole["members"][:1]}, "members is"),
        ({**whole, "members": "default"}, "members can't be read"),
        ({**whole, "kind": "poems"}, "poems"),
        ({**whole, "rule": "poems"}, "poems"),
        ({**whole, "combination": {}}, "combination"),
        ({**whole, "combination": {**whole["combination"], "weights": [1.0]}}, "combination"),
        ({**whole, "fitted_on": {}}, "name is missing"),
        ({**whole, "threshold": {"value": 1}}, "threshold"),
        ({**whole, "files": {"seen.npy": "0"}}, "seen.npy: is missing, damaged"),
        ({**whole, "members": [{"model": 1, "sha256": "0"}] * 2}, "model is 1"),
    ):
        (folder / ENSEMBLE).write_text(json.dumps(broken))
        with pytest.raises(ModelError, match=told):
            tk.load(folder)
    itself = {"model": ".", "sha256": "0", "is_folder": True, "prefix": "", "suffix": ""}
    (folder / ENSEMBLE).write_text(json.dumps({**whole, "members": [itself] * 2}))
    with pytest.raises(ModelError) as error:
        tk.load(folder)
    assert error.value.value == 9
    (folder / ENSEMBLE).write_text("{")
    with pytest.raises(ModelError) as error:
        tk.load(folder)
    assert str(error.value.path).endswith("ensemble.json")


@pytest.mark.slow
def test_on_the_command_line(textkin, tmp_path):
    dev, test = write_pairs(tmp_path / "dev.tsv"), write_pairs(tmp_path / "test.tsv", start=20, stop=30)
    arguments = ("ensemble", "default", "tfidf", "--dev", dev, "--out", tmp_path / "e", "--resamples", 50)
    told = textkin(*arguments)
    assert told.code == 0 and "ensemble, cross-fitted" in told.out
    found = textkin(*arguments, "--combine", "logistic", "--rounds", 99, "--json").json
    assert set(found["weights"]) == {"default", "tfidf"} and found["rule"] == "logistic"
    assert textkin("compare", test, tmp_path / "e", "--resamples", 50, "--rounds", 99).code == 0
    assert "which no text" not in textkin("score", "--model", tmp_path / "e", "--pairs", test).err
    assert (
        "expected another folder"
        in textkin("ensemble", tmp_path / "e", "tfidf", "--dev", dev, "--out", tmp_path / "e").error
    )


def test_code_that_a_folder_names_is_not_run(tmp_path, own_module):
    folder, name = tmp_path / "both", own_module("def lengths(a, b): return [len(x) for x in a]")
    tk.ensemble(["tfidf", "bm25"], dev=DEV, out=folder, combine="mean", **QUICK)
    file = folder / "ensemble.json"
    file.write_text(file.read_text().replace('"bm25"', f'"{name}:lengths"'))
    with pytest.raises(tk.TextkinError, match="never run"):
        tk.compare(DEV, folder)
    assert name not in sys.modules


@pytest.mark.parametrize(
    ("options", "params"),
    [
        ({"corpus": ["a text"], "voters": 7}, ("corpus", "support")),
        ({"vectors": "vectors.txt"}, ("vectors",)),
    ],
)
def test_options_that_pairs_have_no_use_for(tmp_path, options, params):
    with pytest.raises(UsageError) as error:
        tk.ensemble(["default", "minhash"], dev=samples.pairs("travel")[:20], out=tmp_path / "e", **options)
    assert error.value.params == params and not (tmp_path / "e").exists()
