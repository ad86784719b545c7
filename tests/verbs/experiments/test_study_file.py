from __future__ import annotations

import errno
import itertools
import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from sklearn.metrics import average_precision_score, f1_score, precision_score, roc_auc_score

from tests.verbs.making import rows, write_pairs, write_recipe
from tests.verbs.rival import meets_a_rival
from textkin.base import files
from textkin.base.errors import ConfigError, DataError, OutputError, TrainingError, UsageError
from textkin.base.text_equality import key_of
from textkin.data.readers import Reading, load_pairs
from textkin.data.readers import pairs as pairs_reader
from textkin.data.readers.table import Table
from textkin.kinds.score_file import read_scores
from textkin.kinds.systems import load
from textkin.measures.decisions.goal import Goal
from textkin.measures.intervals.sampling import Sampling
from textkin.verbs.experiments import study_file as module
from textkin.verbs.experiments.study_file import study_file
from textkin.verbs.experiments.study_folder import StudyOptions
from textkin.verbs.experiments.study_result import StudyResult
from textkin.verbs.experiments.verify import verify_run
from textkin.verbs.train import train_many as runner

pytestmark = pytest.mark.torch

Studied = tuple[Path, StudyOptions, StudyResult]
FEW = Sampling(20, 20)


@pytest.fixture
def quick(tmp_path: Path) -> StudyOptions:
    return StudyOptions(models=(write_recipe(tmp_path),), seeds=1, sampling=FEW)


def undated(folder: Path) -> dict[str, object]:
    found: dict[str, object] = json.loads((folder / "report.json").read_text())
    return {name: value for name, value in found.items() if name != "made"}


