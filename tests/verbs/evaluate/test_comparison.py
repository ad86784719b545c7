from __future__ import annotations

import json
import math
from collections import Counter, defaultdict
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import pytrec_eval
from scipy.stats import pearsonr, spearmanr
from sklearn.metrics import average_precision_score, roc_auc_score

from tests.verbs.making import RECIPE, rows, write_pairs
from textkin.base.errors import DataError, LeakError, ModelError, UsageError
from textkin.data.readers import load_pairs
from textkin.kinds.measured_table import Measured
from textkin.kinds.measuring import Options
from textkin.kinds.score_file import read_scores
from textkin.measures.decisions.fit_threshold import fit_threshold
from textkin.measures.decisions.goal import Goal
from textkin.measures.intervals.paired_tests import holm
from textkin.measures.intervals.sampling import Sampling
from textkin.measures.metrics.measure_names import parse
from textkin.networks.recipes.recipe import load_recipe
from textkin.verbs.evaluate.comparison import compared
from textkin.verbs.evaluate.measure_run import measure
from textkin.verbs.experiments.study_file import StudyResult
from textkin.verbs.experiments.study_folder import StudyOptions
from textkin.verbs.train.material import Material
from textkin.verbs.train.train_recipe import train as train_recipe
from textkin.verbs.use.scored import score_pairs

FEW = Options(sampling=Sampling(30, 99))
Studied = tuple[Path, StudyOptions, StudyResult]


@pytest.fixture
def pairs(tmp_path: Path) -> Path:
    return write_pairs(tmp_path / "new.tsv", rows(30, seed=3))


@pytest.fixture
def wikiqa(tmp_path: Path) -> Path:
    header = "QuestionID\tQuestion\tDocumentID\tDocumentTitle\tSentenceID\tSentence\tLabel"
    lines = [header]
    for number, (a, b, label) in enumerate(rows(40, seed=4)):
        question = number // 7
        lines.append(
            f"Q{question}\twhat {rows(40, seed=4)[question * 7][0]}\tD\tT\tS{number}\t{a} {b}\t{label}"
        )
    (tmp_path / "WikiQA-test.tsv").write_text("\n".join(lines) + "\n")
    return tmp_path / "WikiQA-test.tsv"


@pytest.fixture
def beir(tmp_path: Path) -> Path:
    folder = tmp_path / "beir"
    (folder / "qrels").mkdir(parents=True)
    data = [(a, b) for a, b, label in rows(40, seed=4) if label]
    corpus = [{"_id": f"d{number}", "title": "", "text": b} for number, (_, b) in enumerate(data)]
    queries = [{"_id": f"q{number}", "text": a} for number, (a, _) in enumerate(data[:12])]
    (folder / "corpus.jsonl").write_text("".join(json.dumps(each) + "\n" for each in corpus))
    (folder / "queries.jsonl").write_text("".join(json.dumps(each) + "\n" for each in queries))
    judged = "".join(f"q{number}\td{number}\t1\n" for number in range(12))
    (folder / "qrels" / "test.tsv").write_text("query-id\tcorpus-id\tscore\n" + judged)
    return folder


def figures(measured: Measured, name: str) -> dict[str, float]:
    (row,) = (row for row in measured.systems.rows if row.name == name)
    return {key: figure.value for key, figure in row.measures.items()}


def test_pairs(pairs: Path, tmp_path: Path) -> None:
    found = compared(pairs, models=["tfidf"], options=Options(sampling=FEW.sampling, out=tmp_path / "out"))
    assert [row.name for row in found.systems.rows] == ["constant", "random", "tfidf", "tfidf-char", "bm25"]
    assert (found.kind, found.measure, found.systems.pairs) == ("pairs", "AP", len(rows(30)))
    assert found.systems.components == 15
    labels, systems = read_scores(tmp_path / "out" / "scores.tsv")
    for row in found.systems.rows:
        [scores] = systems[row.name]
        assert row.measures["AP"].value == pytest.approx(average_precision_score(labels, scores))
        assert row.measures["ROC AUC"].value == pytest.approx(roc_auc_score(labels, scores))
        assert row.measures["AP"].low <= row.measures["AP"].value <= row.measures["AP"].high
    assert figures(found, "constant")["AP"] == pytest.approx(labels.mean())
    best = max(("constant", "random", "tfidf", "tfidf-char", "bm25"), key=lambda n: figures(found, n)["AP"])
    assert (found.reference,) == found.systems.references == (best,)
    assert found.fitted_on.endswith("texts of the data itself (no labels)")


