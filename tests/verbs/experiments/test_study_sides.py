from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import pytrec_eval

from tests.verbs.making import rows, write_pairs
from tests.verbs.making_data import write_classes, write_questions, write_ranking, write_recipe
from textkin.base.errors import (
    ConfigError,
    DataError,
    LeakError,
    TextkinError,
    TrainingError,
    UsageError,
    VerifyError,
)
from textkin.base.files import sha256_of_file
from textkin.data.readers import Reading
from textkin.kinds.score_file import read_scores
from textkin.kinds.seed_files import file_tags
from textkin.measures.decisions.fit_threshold import fit_threshold
from textkin.measures.decisions.goal import Goal
from textkin.measures.intervals.sampling import Sampling
from textkin.networks.recipes.recipe import load_recipe
from textkin.report.content import StudyReport
from textkin.text.baselines import build
from textkin.verbs.experiments import study_models
from textkin.verbs.experiments import study_sides as module
from textkin.verbs.experiments.stronger_baselines import BS, K1S
from textkin.verbs.experiments.study_folder import StudyOptions
from textkin.verbs.experiments.study_models import entrants_of
from textkin.verbs.experiments.study_result import StudyResult
from textkin.verbs.experiments.study_sides import study_sides
from textkin.verbs.experiments.verify import verify_run
from textkin.verbs.train.dataset_splits import Sources, load_dataset
from textkin.verbs.train.train_many import Job, Outcome

pytestmark = pytest.mark.torch

FEW = Sampling(40, 199)
Held = tuple[Sources, StudyOptions, StudyResult, list[str]]


def hold(sources: Sources, out: Path, options: StudyOptions) -> Held:
    lines: list[str] = []
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "note", lines.append)
        return sources, options, study_sides(sources, out, options=options), lines


@pytest.fixture(scope="module")
def ranking(tmp_path_factory: pytest.TempPathFactory) -> Held:
    import torch

    torch.set_num_threads(1)
    folder = tmp_path_factory.mktemp("ranking")
    recipes = (
        write_recipe(folder, "cosine", loss="logistic", rows="pairs", epochs=2),
        write_recipe(folder, "broken", loss="cosent"),
        write_recipe(folder, "ranks", loss="rank-hinge"),
    )
    (folder / "vectors.txt").write_text("the 1 0.5 0\nwhy -1 0 0.5\nwas 0 1 0.3\nhow 0.2 0 1\n")
    options = StudyOptions(
        recipes, seeds=2, sampling=FEW, vectors=folder / "vectors.txt", measures=("MAP", "P@1"), device="cpu"
    )
    return hold(Sources.of_folder(write_ranking(folder / "data")), folder / "out", options)


@pytest.fixture(scope="module")
def classes(tmp_path_factory: pytest.TempPathFactory) -> Held:
    folder = tmp_path_factory.mktemp("classes")
    small = write_recipe(folder, "small", task="classes")
    options = StudyOptions((small,), seeds=2, sampling=FEW, device="cpu")
    return hold(Sources.of_folder(write_classes(folder / "data")), folder / "out", options)


@pytest.fixture
def copy(ranking: Held, tmp_path: Path) -> Path:
    return Path(shutil.copytree(ranking[2].folder, tmp_path / "study"))


def row(report: StudyReport, name: str) -> object:
    (found,) = (one for one in report.systems.rows if one.name == name)
    return found


def test_figures_are_means_over_the_seeds_and_follow_from_the_run_files(ranking: Held) -> None:
    report, runs = ranking[2].report, ranking[2].folder / "runs"
    with (runs / "qrels.trec").open() as stream:
        judged = pytrec_eval.parse_qrel(stream)

    def average_precision(name: str) -> float:
        with (runs / f"{name}.run.trec").open() as stream:
            run = pytrec_eval.parse_run(stream)
        values = pytrec_eval.RelevanceEvaluator(judged, {"map"}).evaluate(run).values()
        return sum(each["map"] for each in values) / len(judged)

    (tuned,) = (one.name for one in report.systems.rows if one.name.startswith("bm25("))
    assert {one.name for one in report.systems.rows} == {
        *("constant", "random", "order", "tfidf", "tfidf-char", "bm25", "mean-vectors", "cosine", "ranks"),
        tuned,
    }
    for one in report.systems.rows:
        tags = [f"{one.name}-seed0", f"{one.name}-seed1"] if one.trained else file_tags([one.name])
        values = [average_precision(tag) for tag in tags]
        assert one.measures["MAP"].value == pytest.approx(np.mean(values))
        assert one.seeds_sd == (pytest.approx(np.std(values, ddof=1)) if one.trained else None)
        assert list(one.measures) == ["MAP", "P@1"]
        assert (one.seconds is not None) == (one.parameters is not None) == one.trained
    assert {path.name for path in runs.iterdir()} == {
        "qrels.trec",
        *(f"{name}-seed{seed}.run.trec" for name in ("cosine", "ranks") for seed in range(2)),
        *(
            f"{tag}.run.trec"
            for one in report.systems.rows
            if not one.trained
            for tag in file_tags([one.name])
        ),
    }


