"""Dev as a suite: three metrics after each evaluation, one of which selects."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import textkin as tk
from tests.verbs.making import write_recipe, write_suite
from textkin.base.errors import UsageError
from textkin.data.readers import Reading
from textkin.kinds.measuring import Options
from textkin.measures.intervals.sampling import Sampling
from textkin.verbs.evaluate.suite import compare_suite


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_suite(tmp_path_factory.mktemp("suite"))


@pytest.mark.torch
def test_the_figures_are_those_that_evaluate_gives(folder: Path, tmp_path: Path) -> None:
    train, recipe = folder / "classification/train_pairs.tsv", write_recipe(tmp_path)
    where = {"dev": folder, "out": tmp_path / "run", "device": "cpu"}
    run = tk.train(train, recipe, choose_by="search", **where)
    assert run.measure == "search nDCG@10"
    logged = [json.loads(line) for line in (tmp_path / "run/metrics.jsonl").read_text().splitlines()]
    best = logged[run.best - 1]
    assert best["dev"] == best["figures"]["search nDCG@10"] == max(one["dev"] for one in logged)
    options = Options(baselines=(), sampling=Sampling(20, 20), reading=Reading(split="dev"))
    measured = compare_suite(folder, models=[str(run.model)], options=options)
    expected = [part.systems.rows[0].measures[part.measure].value for part in measured.parts]
    assert list(best["figures"]) == ["mining AP", "pairs AP", "search nDCG@10"]  # sorted in the file
    found = [best["figures"][name] for name in ("pairs AP", "mining AP", "search nDCG@10")]
    assert found == pytest.approx(expected, abs=1e-6)
    # Another choice is another run.
    assert tk.train(train, recipe, choose_by="search", **where) == run
    with pytest.raises(UsageError) as error:
        tk.train(train, recipe, choose_by="pairs", **where)
    assert error.value.params == ("out",)


@pytest.mark.torch
def test_what_does_not_go_with_a_suite(folder: Path, tmp_path: Path) -> None:
    train = folder / "classification/train_pairs.tsv"
    with pytest.raises(UsageError) as error:
        tk.train(train, write_recipe(tmp_path), dev=train, choose_by="mining", out=tmp_path / "a")
    assert error.value.params == ("choose_by",)
    with pytest.raises(UsageError) as error:
        tk.train(train, "pairs-arc-i", dev=folder, out=tmp_path / "b")
    assert error.value.params == ("dev",)