def test_baselines_read_by_an_analyser(pairs: Path, beir: Path, tmp_path: Path) -> None:
    english = replace(FEW, analyser="english", reference="bm25", out=tmp_path / "runs")
    found = compared(pairs, models=["bm25:german", "mine=tfidf"], options=english)
    assert [row.name for row in found.systems.rows] == [
        *("constant", "random", "tfidf:english", "tfidf-char", "bm25:english", "bm25:german", "mine"),
    ]
    assert found.reference == "bm25:english"
    assert figures(found, "mine") == figures(found, "tfidf:english")
    words = [("running", "she runs"), ("the cat", "the dog")]
    assert (score_pairs("bm25", words).scores > 0).tolist() == [False, True]
    for model, analyser in (("bm25", "english"), ("bm25:english", "plain")):
        assert (score_pairs(model, words, analyser=analyser).scores > 0).tolist() == [True, False]
    ranked = compared(beir, models=[], options=english)
    assert ranked.reference == "bm25:english"
    assert (tmp_path / "runs" / "bm25-english.run.trec").exists()
    for options, message in (
        (replace(FEW, analyser="english", baselines=("tfidf-char",)), ("analyser",)),
        (replace(FEW, analyser="elvish"), ("analyser",)),
        (replace(FEW, baselines=("bm25:elvish",)), ("baselines",)),
    ):
        with pytest.raises(UsageError) as error:
            compared(pairs, models=[], options=options)
        assert error.value.params == message
    with pytest.raises(UsageError) as error:
        score_pairs("tfidf-char", words, analyser="english")
    assert error.value.params == ("analyser",)


def test_no_query_finds_itself_if_asked(beir: Path, pairs: Path, tmp_path: Path) -> None:
    for name in ("corpus.jsonl", "queries.jsonl"):
        (beir / name).write_text((beir / name).read_text().replace('"_id": "q', '"_id": "d'))
    (beir / "qrels" / "test.tsv").write_text(
        "query-id\tcorpus-id\tscore\n" + "".join(f"d{n}\td{n + 1}\t1\n" for n in range(11))
    )
    found = {}
    for drop in (False, True):
        out = tmp_path / str(drop)
        options = replace(FEW, baselines=("bm25",), drop_identical_ids=drop, out=out)
        found[drop] = compared(beir, models=[], options=options)
        lines = [line.split() for line in (out / "bm25.run.trec").read_text().splitlines()]
        assert any(query == doc for query, _, doc, *_ in lines) is not drop
    # The same as leaving them out of the run afterwards, as BEIR's own evaluation does.
    qrels, run = tmp_path / "False" / "qrels.trec", tmp_path / "False" / "bm25.run.trec"
    afterwards = measure(run, qrels=qrels, measures=["nDCG@10"], drop_identical_ids=True, resamples=2)
    before = measure(run, qrels=qrels, measures=["nDCG@10"], resamples=2)
    assert afterwards.figures[parse("nDCG@10")].value == figures(found[True], "bm25")["nDCG@10"]
    assert before.figures[parse("nDCG@10")].value == figures(found[False], "bm25")["nDCG@10"]
    assert figures(found[True], "bm25")["nDCG@10"] > figures(found[False], "bm25")["nDCG@10"]
    with pytest.raises(UsageError) as error:
        compared(pairs, models=[], options=replace(FEW, drop_identical_ids=True))
    assert error.value.params == ("drop_identical_ids",)
    with pytest.raises(UsageError) as error:
        compared(pairs, models=[], options=replace(FEW, group_by="article"))
    assert error.value.params == ("group_by",)


