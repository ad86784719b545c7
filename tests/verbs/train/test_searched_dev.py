"""Dev as a BEIR folder: searching it selects the epoch."""

from __future__ import annotations

from pathlib import Path

import pytest

import textkin as tk
from tests.verbs.making import rows, write_pairs, write_recipe
from tests.verbs.making_data import write_beir
from textkin.base.errors import DataError
from textkin.verbs.train.dataset_splits import Selection, Sources, load_dataset
from textkin.verbs.train.material import read_dev

FEW = {"resamples": 20, "rounds": 20, "baselines": "bm25"}


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    folder = tmp_path_factory.mktemp("searched")
    return write_pairs(folder / "train.tsv", rows()[60:]), write_beir(folder / "corpus")


@pytest.mark.torch
def test_the_figure_is_that_of_compare(files: tuple[Path, Path], tmp_path: Path) -> None:
    train, corpus = files
    run = tk.train(train, write_recipe(tmp_path), dev=corpus, out=tmp_path / "run", device="cpu")
    assert run.measure == "nDCG@10"
    found = tk.compare(corpus, run.model, split="dev", **FEW)
    row = next(one for one in found.systems.rows if one.name == str(run.model))
    assert row.measures["nDCG@10"].value == pytest.approx(run.dev, abs=1e-6)
    assert max(one.dev for one in run.evaluations) == run.dev


@pytest.mark.torch
def test_a_network_over_two_texts_ranks_what_bm25_finds(files: tuple[Path, Path], tmp_path: Path) -> None:
    train, corpus = files
    run = tk.train(train, "pairs-word-means", dev=corpus, out=tmp_path / "run", device="cpu")
    assert run.measure == "nDCG@10" and 0 < run.dev <= 1


def test_the_judgements_of_a_side(tmp_path: Path) -> None:
    several = write_beir(tmp_path / "several", splits=("train", "dev", "test"))
    loaded, corpus = read_dev("ranking", several, split="dev")
    assert corpus is not None and len(loaded.data) == len(corpus.qrels.query_ids)
    alone = write_beir(tmp_path / "alone", splits=("test",))
    assert read_dev("pairs", alone, split="dev")[1] is not None
    without = write_beir(tmp_path / "without", splits=("train", "test"))
    with pytest.raises(DataError) as error:
        read_dev("pairs", without, split="dev")
    assert error.value.path == without


@pytest.mark.torch
def test_a_study_chooses_by_searching(files: tuple[Path, Path], tmp_path: Path) -> None:
    train, corpus = files
    test = write_pairs(tmp_path / "test.tsv", rows(30, seed=2))
    dataset = load_dataset(Sources(train, test, corpus), Selection(task="pairs"))
    assert dataset.chooses is not None
    assert {pair.id_a for pair in dataset.dev} == set(dataset.chooses.qrels.query_ids)
    recipe = write_recipe(tmp_path, "tiny")
    found = tk.study(
        train=train,
        dev=corpus,
        test=test,
        models=[str(recipe)],
        seeds=1,
        out=tmp_path / "out",
        resamples=20,
        rounds=20,
    )
    assert found.report.verdict is not None
    assert any("nDCG@10" in line for line in found.report.notes)
    with pytest.raises(tk.TextkinError) as error:
        tk.study(
            train=train, dev=corpus, test=test, models=[str(recipe)], out=tmp_path / "other", decisions=True
        )
    assert error.value.params == ("decisions",)