def tree(folder: Path) -> dict[str, bytes]:
    return {str(path): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


def test_leaves_everything(studied: Studied) -> None:
    _, _, result = studied
    present = {path.name for path in result.folder.iterdir()}
    assert present == {
        *("study.json", "split", "trained", "scores", "model", "hashes.json"),
        *("report.json", "report.md", "report.html"),
    }
    recorded = json.loads((result.folder / "hashes.json").read_text())
    assert {"study.json", "report.html", "report.md", "split/test.tsv", "scores/curve.tsv"} < recorded.keys()
    assert "trained/tiny-seed1/metrics.jsonl" in recorded
    assert not any("checkpoints" in name for name in recorded)
    assert all(files.sha256_of_file(result.folder / name) == digest for name, digest in recorded.items())
    report = result.report
    assert {row.name for row in report.systems.rows} == {
        *("constant", "random", "tfidf", "tfidf-char", "bm25", "tiny", "other")
    }
    assert all((row.seconds is not None) is row.trained for row in report.systems.rows)
    assert len(report.training) == 4
    assert report.facts.proof[0].startswith("Counted on the written sides: 0 shared texts, 0 shared norm")


def test_figures_are_those_of_scikit_learn(studied: Studied) -> None:
    result = studied[2]
    labels, systems = read_scores(result.folder / "scores" / "test.tsv")
    for row in result.report.systems.rows:
        for name, figure in (("AP", average_precision_score), ("ROC AUC", roc_auc_score)):
            expected = np.mean([figure(labels, scores) for scores in systems[row.name]])
            assert row.measures[name].value == pytest.approx(expected, abs=1e-12)
    verdict = result.report.verdict
    assert verdict.model in ("tiny", "other")
    rows = {row.name: row for row in result.report.systems.rows}
    assert verdict.difference == pytest.approx(
        rows[verdict.model].measures["AP"].value - rows[verdict.reference].measures["AP"].value
    )
    points = result.report.label_curve.points
    assert points[-1].result == rows[verdict.model].measures["AP"]
    assert [point.labels for point in points] == [round(point.share * points[-1].labels) for point in points]


def test_the_threshold_is_the_best_on_dev_applied_to_test(studied: Studied) -> None:
    result = studied[2]
    threshold, name = result.report.threshold, result.report.verdict.model
    labels, systems = read_scores(result.folder / "scores" / "dev.tsv")
    by_seed = [average_precision_score(labels, scores) for scores in systems[name]]
    scores = systems[name][int(np.argmax(by_seed))]
    best = max(f1_score(labels, scores >= cut) for cut in scores)
    assert threshold.dev["F1"].value == pytest.approx(best)
    assert f1_score(labels, scores >= threshold.value) == pytest.approx(best)
    labels, systems = read_scores(result.folder / "scores" / "test.tsv")
    decided = systems[name][int(np.argmax(by_seed))] >= threshold.value
    assert threshold.test["F1"].value == pytest.approx(f1_score(labels, decided))
    assert threshold.test["precision"].value == pytest.approx(precision_score(labels, decided))
    saved = load(result.model).model
    assert saved.threshold.threshold.value == threshold.value
    assert saved.calibration is not None
    test = load_pairs(result.folder / "split" / "test.tsv").data
    np.testing.assert_allclose(
        load(result.model).score(test.texts), systems[name][int(np.argmax(by_seed))], atol=1e-6
    )


def test_the_card_has_the_figures(studied: Studied) -> None:
    card = (studied[2].model / "README.md").read_text()
    assert card.startswith(f"# {studied[2].report.verdict.model}\n")
    assert "| tfidf |" in card
    assert f"Threshold {studied[2].report.threshold.value:.4f}, fitted on dev for best F1" in card


def test_same_call_trains_nothing_and_says_the_same(
    studied: Studied, copy: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def trains(*_: object, **__: object) -> None:
        raise AssertionError("it trains again")

    monkeypatch.setattr("textkin.training.loop.train", trains)
    source, options, result = studied
    again = study_file(source, copy, options=options)
    assert undated(copy) == {**undated(result.folder), "reproduction": undated(copy)["reproduction"]}
    assert again.report.verdict == result.report.verdict
    assert read_scores(copy / "scores" / "test.tsv")[1].keys() == {
        row.name for row in again.report.systems.rows
    }
    verify_run(copy)


@pytest.mark.parametrize(
    ("change", "named"),
    [
        ({"seeds": 1}, "seeds"),
        ({"goal": Goal.parse("precision=0.9")}, "goal"),
        ({"split_seed": 1, "curve": False}, "curve, split_seed"),
        ({"sampling": Sampling(41, 40)}, "sampling"),
    ],
)
def test_another_study_is_refused(studied: Studied, change: dict[str, object], named: str) -> None:
    source, options, result = studied
    with pytest.raises(UsageError) as error:
        study_file(source, result.folder, options=replace(options, **change))
    assert error.value.params == ("out",)


def test_other_data_or_another_folder_is_refused(studied: Studied, tmp_path: Path) -> None:
    _, options, result = studied
    other = write_pairs(tmp_path / "pairs.tsv", rows(seed=1))
    with pytest.raises(UsageError) as error:
        study_file(other, result.folder, options=options)
    assert error.value.params == ("out",)
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "thesis.txt").touch()
    with pytest.raises(UsageError) as error:
        study_file(other, tmp_path / "mine", options=options)
    assert error.value.params == ("out",)
    (tmp_path / "broken").mkdir()
    for content in ("[1", "[" * 100_000):
        (tmp_path / "broken" / "study.json").write_text(content)
        with pytest.raises(UsageError) as error:
            study_file(other, tmp_path / "broken", options=options)
        assert error.value.params == ("out",)


def test_goes_on_where_it_stopped(studied: Studied, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    source, options, result = studied
    trained: list[str] = []

    def stops(recipe, *rest, **options):
        if recipe.name == "other" and not trained.count("stopped"):
            trained.append("stopped")
            raise TrainingError("the power is gone")
        trained.append(recipe.name)
        return train(recipe, *rest, **options)

    train = runner.train
    monkeypatch.setattr(runner, "train", stops)
    with pytest.raises(TrainingError):
        study_file(source, tmp_path / "out", options=options)
    assert trained == ["tiny", "tiny", "stopped"]
    before = (tmp_path / "out" / "trained" / "tiny-seed1" / "result.json").stat().st_mtime_ns
    again = study_file(source, tmp_path / "out", options=options)
    assert (tmp_path / "out" / "trained" / "tiny-seed1" / "result.json").stat().st_mtime_ns == before
    for name in ("test.tsv", "dev.tsv", "curve.tsv"):
        scores = [(folder / "scores" / name).read_bytes() for folder in (again.folder, result.folder)]
        assert scores[0] == scores[1]
    assert again.report.verdict == result.report.verdict


def test_a_full_disk_leaves_the_old_model_and_report(
    studied: Studied, copy: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source, options, _ = studied
    before = tree(copy)

    def full(path: Path, content: bytes) -> None:
        path.write_bytes(content[:10])
        raise OSError(errno.ENOSPC, "No space left on device", str(path))

    monkeypatch.setattr("textkin.verbs.experiments.study_report.write_bytes", full)
    with pytest.raises(OutputError):
        study_file(source, copy, options=options)
    assert tree(copy) == before


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("question1\tquestion2\n" + "one text\tanother text\n" * 20, "has no labels"),
        ("premise\thypothesis\tlabel\n" + "a b\tc d\tneutral\ne f\tg h\tentailment\n" * 9, "classes"),
        ("a\tb\tlabel\n" + "one text\tanother text\t1\n" * 20, "one kind of label"),
        ("a\tb\tlabel\none text\tanother\t1\na text\tthe other\t0\n", "too few groups"),
        ("", "empty|no row|blank"),
        ("qid\tquestion\tcandidate\tlabel\n1\ta b\tc d\t1\n1\ta b\te f\t0\n", "candidates"),
        ("anchor\tpositive\tnegative\na b\ta c\td e\n", "candidates"),
        ("question\tA\tB\tanswer\nWho?\tAda\tBob\tA\n", "choice"),
    ],
)
def test_what_cannot_be_studied_claims_no_folder(
    content: str, said: str, tmp_path: Path, quick: StudyOptions
) -> None:
    (tmp_path / "pairs.tsv").write_text(content)
    with pytest.raises(DataError, match=said):
        study_file(tmp_path / "pairs.tsv", tmp_path / "out", options=quick)
    assert not list((tmp_path / "out").glob("*")) if (tmp_path / "out").exists() else True


def test_wrong_options_claim_no_folder(tmp_path: Path, quick: StudyOptions) -> None:
    source = write_pairs(tmp_path / "pairs.tsv", rows(20))
    wrong = {
        "vectors .* can't be read": replace(quick, vectors=tmp_path / "none.txt"),
        "nothing.tsv": replace(quick, more=(tmp_path / "nothing.tsv",)),
        "no recipe": replace(quick, models=("siamese-lstn",)),
        "models is": replace(quick, models=quick.models * 2),
        "models is 'bm25'": replace(quick, models=(write_recipe(tmp_path, "bm25"),)),
    }
    for said, options in wrong.items():
        with pytest.raises((UsageError, DataError, ConfigError), match=said):
            study_file(source, tmp_path / "out", options=options)
    recipe = Path(quick.models[0])
    recipe.write_text(recipe.read_text().replace('"tiny"', '"../tiny"'))
    with pytest.raises(ConfigError, match="not a file name"):
        study_file(source, tmp_path / "out", options=quick)
    assert not (tmp_path / "out").exists()


def test_further_positives_that_are_linked_to_held_out_texts_are_left_out(
    tmp_path: Path, quick: StudyOptions
) -> None:
    source = write_pairs(tmp_path / "pairs.tsv", rows())
    study_file(source, tmp_path / "plain", options=quick)
    dev, test, train = (
        load_pairs(tmp_path / "plain" / "split" / f"{name}.tsv").data for name in ("dev", "test", "train")
    )
    linked = [
        (dev.pairs[0].a.upper() + "!", "fresh one", 1),  # the same normalised text
        ("fresh one", "fresh two", 1),  # through the row before
        ("fresh three", test.pairs[0].b, 1),
    ]
    free = [("fresh four", "fresh five", 1), ("fresh six", train.pairs[0].a, 1)]
    first = write_pairs(tmp_path / "more.tsv", [*linked, *free, ("fresh seven", "fresh eight", 0)])
    second = write_pairs(tmp_path / "evenmore.tsv", [("fresh two", "fresh nine", 1)])
    held_out = {key_of(text) for pair in itertools.chain(dev.texts, test.texts) for text in pair}
    candidates = [(a, b) for a, b, _ in (*linked, *free, ("fresh two", "fresh nine", 1))]
    tainted, before = set(held_out), 0
    while len(tainted) > before:
        before = len(tainted)
        for a, b in candidates:
            if {key_of(a), key_of(b)} & tainted:
                tainted |= {key_of(a), key_of(b)}
    expected = sum(key_of(a) in tainted for a, b in candidates)
    assert expected == 4
    options = replace(quick, more=(first, second))
    result = study_file(source, tmp_path / "out", options=options)
    assert result.report.notes[0] == (
        f"2 further positive pairs were used in training; {expected} others were left out, as they are "
        "linked to a text of dev or test."
    )


def test_baselines_of_words_read_in_the_way_that_is_stronger_on_dev(
    tmp_path: Path, quick: StudyOptions
) -> None:
    forms = ("connect {} cable", "connected {} cables", "connecting {} the cable", "connection of {} cables")
    same = [(forms[n % 4].format(f"w{n}"), forms[(n + 1) % 4].format(f"w{n}"), 1) for n in range(60)]
    other = [(f"the cat of n{n}", f"the dog of m{n}", 0) for n in range(60)]
    source = write_pairs(tmp_path / "pairs.tsv", [*same, *other])
    for analyser, expected in (("english", ["bm25", "bm25:english"]), ("plain", ["bm25"])):
        result = study_file(source, tmp_path / analyser, options=replace(quick, analyser=analyser))
        names = [row.name for row in result.report.systems.rows if row.name.startswith("bm25")]
        _, dev = read_scores(result.folder / "scores" / "dev.tsv")
        _, test = read_scores(result.folder / "scores" / "test.tsv")
        assert names == [name for name in test if name.startswith("bm25")]
        assert sorted(names) == expected
        assert ("bm25:english" in dev) is (analyser == "english")
        assert verify_run(result.folder).figures > 0
        said = sum("bm25:english was chosen on dev" in note for note in result.report.notes)
        assert said == (analyser == "english")
    with pytest.raises(UsageError) as error:
        study_file(source, tmp_path / "plain", options=quick)
    assert error.value.params == ("out",)
    with pytest.raises(UsageError) as error:
        study_file(source, tmp_path / "none", options=replace(quick, analyser="klingon"))
    assert error.value.params == ("analyser",)
    assert not (tmp_path / "none").exists()


def test_graded_pairs_have_no_threshold(tmp_path: Path, quick: StudyOptions) -> None:
    draw = np.random.default_rng(0)
    graded = [(a, b, round(3.0 * label + float(draw.random()), 3)) for a, b, label in rows()]
    source = write_pairs(tmp_path / "pairs.tsv", graded)
    result = study_file(source, tmp_path / "out", options=quick)
    report = result.report
    assert (report.measure, report.threshold, report.calibration) == ("Spearman", None, None)
    assert "constant" not in {row.name for row in report.systems.rows}
    assert load(result.model).model.threshold is None
    labels, _ = read_scores(result.folder / "scores" / "test.tsv")
    assert set(labels.tolist()) <= {label for *_, label in graded}
    verify_run(result.folder)


def test_vectors_bring_a_baseline(tmp_path: Path, quick: StudyOptions) -> None:
    pairs = rows()
    words = sorted({word for a, b, _ in pairs for word in f"{a} {b}".split()})
    vectors = tmp_path / "vectors.txt"
    draw = np.random.default_rng(0)
    vectors.write_text(
        "".join(f"{word} {' '.join(f'{x:.3f}' for x in draw.normal(size=16))}\n" for word in words)
    )
    options = replace(quick, vectors=vectors)
    result = study_file(write_pairs(tmp_path / "pairs.tsv", pairs), tmp_path / "out", options=options)
    assert "mean-vectors" in {row.name for row in result.report.systems.rows}
    assert not any("No pretrained vectors" in note for note in result.report.notes)
    vectors.write_text(vectors.read_text().replace("1", "2"))
    with pytest.raises(UsageError) as error:
        study_file(tmp_path / "pairs.tsv", tmp_path / "out", options=options)
    assert error.value.params == ("out",)


def test_csv_with_quotes_as_text(tmp_path: Path, quick: StudyOptions) -> None:
    """The sides are quoted by textkin, however the file was."""
    lines = ["a,b,label", *(f'say "{a}",{b},{label}' for a, b, label in rows())]
    (tmp_path / "pairs.csv").write_text("\n".join(lines) + "\n")
    options = replace(quick, reading=Reading(quoting="none"))
    result = study_file(tmp_path / "pairs.csv", tmp_path / "out", options=options)
    labels, _ = read_scores(result.folder / "scores" / "test.tsv")
    assert len(labels) == result.report.systems.pairs
    errors = result.report.errors
    assert all(pair.a.count('"') == 2 for pair in (*errors.false_positives, *errors.false_negatives))
    verify_run(result.folder)


def test_a_precision_that_cant_be_computed_takes_no_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(self: object, *inputs: object) -> None:
        raise RuntimeError("no such primitive")

    source = write_pairs(tmp_path / "pairs.tsv", rows())
    path = Path(write_recipe(tmp_path, "long"))
    whole = path.read_text()
    half = whole.replace("[training]\n", '[training]\nprecision = "bf16"\n')
    half = half.replace('cell = "mean"', 'cell = "lstm"')
    assert half.count("bf16") == 1 and "lstm" in half
    path.write_text(half)
    options = StudyOptions(models=("static", str(path)), seeds=1, sampling=Sampling(40, 40))
    with monkeypatch.context() as patch:
        patch.setattr("torch.nn.LSTM.forward", fail)
        with pytest.raises(UsageError) as error:
            study_file(source, tmp_path / "study", options=options)
        assert error.value.value == "bf16"
    assert not (tmp_path / "study" / "trained").exists()
    path.write_text(half.replace("bf16", "fp32"))
    study_file(source, tmp_path / "study", options=options)


@pytest.mark.slow
def test_runs_may_be_processes(tmp_path: Path, quick: StudyOptions) -> None:
    source = write_pairs(tmp_path / "pairs.tsv", rows())
    one, other = (
        study_file(source, tmp_path / f"{jobs}", options=replace(quick, jobs=jobs)) for jobs in (1, 2)
    )
    assert one.report.verdict == other.report.verdict


def test_the_file_is_read_once(tmp_path: Path, quick: StudyOptions, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its rows become records once; the split copies them and the linter numbers them."""
    opened: list[Path] = []
    plain = pairs_reader.collect

    def counted(table: Table, *arguments: object, **options: object) -> object:
        opened.append(table.path)
        return plain(table, *arguments, **options)  # type: ignore[arg-type]

    monkeypatch.setattr(pairs_reader, "collect", counted)
    path = write_pairs(tmp_path / "pairs.tsv", rows())
    study_file(path, tmp_path / "out", options=quick)
    assert opened.count(path) == 1


def test_models_are_fetched_only_if_asked_for(
    tmp_path: Path, quick: StudyOptions, monkeypatch: pytest.MonkeyPatch
) -> None:
    fetched: list[str] = []
    write_pairs(tmp_path / "pairs.tsv", rows())
    monkeypatch.setattr(module, "fetch", lambda *models: fetched.extend(models))
    for download, expected in ((False, []), (True, ["no/model"])):
        options = replace(quick, models=("no/model",), download=download)
        with pytest.raises(ConfigError) as error:
            study_file(tmp_path / "pairs.tsv", tmp_path / "out", options=options)
        assert error.value.value == "no/model"
        assert fetched == expected


def test_a_second_writer_is_refused_while_the_first_trains(
    tmp_path: Path, quick: StudyOptions, monkeypatch: pytest.MonkeyPatch
) -> None:
    source, out = write_pairs(tmp_path / "pairs.tsv", rows()), tmp_path / "out"
    told = meets_a_rival(monkeypatch, module, "_train", lambda: study_file(source, out, options=quick))
    study_file(source, out, options=quick)
    assert str(out) in told[0]
    verify_run(out)