def test_graded(tmp_path: Path) -> None:
    draw = np.random.default_rng(0)
    data = [(a, b, round(2 * label + float(draw.random()), 2)) for a, b, label in rows(30)]
    found = compared(write_pairs(tmp_path / "graded.tsv", data), models=[], options=FEW)
    assert [row.name for row in found.systems.rows] == ["random", "tfidf", "tfidf-char", "bm25"]
    labels = [label for *_, label in data]
    scores = score_pairs("tfidf", [(a, b) for a, b, _ in data]).scores
    assert figures(found, "tfidf") == pytest.approx(
        {"Spearman": spearmanr(labels, scores)[0], "Pearson": pearsonr(labels, scores)[0]}, abs=1e-6
    )
    without = compared(tmp_path / "graded.tsv", models=["constant"], options=FEW)
    assert [row.name for row in without.systems.rows] == ["random", "tfidf", "tfidf-char", "bm25"]
    assert any("constant" in note for note in without.notes)


@pytest.mark.torch
def test_trained_models_and_their_thresholds(studied: Studied, pairs: Path, tmp_path: Path) -> None:
    result = studied[2]
    model, other = str(result.model), str(result.folder / "trained" / "other-seed0" / "model")
    options = Options(sampling=FEW.sampling, baselines=("bm25", "random"), out=tmp_path / "out")
    found = compared(pairs, models=[model, other], options=options)
    assert [(row.name, row.trained) for row in found.systems.rows] == [
        *(("bm25", False), ("random", False)),
        *((model, True), (other, True)),
    ]
    (told,) = (note for note in found.notes if "threshold" in note)  # the other has no threshold
    assert told.startswith(f"{model}, threshold {result.report.threshold.value:.4f} fitted on dev")
    assert [one.model for one in found.coverages] == [model, other]
    alone = compared(pairs, models=[other, model], options=Options(sampling=FEW.sampling, baselines=()))
    assert alone.reference == other
    chosen = Options(sampling=FEW.sampling, reference=model, baselines=())
    assert compared(pairs, models=[other, model], options=chosen).reference == model


@pytest.mark.torch
def test_dev_pairs_that_a_model_has_seen_are_refused(studied: Studied, pairs: Path) -> None:
    model, train = str(studied[2].model), studied[2].folder / "split" / "train.tsv"
    options = Options(sampling=FEW.sampling, baselines=("tfidf",), dev=train)
    with pytest.raises(LeakError, match=r"147 of the 147 pairs of train\.tsv"):
        compared(pairs, models=[model], options=options)
    notes = compared(pairs, models=[model], options=replace(options, accept_leaks=True)).notes
    assert [note for note in notes if "trained on 147 of the 147 pairs of train.tsv" in note]
    assert compared(pairs, models=[], options=options).measure == "accuracy"  # baselines learn from none


@pytest.mark.torch
def test_pairs_that_a_model_has_seen_are_noted(studied: Studied) -> None:
    model, split = str(studied[2].model), studied[2].folder / "split"
    options = Options(sampling=FEW.sampling, baselines=("bm25",))
    with pytest.raises(LeakError):
        compared(split / "train.tsv", models=[model], options=options)
    accepted = replace(options, accept_leaks=True)
    assert (
        f"{model} was trained on 147 of these 147 pairs"
        in compared(split / "train.tsv", models=[model], options=accepted).notes[0]
    )
    assert (
        f"{model} was chosen by these very pairs"
        in compared(split / "dev.tsv", models=[model], options=options).notes[0]
    )
    assert not any(
        "very pairs" in note for note in compared(split / "test.tsv", models=[model], options=options).notes
    )


@pytest.mark.slow
def test_a_baseline_under_another_name_is_no_trained_model(pairs: Path) -> None:
    found = compared(pairs, models={"words": ["bm25"], "letters": ["tfidf-char"], "default": ["default"]})
    assert [row.name for row in found.systems.rows if row.trained] == ["default"]


def test_p_values_are_corrected_over_the_table(wikiqa: Path) -> None:
    found = compared(wikiqa, models=[], options=FEW)
    others = [row for row in found.systems.rows if row.against]
    assert len(others) == 5
    alone = [
        compared(
            wikiqa,
            models=[],
            options=Options(
                sampling=FEW.sampling, baselines=(found.reference, row.name), reference=found.reference
            ),
        )
        for row in others
    ]
    raw = np.array([one.systems.rows[1].against[found.reference].p for one in alone])
    assert [row.against[found.reference].p for row in others] == holm(raw).tolist()


