"""A folder as one table: what it names is trained, combined, compared, and its errors are told."""

from __future__ import annotations

from pathlib import Path

import pytest

import textkin as tk
from tests.making_choices import as_table, exam
from tests.verbs.making import rows, write_pairs, write_recipe
from textkin.base.errors import ConfigError
from textkin.verbs.experiments.table_folder import read_table

TEXT = """
test = "test.tsv"
dev = "dev.tsv"
systems = ["longest", "tfidf"]
baselines = ["first"]

[predictions.theirs]
dev = "theirs-dev.csv"
test = ["theirs-0.csv", "theirs-1.csv"]

[ensembles]
both = ["longest", "tfidf"]
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name, data in (("dev", exam(24, seed=1)), ("test", exam(24, seed=2))):
        (tmp_path / f"{name}.tsv").write_text(as_table(data).replace("Which is", f"Which of {name} is"))
        letters = [f"{one.question_id},{one.letter}" for one in data]
        for place in (f"theirs-{name}.csv", "theirs-0.csv", "theirs-1.csv"):
            (tmp_path / place).write_text("\n".join(letters) + "\n")
    (tmp_path / "table.toml").write_text(TEXT)
    return tmp_path


def test_systems_seeds_and_ensembles_in_one_table(folder: Path, tmp_path: Path) -> None:
    found = tk.table(folder, out=tmp_path / "out", accept_leaks=True, resamples=20, rounds=20)
    assert {row.system for row in found} == {"first", "longest", "tfidf", "theirs", "both"}
    figures = {row.name: row.measures["accuracy"].value for row in found.measured.systems.rows}
    assert figures["theirs"] == 1
    assert {one.system for one in found.agreement.agreed.members} == {
        *("longest", "tfidf", "theirs-seed0", "theirs-seed1")
    }
    made = {path.name for path in (tmp_path / "out").iterdir()}
    assert made >= {"table.md", "table.csv", "agreement.html", "compare", "ensembles"}
    alone = tk.compare(folder / "test.tsv", ["longest", "tfidf"], baselines="first", resamples=20, rounds=20)
    assert {row.name: row.measures["accuracy"].value for row in alone.systems.rows}.items() <= figures.items()


@pytest.mark.torch
def test_a_recipe_is_trained_once(folder: Path, tmp_path: Path) -> None:
    write_recipe(folder, "tiny")
    write_pairs(folder / "train.tsv", rows())
    text = TEXT.replace("systems = [", 'train = "train.tsv"\nseeds = 2\nsystems = ["tiny.toml", ')
    (folder / "table.toml").write_text(text.replace('["longest", "tfidf"]\n', '["tiny", "tfidf"]\n'))
    call = {"out": tmp_path / "out", "accept_leaks": True, "resamples": 20, "rounds": 20, "device": "cpu"}
    found = tk.table(folder, **call)
    models = sorted(path.name for path in (tmp_path / "out" / "trained").iterdir())
    assert models == ["tiny-seed0", "tiny-seed1"]
    before = {path: path.stat().st_mtime_ns for path in (tmp_path / "out" / "trained").rglob("model/*")}
    assert tk.table(folder, **call).measured.systems.rows == found.measured.systems.rows
    assert before == {path: path.stat().st_mtime_ns for path in before}


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('test = "test.tsv"\n', ""),
        ('test = "test.tsv"\n', "test = 3\n"),
        ("baselines =", "baseline ="),
        ("dev =", "seeds = 0\ndev ="),
        ("dev =", "dev ="[:-1]),
    ],
)
def test_a_wrong_table_is_told(folder: Path, old: str, new: str) -> None:
    (folder / "table.toml").write_text(TEXT.replace(old, new, 1))
    with pytest.raises(ConfigError):
        read_table(folder)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('both = ["longest", "tfidf"]', 'both = ["longest", "tfidff"]'),
        ('both = ["longest", "tfidf"]', 'both = ["longest", "theirs"]'),
        ('["longest", "tfidf"]\nbase', '["longest", "longest"]\nbase'),
        ('["longest", "tfidf"]\nbase', '["longest", "none.toml"]\nbase'),
        ('dev = "dev.tsv"\n', ""),
    ],
)
def test_what_is_missing_is_told_before_anything_is_made(
    folder: Path, tmp_path: Path, old: str, new: str
) -> None:
    text = TEXT.replace('dev = "theirs-dev.csv"\n', "")
    (folder / "table.toml").write_text(text.replace(old, new, 1))
    with pytest.raises(ConfigError):
        tk.table(folder, out=tmp_path / "out", resamples=20)
    assert not (tmp_path / "out" / "compare").exists()