def strongest(report: StudyReport) -> str:
    baselines = [row for row in report.systems.rows if not row.trained]
    return max(baselines, key=lambda row: row.measures[report.measure].value).name


def test_everything_is_compared_with_the_strongest_baseline_and_well_known_ones(ranking: Held) -> None:
    report = ranking[2].report
    references = report.systems.references
    assert references[0] == report.verdict.reference == strongest(report)
    assert {"mean-vectors", "order"} <= set(references) <= {"mean-vectors", "order", strongest(report)}
    for one in report.systems.rows:
        assert set(one.against) == set(references) - {one.name}
    dev = {
        name: np.mean(
            [curve.epochs[curve.best_epoch - 1].dev for curve in report.training if curve.system == name]
        )
        for name in ("cosine", "ranks")
    }
    best = max(dev, key=lambda name: dev[name])
    assert (report.verdict.model, report.verdict.reference) == (best, strongest(report))
    assert report.verdict.p == row(report, best).against[strongest(report)].p
    assert f"The verdict is about {best} because it was best on dev (MAP {dev[best]:.3f}" in report.notes[0]


def test_a_recipe_that_fails_is_told_and_stops_no_other(ranking: Held) -> None:
    _, _, result, lines = ranking
    assert list(result.failures) == ["broken"]
    assert any(
        note.startswith("broken is not in the table: seed 0: the loss 'cosent'")
        for note in result.report.notes
    )
    assert [line.split(":")[0] for line in lines] == [
        "1/6 cosine, seed 0",
        "2/6 cosine, seed 1",
        "3/6 broken, seed 0",
        "4/6 ranks, seed 0",
        "5/6 ranks, seed 1",
        "testing 27 differences, 199 rounds each",
    ]
    assert "failed: the loss" in lines[2] and " s" in lines[0] and "dev MAP 0." in lines[0]
    assert not (result.folder / "trained" / "broken-seed0").exists()


def test_what_is_needed_to_do_it_again_is_in_the_report(ranking: Held) -> None:
    report = ranking[2].report
    assert report.data == "Sample-test.tsv, questions with a right candidate"
    assert set(report.reproduction.hashes) == {"train", "dev", "test", "vectors", "code"}
    assert 'name = "cosine"' in report.reproduction.recipe and 'name = "ranks"' in report.reproduction.recipe
    assert [(side.name, side.components) for side in report.facts.sides] == [
        ("train", 96),
        ("dev", 32),
        ("test", 32),
    ]
    assert report.facts.proof[0].startswith(
        "No question of test is in train or dev, and none of dev in train"
    )
    assert StudyReport.from_dict(json.loads((ranking[2].folder / "report.json").read_text())) == report
    assert "| cosine |" in (ranking[2].folder / "report.md").read_text()


def test_a_finished_study_is_not_trained_again(ranking: Held, monkeypatch: pytest.MonkeyPatch) -> None:
    sources, options, before, _ = ranking
    monkeypatch.setattr("textkin.verbs.train.train_recipe._fit", None)
    again = hold(sources, before.folder, replace(options, models=options.models[::2]))
    assert again[2].report.systems == before.report.systems
    assert [line.partition(": ")[2].endswith("trained before") for line in again[3]] == [*[True] * 4, False]
    mixed = replace(options, models=options.models[::2], reading=Reading(questions="mixed"), measures=())
    other = hold(sources, before.folder, mixed)[2].report
    assert other.data == "Sample-test.tsv, questions with right and wrong candidates"
    assert list(other.systems.rows[0].measures) == ["MAP", "MRR", "P@1", "nDCG@10"]
    study_sides(sources, before.folder, options=replace(options, models=options.models[::2]))