def test_candidates_equal_the_c_code_and_read_back(wikiqa: Path, tmp_path: Path) -> None:
    options = Options(
        sampling=FEW.sampling, out=tmp_path / "out", measures=("MAP", "MRR", "nDCG@5", "gm_map")
    )
    found = compared(wikiqa, models=["order"], options=options)
    assert (found.kind, found.measure) == ("candidates", "MAP")
    with (tmp_path / "out" / "qrels.trec").open() as stream:
        judged = pytrec_eval.parse_qrel(stream)
    assert found.systems.queries == len(judged)
    for row in found.systems.rows:
        path = tmp_path / "out" / f"{row.name}.run.trec"
        with path.open() as stream:
            theirs = pytrec_eval.RelevanceEvaluator(judged, {"map", "recip_rank", "ndcg_cut"}).evaluate(
                pytrec_eval.parse_run(stream)
            )
        for name, key in (("MAP", "map"), ("MRR", "recip_rank"), ("nDCG@5", "ndcg_cut_5")):
            mean = sum(values[key] for values in theirs.values()) / len(judged)
            assert row.measures[name].value == pytest.approx(mean, abs=1e-9)
        again = measure(path, qrels=tmp_path / "out" / "qrels.trec", measures=["MAP", "gm_map"], resamples=30)
        assert row.measures["MAP"].low == pytest.approx(again.figures[parse("MAP")].low)
        assert row.measures["GMAP"].high == pytest.approx(again.figures[parse("GMAP")].high)


def test_the_main_measure_is_the_first_that_can_be_tested(wikiqa: Path) -> None:
    found = compared(
        wikiqa, models=[], options=Options(sampling=FEW.sampling, measures=("num_q", "gm_map", "P@1"))
    )
    assert found.measure == "P@1"
    assert list(found.systems.rows[0].measures) == ["P@1", "NumQ", "GMAP"]
    with pytest.raises(UsageError) as error:
        compared(wikiqa, models=[], options=Options(measures=("num_ret",)))
    assert error.value.params == ("measures",)


def bm25(query: str, document: str, corpus: list[str]) -> float:
    """Lucene's formula, word by word."""
    tokens = [text.split() for text in corpus]
    mean = sum(map(len, tokens)) / len(tokens)
    counts, total = Counter(document.split()), 0.0
    for word in query.split():
        df = sum(word in each for each in tokens)
        idf = math.log(1 + (len(corpus) - df + 0.5) / (df + 0.5))
        total += idf * counts[word] / (counts[word] + 1.5 * (0.25 + 0.75 * sum(counts.values()) / mean))
    return total


@pytest.mark.torch
def test_collections(beir: Path, tmp_path: Path, studied: Studied) -> None:
    model = str(studied[2].model)
    options = Options(sampling=FEW.sampling, out=tmp_path / "out", measures=("MRR", "nDCG@10"))
    found = compared(beir, models=[model], options=options)
    assert (found.kind, found.systems.queries) == ("collection", 12)
    corpus = [json.loads(line)["text"] for line in (beir / "corpus.jsonl").read_text().splitlines()]
    queries = [json.loads(line)["text"] for line in (beir / "queries.jsonl").read_text().splitlines()]
    run: dict[str, dict[str, float]] = defaultdict(dict)
    for number, query in enumerate(queries):
        for place, text in enumerate(corpus):
            if (value := bm25(query, text, corpus)) > 0:
                run[f"q{number}"][f"d{place}"] = round(value, 6)
    judged = {f"q{number}": {f"d{number}": 1} for number in range(12)}
    theirs = pytrec_eval.RelevanceEvaluator(judged, {"recip_rank"}).evaluate(run).values()
    mean = sum(values["recip_rank"] for values in theirs) / 12
    assert figures(found, "bm25")["MRR"] == pytest.approx(mean, abs=1e-6)
    again = measure(
        tmp_path / "out" / "model.run.trec", qrels=tmp_path / "out" / "qrels.trec", measures=["MRR"]
    )
    assert figures(found, model)["MRR"] == pytest.approx(again.figures[parse("MRR")].value)


