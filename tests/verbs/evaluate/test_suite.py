from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from tests.verbs.making import write_recipe, write_suite
from textkin.base.errors import DataError, UsageError
from textkin.cli import main
from textkin.data.readers import Reading, load_pairs
from textkin.kinds.measuring import Options
from textkin.measures.decisions.fit_threshold import fit_threshold
from textkin.measures.decisions.goal import Goal
from textkin.measures.intervals.sampling import Sampling
from textkin.measures.metrics.binary_pairs import confusion
from textkin.networks.recipes.recipe import load_recipe
from textkin.text.baselines import build
from textkin.verbs.evaluate.comparison import compared
from textkin.verbs.evaluate.suite import MeasuredSuite, compare_suite
from textkin.verbs.train.material import Material
from textkin.verbs.train.train_recipe import train

FEW = Sampling(20, 20)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The split of pairs that share words if they are duplicates."""
    return write_suite(tmp_path_factory.mktemp("suite"))


@pytest.fixture(scope="module")
def seeds(folder: Path, tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    """A tiny encoder with two seeds."""
    place = tmp_path_factory.mktemp("models")
    recipe = load_recipe(write_recipe(place))
    sides = [load_pairs(folder / f"classification/{side}_pairs.tsv").data for side in ("train", "dev")]
    return [
        str(train(recipe, Material(sides[0], sides[1]), out=place / str(seed), seed=seed, device="cpu").model)
        for seed in (0, 1)
    ]


def figure(measured: MeasuredSuite, part: int, name: str, measure: str) -> float:
    (row,) = (row for row in measured.parts[part].systems.rows if row.name == name)
    return row.measures[measure].value


@pytest.mark.torch
def test_three_tables_of_one_folder(folder: Path, seeds: list[str], tmp_path: Path) -> None:
    options = Options(sampling=FEW, out=tmp_path)
    found = compare_suite(folder, models=[f"mine={seeds[0]},{seeds[1]}"], options=options)
    alone = compare_suite(folder, models=seeds[:1], options=Options(baselines=("bm25",), sampling=FEW))
    other = compare_suite(folder, models=seeds[1:], options=Options(baselines=(), sampling=FEW))
    assert [part.kind for part in found.parts] == ["pairs", "duplicates", "collection"]
    for part, measure in enumerate(("AP", "AP", "nDCG@10")):
        both = [figure(one, part, name, measure) for one, name in zip((alone, other), seeds, strict=True)]
        assert figure(found, part, "mine", measure) == pytest.approx(sum(both) / 2)
    assert {row.name for row in found.parts[0].systems.rows} == {
        *("constant", "random", "tfidf", "tfidf-char", "bm25", "mine")
    }
    assert {row.name for row in found.parts[1].systems.rows} == {"tfidf", "tfidf-char", "bm25", "mine"}
    assert found.notes[0].endswith("two texts are compared at a time: constant, random")
    assert sorted(path.relative_to(tmp_path).as_posix() for path in tmp_path.rglob("mine-*")) == [
        *(f"collection/mine-seed{seed}.run.trec" for seed in (0, 1)),
        *(f"duplicates/mine-seed{seed}.mined.tsv" for seed in (0, 1)),
    ]


def test_thresholds_are_of_dev_and_words_of_train(folder: Path) -> None:
    found = compare_suite(folder, models=[], options=Options(baselines=("tfidf",), sampling=FEW))
    texts = [
        line.split("\t")[1]
        for line in (folder / "duplicate-mining/train_corpus.tsv").read_text().splitlines()
    ]
    scorer = build("tfidf", fit_texts=texts[1:])
    dev, test = (load_pairs(folder / f"classification/{side}_pairs.tsv").data for side in ("dev", "test"))
    scores = scorer.score(test.texts).astype(float)
    for aim, key in (("f1", "F1"), ("accuracy", "accuracy")):
        fitted = fit_threshold(dev.labels, scorer.score(dev.texts), Goal.parse(aim))
        cells = confusion(test.labels, scores, fitted.value)
        assert figure(found, 0, "tfidf", key) == pytest.approx(getattr(cells, aim))


def test_dev_alone_has_no_thresholds(folder: Path) -> None:
    options = Options(baselines=("tfidf",), sampling=FEW, reading=Reading(split="dev"))
    found = compare_suite(folder, models=[], options=options)
    assert list(found.parts[0].systems.rows[0].measures) == ["AP", "ROC AUC"]
    assert list(found.parts[1].systems.rows[0].measures) == ["AP"]


def test_predictions_are_of_the_data_that_they_fit(folder: Path, tmp_path: Path) -> None:
    options = Options(baselines=("tfidf",), sampling=FEW)
    compare_suite(folder, models=[], options=replace(options, out=tmp_path))
    scores = [line.split("\t")[1] for line in (tmp_path / "pairs/scores.tsv").read_text().splitlines()]
    (tmp_path / "scores.tsv").write_text("\n".join(["score", *scores[1:]]))
    files = {
        "a": "scores.tsv",
        "b": "duplicates/tfidf.mined.tsv",
        "c": "collection/tfidf.run.trec,collection/tfidf.run.trec",
    }
    models = [
        f"{name}={','.join(str(tmp_path / one) for one in file.split(','))}" for name, file in files.items()
    ]
    found = compare_suite(folder, models=models, options=options)
    for part, (name, measure) in enumerate(zip("abc", ("AP", "AP", "nDCG@10"), strict=True)):
        assert figure(found, part, name, measure) == pytest.approx(figure(found, part, "tfidf", measure))
        systems = found.parts[part].systems
        assert (len(systems.rows), systems.predictions) == (2, (name,))
    (tmp_path / "scores.tsv").write_text("score\n1\n")
    with pytest.raises(DataError) as error:
        compare_suite(folder, models=models, options=options)
    assert error.value.path == tmp_path / "scores.tsv"
    with pytest.raises(UsageError):
        compare_suite(folder, models=[f"{models[1]},bm25"], options=options)


def test_what_does_not_go_with_a_suite(folder: Path) -> None:
    with pytest.raises(UsageError) as error:
        compare_suite(folder, models=["bm25"], options=Options(dev=folder))
    assert error.value.params == ("dev",)
    with pytest.raises(UsageError) as error:
        compared(folder, models=["bm25"])
    assert error.value.params == ("data",)
    for word in ("bm25=default", "mine=", "=default"):
        with pytest.raises(UsageError) as error:
            compare_suite(folder, models=[word])
        assert error.value.params == ("models",)
    with pytest.raises(UsageError) as error:
        compare_suite(folder, models=["a=tfidf", "a=bm25"])
    assert error.value.params == ("models",)


@pytest.mark.slow
def test_the_command(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    arguments = [
        "compare",
        str(folder),
        "bm25",
        "--baselines",
        "tfidf,constant",
        "--resamples",
        "5",
        "--rounds",
        "5",
    ]
    assert main(arguments) == 0
    shown = capsys.readouterr().out
    for words in (
        "classification test",
        "duplicate-mining test",
        "information-retrieval test",
        "at thresholds fitted",
    ):
        assert words in shown
    assert main([*arguments, "--json"]) == 0
    assert [part["kind"] for part in json.loads(capsys.readouterr().out)["parts"]] == [
        *("pairs", "duplicates", "collection")
    ]