def test_another_study_is_refused(ranking: Held, tmp_path: Path) -> None:
    sources, options, result, _ = ranking
    other = write_questions(tmp_path / "other.tsv", range(33, 40))
    with pytest.raises(UsageError) as error:
        study_sides(replace(sources, test=other), result.folder, options=options)
    assert error.value.params == ("out",)
    with pytest.raises(UsageError) as error:
        swapped = replace(sources, train=sources.dev, dev=sources.train)
        study_sides(swapped, result.folder, options=replace(options, vectors=None))
    assert error.value.params == ("out",)
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "letter.txt").touch()
    with pytest.raises(UsageError) as error:
        study_sides(sources, tmp_path / "full", options=options)
    assert error.value.params == ("out",)


def test_without_vectors_the_stronger_reading_of_words_is_in_the_table(
    ranking: Held, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sources, options, _, _ = ranking
    monkeypatch.setattr(module, "train_many", _taken_from(ranking))
    options = replace(options, models=options.models[:1], vectors=None)
    found = study_sides(sources, tmp_path / "out", options=options).report
    dev = load_dataset(replace(sources, test=sources.dev, dev=sources.test), options.choice(None)).test
    judge = module.judge_for(dev, options)
    texts = list(dict.fromkeys(text for pair in load_dataset(sources).train.texts for text in pair))
    grid = [f"bm25{read}(k1={k1},b={b})" for read in ("", ":english") for k1 in K1S for b in BS]
    for name in ["tfidf", "tfidf:english", "bm25", "bm25:english", *grid]:
        judge.take(name, build(name, fit_texts=texts))
    table = {row.name for row in found.systems.rows}
    better, worse = sorted(("tfidf", "tfidf:english"), key=judge.value, reverse=True)
    assert better in table
    assert worse not in table
    assert any(
        note.startswith(f"{better} was chosen on dev") and f", against {worse} " in note
        for note in found.notes
    )
    (tuned,) = (name for name in table if name.startswith("bm25") and name != "bm25")
    judge.take(tuned, build(tuned, fit_texts=texts))
    assert judge.value(tuned) >= max(judge.value(name) for name in ["bm25", "bm25:english", *grid])
    assert any(
        note.startswith(f"{tuned} was chosen on dev") and "(also in the table)" in note
        for note in found.notes
    )
    assert found.systems.references[0] == strongest(found)
    assert f"The verdict is against {strongest(found)}, the strongest baseline on test." in found.notes
    assert "No pretrained vectors were used: everything was learnt from the training data." in found.notes


def _taken_from(held: Held) -> Callable[..., object]:
    """Outcomes of an earlier study instead of training."""

    def train_many(jobs: list[Job], *_: object, processes: int | None, **__: object) -> object:
        from textkin.verbs.train.train_many import Outcome
        from textkin.verbs.train.train_recipe import _finished

        for job in jobs:
            yield Outcome(job, _finished(held[2].folder / "trained" / job.folder.name))

    return train_many


def test_each_recipe_and_seed_starts_from_its_own_model_of_another_study(
    ranking: Held, tmp_path: Path
) -> None:
    sources, options, before, _ = ranking
    chosen = replace(options, models=options.models[-1:], start=before.folder)
    result = study_sides(sources, tmp_path / "on", options=chosen)
    for seed in (0, 1):
        old, new = (one.folder / "trained" / f"ranks-seed{seed}" for one in (before, result))
        start = json.loads((new / "run.json").read_text())["start_sha256"]
        assert start == sha256_of_file(old / "model" / "textkin.json")
    assert any("kept apart from this test, too" in note for note in result.report.notes)
    verify_run(result.folder)
    with pytest.raises(UsageError) as error:
        study_sides(sources, tmp_path / "on", options=replace(chosen, start=None))
    assert error.value.params == ("out",)
    one = replace(chosen, start=before.folder / "trained" / "ranks-seed1" / "model")
    result = study_sides(sources, tmp_path / "one", options=one)
    assert any("not checked for overlap with test" in note for note in result.report.notes)
    with pytest.raises(UsageError) as error:
        study_sides(sources, tmp_path / "none", options=replace(chosen, start=tmp_path))
    assert error.value.params == ("model",)
    assert not (tmp_path / "none").exists()


def test_a_start_that_has_learnt_from_the_test_is_refused(ranking: Held, tmp_path: Path) -> None:
    sources, options, before, _ = ranking
    start = before.folder / "trained" / "ranks-seed1" / "model"
    turned = replace(sources, train=sources.test, test=sources.train, dev=None)
    chosen = replace(options, models=options.models[-1:], start=start)
    with pytest.raises(LeakError):
        study_sides(turned, tmp_path / "out", options=chosen)
    assert not (tmp_path / "out").exists()


def test_jobs_are_processes(ranking: Held, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    sources, options, _, _ = ranking
    seen = []

    def train_many(jobs: list[Job], *rest: object, processes: int | None, **more: object) -> object:
        seen.append(processes)
        return _taken_from(ranking)(jobs, *rest, processes=processes, **more)

    monkeypatch.setattr(module, "train_many", train_many)
    options = replace(options, models=options.models[:1], jobs=2)
    report = study_sides(sources, tmp_path / "out", options=options).report
    assert seen == [2] and report.reproduction.settings["training"] == "2 at a time, with one thread each"


def test_nothing_comes_through(ranking: Held, tmp_path: Path) -> None:
    sources, options, _, _ = ranking
    with pytest.raises(ConfigError, match="none of 1 recipe could be trained; broken: seed 0: the loss"):
        study_sides(sources, tmp_path / "out", options=replace(options, models=options.models[1:2]))


@pytest.mark.parametrize(
    ("kinds", "expected"),
    [
        ((UsageError, UsageError), UsageError),
        ((ConfigError, ConfigError), ConfigError),
        ((ConfigError, UsageError), UsageError),
        ((UsageError, None), TrainingError),
    ],
)
def test_recipes_that_were_all_refused_are_no_failure_of_training(
    kinds: tuple[type[TextkinError] | None, ...],
    expected: type[TextkinError],
    ranking: Held,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def train_many(jobs: list[Job], *_: object, **more: object) -> object:
        yield from (Outcome(job, None, "no", kind) for job, kind in zip(jobs, kinds, strict=True))

    monkeypatch.setattr(module, "train_many", train_many)
    sources, options, _, _ = ranking
    options = replace(options, models=options.models[:2], seeds=1)
    with pytest.raises(TextkinError, match="none of 2 recipes could be trained") as caught:
        study_sides(sources, tmp_path / "out", options=options)
    assert type(caught.value) is expected


def test_classes_have_words_alone_trained_word_means_and_the_commonest_class_as_references(
    classes: Held,
) -> None:
    report, folder = classes[2].report, classes[2].folder
    assert (report.measure, report.systems.references) == ("accuracy", ("second-text", "small", "majority"))
    assert {one.name for one in report.systems.rows} == {
        *("random", "majority", "second-text", "bag-of-words", "small")
    }
    assert (report.verdict.model, report.verdict.reference) == ("small", "second-text")
    assert "The verdict is against second-text, the strongest baseline on test." in report.notes
    assert report.by_class.system == "small" and report.by_class.seeds == 2
    labels, systems = read_scores(folder / "runs" / "classes.tsv", classes=("no", "other", "same"))
    assert systems["small"].shape == (2, 270)
    right = np.mean(systems["small"] == labels)
    assert row(report, "small").measures["accuracy"].value == pytest.approx(right)
    assert report.facts.proof[0].startswith("No pair of test is in train or dev")
    assert verify_run(folder).scores == 270


@pytest.mark.parametrize("decisions", [False, True])
def test_pairs_and_decisions_on_them(decisions: bool, tmp_path: Path) -> None:
    train, test = (
        write_pairs(tmp_path / f"{name}.tsv", rows(groups, seed=seed))
        for name, groups, seed in (("train", 60, 1), ("test", 30, 2))
    )
    tiny = write_recipe(tmp_path, "tiny", task="pairs")
    options = StudyOptions((tiny,), seeds=2, sampling=FEW, device="cpu", decisions=decisions)
    found = study_sides(Sources(train, test), tmp_path / "out", options=options)
    assert found.report.systems.references == (strongest(found.report),)
    assert any(
        line.startswith("dev: no file was given, so 15 % of train became dev")
        for line in found.report.facts.proof
    )
    assert verify_run(found.folder).scores == len(rows(30, seed=2))
    labels, scores = read_scores(found.folder / "runs" / "scores.tsv")
    if not decisions:
        assert found.report.measure == "AP"
        return
    assert found.report.measure == "accuracy"
    dev = load_dataset(Sources(train, test)).dev
    models = [found.folder / "trained" / f"tiny-seed{seed}" / "model" for seed in range(2)]
    cuts = [fit_threshold(dev.labels, module.outputs(model, dev), Goal.parse("accuracy")) for model in models]
    right = [np.mean(cut.decide(one) == labels) for cut, one in zip(cuts, scores["tiny"], strict=True)]
    assert row(found.report, "tiny").measures["accuracy"].value == pytest.approx(np.mean(right))


def test_wrong_calls_leave_no_folder(ranking: Held, tmp_path: Path) -> None:
    sources, options, _, _ = ranking
    out = tmp_path / "out"
    pairs = write_recipe(tmp_path, "pairs-recipe", task="pairs")
    for error, words, changes in (
        (UsageError, "models is", {"models": ()}),
        (ConfigError, "there is no recipe 'knrn'", {"models": ("knrn",)}),
        (ConfigError, "for the task pairs, expected ranking", {"models": (options.models[0], pairs)}),
        (ConfigError, "cosine is for the task ranking, expected pairs", {"task": "pairs"}),
        (UsageError, "models is", {"models": (options.models[0],) * 2}),
        (UsageError, "decisions doesn't apply", {"decisions": True}),
        (UsageError, "did you mean", {"measures": ("nDGC",)}),
    ):  # fmt: skip
        with pytest.raises(error, match=words):
            study_sides(sources, out, options=replace(options, **changes))
    assert not out.exists()


def test_all_takes_the_bundled_recipes_that_fit(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    texts = {
        name: Path(write_recipe(tmp_path, name, task=task))
        for name, task in (("a", "ranking"), ("b", "pairs"))
    }
    texts["c"] = Path(write_recipe(tmp_path, "c", task="pairs", architecture="cross-encoder"))
    monkeypatch.setattr(study_models, "bundled_recipes", lambda: dict.fromkeys(texts, ""))
    monkeypatch.setattr(study_models, "load_recipe", lambda name: load_recipe(texts.get(name, name)))
    own = write_recipe(tmp_path, "own")
    assert list(entrants_of(["all"], "pairs")) == ["b"]
    assert list(entrants_of(["all"], "pairs", started=True)) == ["b", "c"]
    assert list(entrants_of(["all", own, "a"], "ranking")) == ["own", "a"]
    with pytest.raises(ConfigError, match="no bundled recipe is for the task classes"):
        entrants_of(["all"], "classes")


def test_a_fresh_study_is_verified(ranking: Held) -> None:
    found = verify_run(ranking[2].folder)
    assert found.largest_change < 1e-5
    assert found.files == len(json.loads((ranking[2].folder / "hashes.json").read_text()))
    assert found.figures > 60 and found.scores == sum(len(one.docs) for one in load_dataset(ranking[0]).test)


def forge(folder: Path, name: str, content: str) -> None:
    (folder / name).write_text(content)
    path = folder / "hashes.json"
    path.write_text(json.dumps({**json.loads(path.read_text()), name: sha256_of_file(folder / name)}))


def test_what_was_changed_is_found(copy: Path) -> None:
    run = copy / "runs" / "bm25.run.trec"
    original = run.read_text()
    run.write_text(original.replace(" 1 ", " 2 ", 1))
    with pytest.raises(VerifyError):
        verify_run(copy)
    lines = original.splitlines()
    swapped = [" ".join([*line.split()[:4], "0.0", "bm25"]) for line in lines]
    forge(copy, "runs/bm25.run.trec", "\n".join(swapped) + "\n")
    with pytest.raises(VerifyError):
        verify_run(copy)
    forge(copy, "runs/bm25.run.trec", original)
    report = json.loads((copy / "report.json").read_text())
    report["verdict"]["p"] /= 2
    forge(copy, "report.json", json.dumps(report))
    with pytest.raises(VerifyError):
        verify_run(copy)
    report["verdict"]["p"] *= 2
    forge(copy, "report.json", json.dumps(report))
    for content in ("{}", "[" * 100_000):
        forge(copy, "study.json", content)
        with pytest.raises(DataError) as error:
            verify_run(copy)
        assert str(error.value.path).endswith("study.json")


@pytest.mark.parametrize("name", ["report.html", "report.md", "report.json"])
def test_a_report_that_says_something_else_is_found(copy: Path, name: str) -> None:
    forge(copy, name, (copy / name).read_text() + "\n")
    with pytest.raises(VerifyError) as error:
        verify_run(copy)
    assert (error.value.path, error.value.expected) == (copy / name, "the figures of report.json")


def test_another_model_is_found(copy: Path, ranking: Held) -> None:
    name = ranking[2].report.verdict.model
    own, other = (copy / "trained" / f"{name}-seed{seed}" / "model" for seed in range(2))
    for item in other.iterdir():
        content = item.read_bytes()
        (own / item.name).write_bytes(content)
        path = copy / "hashes.json"
        key = f"trained/{name}-seed0/model/{item.name}"
        path.write_text(json.dumps({**json.loads(path.read_text()), key: sha256_of_file(own / item.name)}))
    with pytest.raises(VerifyError):
        verify_run(copy)