@pytest.mark.torch
def test_models_of_one_name_get_files_of_their_own(studied: Studied, beir: Path, tmp_path: Path) -> None:
    folder = studied[2].folder
    models = [str(folder / "trained" / f"{name}-seed0" / "model") for name in ("tiny", "other")]
    options = Options(sampling=FEW.sampling, out=tmp_path / "out", baselines=())
    compared(beir, models=models, options=options)
    written = sorted(path.name for path in (tmp_path / "out").iterdir())
    assert written == ["model-2.run.trec", "model.run.trec", "qrels.trec"]
    assert (tmp_path / "out" / "model-2.run.trec").read_text().split()[5] == "model-2"


def test_texts_to_fit_on(pairs: Path, tmp_path: Path) -> None:
    (tmp_path / "corpus.txt").write_text("kab kad kaf\nlog mif pud\n")
    found = compared(pairs, models=[], options=Options(sampling=FEW.sampling, fit=tmp_path / "corpus.txt"))
    assert found.fitted_on == "2 texts of corpus.txt"


@pytest.mark.torch
def test_unknown_names(pairs: Path, wikiqa: Path, tmp_path: Path) -> None:
    with pytest.raises(ModelError) as error:
        compared(pairs, models=["tfid"], options=FEW)
    assert error.value.value == "tfid"
    with pytest.raises(UsageError) as error:
        compared(pairs, models=[], options=Options(baselines=("bm52",)))
    assert error.value.params == ("baselines",)
    with pytest.raises(UsageError) as error:
        compared(pairs, models=[], options=Options(reference="order"))
    assert error.value.params == ("against",)
    with pytest.raises(UsageError) as error:
        compared(pairs, models=[], options=Options(measures=("AP",)))
    assert error.value.params == ("measures",)
    with pytest.raises(UsageError) as error:
        compared(wikiqa, models=[], options=Options(measures=("NDGC",)))
    assert error.value.params == ("measures",)
    with pytest.raises(UsageError) as error:
        compared(pairs, models=[], options=Options(baselines=()))
    assert error.value.params == ("models", "baselines")
    with pytest.raises(UsageError) as error:
        compared(pairs, models=["mean-vectors"], options=FEW)
    assert error.value.params == ("vectors",)
    weights = tmp_path / "model.safetensors"
    weights.write_bytes(b"")
    with pytest.raises(ModelError) as error:
        compared(pairs, models=[str(weights)], options=FEW)
    assert str(error.value.path).endswith("model.safetensors")
    with pytest.raises(ModelError) as error:
        compared(pairs, models=[str(tmp_path)], options=FEW)
    assert error.value.path == tmp_path


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("a\tb\n" + "one text\tanother text\n" * 3, "has no labels"),
        ("premise\thypothesis\tlabel\na b\tc d\tneutral\ne f\tg h\tneutral\n", "one kind of label"),
        ("a\tb\tlabel\none text\tanother\t1\na text\tthe other\t1\n", "one kind of label"),
        ("a\tb\tlabel\none text\tanother\t0.5\na text\tthe other\t0.5\n", "one kind of label"),
    ],
)
def test_labels_that_cannot_be_measured(content: str, said: str, tmp_path: Path) -> None:
    (tmp_path / "pairs.tsv").write_text(content)
    with pytest.raises(DataError, match=said):
        compared(tmp_path / "pairs.tsv", models=[], options=FEW)


def nli(path: Path, *, seed: int, count: int = 90) -> Path:
    """Entailed texts repeat the first text, contradictions add not, the others differ."""
    lines = ["gold_label\tsentence1\tsentence2"]
    for place, (a, b, _) in enumerate(rows(count, seed=seed)):
        label = ("entailment", "neutral", "contradiction")[place % 3]
        lines.append(f"{label}\t{a}\t{(a, b, f'not {b}')[place % 3]}")
    path.write_text("\n".join(lines) + "\n")
    return path


def test_classes(tmp_path: Path) -> None:
    train, test = nli(tmp_path / "train.tsv", seed=1), nli(tmp_path / "test.tsv", seed=2, count=40)
    options = Options(sampling=FEW.sampling, fit=train, out=tmp_path / "out")
    found = compared(test, models=["bag-of-words"], options=options)
    names = ["random", "majority", "second-text", "bag-of-words"]
    assert [row.name for row in found.systems.rows] == names
    assert (found.kind, found.measure, found.reference) == ("pairs", "accuracy", "bag-of-words")
    assert not any(row.trained for row in found.systems.rows)
    header, *lines = ((tmp_path / "out" / "classes.tsv").read_text()).splitlines()
    cells = np.array([line.split("\t") for line in lines])
    assert header.split("\t") == ["label", *names]
    for column, name in enumerate(names, start=1):
        right = np.mean(cells[:, column] == cells[:, 0])
        assert figures(found, name)["accuracy"] == pytest.approx(right)
    assert figures(found, "bag-of-words")["accuracy"] > 0.8
    assert found.fitted_on.endswith("labelled pairs of train.tsv")
    assert found.notes == ()
    assert [one.system for one in found.by_class] == ["bag-of-words"]


def test_baselines_of_classes_need_labels_to_learn_from(tmp_path: Path, pairs: Path) -> None:
    test = nli(tmp_path / "test.tsv", seed=2, count=40)
    found = compared(test, models=[], options=FEW)
    assert [row.name for row in found.systems.rows] == ["random", "majority"]
    assert found.fitted_on.startswith("the labels of this data") and found.by_class == ()
    with pytest.raises(UsageError) as error:
        compared(test, models=["second-text"], options=FEW)
    assert error.value.params == ("fit",)
    with pytest.raises(DataError) as error:
        compared(test, models=[], options=Options(sampling=FEW.sampling, fit=pairs))
    assert str(error.value.path).endswith("new.tsv")
    again = compared(test, models=[], options=Options(sampling=FEW.sampling, fit=test))
    assert again.notes[0].endswith("texts and 140 pairs: figures may be too good")
    for name, said in (("bm25", "no model or baseline"), ("bag-of-word", "did you mean 'bag-of-words'")):
        with pytest.raises(ModelError, match=said):
            compared(test, models=[name], options=FEW)
    with pytest.raises(UsageError) as error:
        compared(test, models=[], options=Options(vectors=pairs))
    assert error.value.params == ("vectors",)
    with pytest.raises(UsageError) as error:
        compared(test, models=[], options=Options(measures=("AP",)))
    assert error.value.params == ("measures",)


@pytest.mark.torch
def test_a_trained_classifier(tmp_path: Path) -> None:
    recipe = RECIPE.format(name="classes", epochs=1).replace("siamese", "knrm").replace('cell = "mean"\n', "")
    recipe = recipe.replace("logistic", "cross-entropy").replace("score_scale = 8.0\n", "")
    (tmp_path / "classes.toml").write_text(recipe)
    train, dev, test = (
        nli(tmp_path / f"{name}.tsv", seed=seed, count=20)
        for name, seed in (("train", 1), ("dev", 2), ("test", 3))
    )
    material = Material(load_pairs(train).data, load_pairs(dev).data)
    run = train_recipe(load_recipe(str(tmp_path / "classes.toml")), material, out=tmp_path / "run")
    found = compared(
        test, models=[str(run.model)], options=Options(sampling=FEW.sampling, baselines=("majority",))
    )
    assert [(row.name, row.trained) for row in found.systems.rows] == [
        ("majority", False),
        (str(run.model), True),
    ]
    assert [one.system for one in found.by_class] == [str(run.model)]
    assert sum(sum(row.called) for row in found.by_class[0].rows) == found.systems.pairs
    seen = compared(train, models=[str(run.model)], options=replace(FEW, accept_leaks=True)).notes
    assert seen == (f"{run.model} was trained on 70 of these 70 pairs: its figures are too good",)
    graded = write_pairs(tmp_path / "graded.tsv", [("one text", "another", 0.1), ("this", "that", 0.7)])
    with pytest.raises(UsageError) as error:
        compared(graded, models=[str(run.model)], options=Options(baselines=("random",)))
    assert error.value.params == ("model",)


@pytest.mark.torch
def test_an_encoder_gives_no_classes(studied: Studied, tmp_path: Path) -> None:
    with pytest.raises(UsageError) as error:
        compared(nli(tmp_path / "test.tsv", seed=2), models=[str(studied[2].model)], options=FEW)
    assert error.value.params == ("models",)


@pytest.mark.torch
def test_decisions_by_thresholds_of_dev(studied: Studied, pairs: Path, tmp_path: Path) -> None:
    model = str(studied[2].model)
    dev = write_pairs(tmp_path / "dev.tsv", rows(30, seed=8))
    options = Options(sampling=FEW.sampling, dev=dev, baselines=("constant", "tfidf"), out=tmp_path / "out")
    found = compared(pairs, models=[model], options=options)
    assert (found.measure, [row.trained for row in found.systems.rows]) == ("accuracy", [False, False, True])
    labels, held = ([label for *_, label in rows(30, seed=seed)] for seed in (8, 3))
    scores, unseen = (
        score_pairs(model, [(a, b) for a, b, _ in rows(30, seed=seed)]).scores.astype(float)
        for seed in (8, 3)
    )
    threshold = fit_threshold(np.array(labels, dtype=float), scores, Goal.parse("accuracy"))
    assert figures(found, model)["accuracy"] == pytest.approx(np.mean((unseen >= threshold.value) == held))
    assert [one.system for one in found.by_class] == [model]
    assert any("fitted on dev.tsv for the best accuracy" in note for note in found.notes)
    assert (tmp_path / "out" / "classes.tsv").exists()
    with pytest.raises(LeakError):
        compared(pairs, models=[], options=Options(sampling=FEW.sampling, dev=pairs))
    with pytest.raises(UsageError) as error:
        compared(nli(tmp_path / "nli.tsv", seed=2), models=[], options=Options(dev=dev))
    assert error.value.params == ("dev",)


def test_no_question_is_left(wikiqa: Path) -> None:
    wikiqa.write_text(
        "\n".join(line[:-1] + "0" if line[-1] == "1" else line for line in wikiqa.read_text().splitlines())
    )
    with pytest.raises(DataError, match="has no queries"):
        compared(wikiqa, models=[], options=FEW)


def test_a_threshold_that_was_given_is_measured_and_marked(pairs: Path) -> None:
    found = compared(
        pairs, models=["tfidf"], options=replace(FEW, threshold=0.3, baselines=("tfidf", "random"))
    )
    assert found.decisions is not None
    assert [row.system for row in found.decisions.rows][:2] == ["tfidf", "random"]
    data = load_pairs(pairs).data
    same = score_pairs("tfidf", data.texts).scores >= 0.3
    assert found.decisions.rows[0].measures["accuracy"].value == pytest.approx(
        np.mean(same == (data.labels == 1))
    )
    assert "at the threshold 0.3, which is not fitted" in str(found)
    assert compared(pairs, models=["tfidf"], options=FEW).decisions is None
    english = compared(pairs, models=["bm25"], options=replace(FEW, threshold=3.0, analyser="english"))
    assert english.decisions is not None and english.decisions.system == "bm25:english"


def test_a_threshold_is_refused_where_it_decides_nothing(pairs: Path, wikiqa: Path, beir: Path) -> None:
    for data in (wikiqa, beir):
        with pytest.raises(UsageError) as error:
            compared(data, models=["tfidf"], options=replace(FEW, threshold=0.3))
        assert error.value.params == ("threshold",)
    with pytest.raises(UsageError) as error:
        compared(pairs, models=["tfidf", "bm25"], options=replace(FEW, threshold=0.3))
    assert error.value.params == ("threshold",)
    with pytest.raises(UsageError) as error:
        replace(FEW, threshold=math.nan)
    assert error.value.params == ("threshold",)
    with pytest.raises(UsageError) as error:
        replace(FEW, threshold=0.3, dev=pairs)
    assert error.value.params == ("threshold", "dev")


@pytest.mark.parametrize("name", ["report", "out"])
def test_what_is_read_is_never_written(tmp_path, name):
    data = tmp_path / "pairs.tsv"
    data.write_text("a\tb\tlabel\n" + "".join(f"a {n}\tb {n}\t{n % 2}\n" for n in range(9)))
    there = data.read_bytes()
    for given, also in ((data, {}), (data, {"dev": data}), ([("a", "b", 1), ("c", "d", 0)], {"fit": data})):
        options = Options(**{name: data}, **also)
        with pytest.raises(UsageError) as error:
            compared(given, models=["tfidf"], options=options)
        assert error.value.params == (name,)
    assert data.read_bytes() == there
