"""Texts with too many unknown tokens: every command reports and records them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.conftest import RECIPE, Textkin, write_pairs
from textkin.cli import main

pytestmark = pytest.mark.torch

FEW_WORDS = RECIPE + "[text]\nmax_size = 6\n"


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A model with a vocabulary of six words, and pairs that contain some of them."""
    folder = tmp_path_factory.mktemp("unknown")
    (folder / "tiny.toml").write_text(FEW_WORDS, encoding="utf-8")
    for name, start, stop in (("train", 0, 20), ("dev", 20, 30), ("test", 30, 40), ("all", 0, 60)):
        write_pairs(folder / f"{name}.tsv", start=start, stop=stop)
    files = ["--train", str(folder / "train.tsv"), "--dev", str(folder / "dev.tsv")]
    run = ["--out", str(folder / "run"), "--device", "cpu"]
    assert main(["train", str(folder / "tiny.toml"), *files, *run]) == 0
    return folder


def counted(home: Path, *names: str) -> tuple[int, int]:
    """The number of distinct texts of some files that lack a fifth of their words; and of all."""
    known = set((home / "run" / "model" / "vocabulary.txt").read_text(encoding="utf-8").split())
    lines = [line for name in names for line in (home / f"{name}.tsv").read_text().splitlines()[1:]]
    texts = {text for line in lines for text in line.split("\t")[:2]}
    words = [text.split() for text in texts]
    return sum(5 * sum(one not in known for one in text) >= len(text) for text in words), len(texts)


def said(home: Path, *names: str) -> str:
    few, all_of_them = counted(home, *names)
    assert few > 0
    return f"doesn't know 20 % or more of the tokens of {few} of {all_of_them} texts"


def test_train(textkin: Textkin, home: Path) -> None:
    paths = ["--train", home / "train.tsv", "--dev", home / "dev.tsv"]
    told = textkin("train", home / "tiny.toml", *paths, "--out", home / "other", "--device", "cpu")
    assert f"textkin: warning: tiny {said(home, 'train', 'dev')}" in told.err
    again = textkin("train", home / "tiny.toml", *paths, "--out", home / "other", "--device", "cpu", "--json")
    assert again.json["coverage"]["noticeable"] == counted(home, "train", "dev")[0]


@pytest.mark.parametrize(
    ("words", "files"),
    [
        ("encode test.tsv MODEL --text question1 --bits 64 --out OUT.npy", ()),
        ("data negatives dev.tsv --model MODEL --out OUT.tsv --ranks 1-10", ()),
        ("calibrate MODEL dev.tsv --f1 --test test.tsv", ("dev", "test")),
        ("compare test.tsv MODEL --resamples 20 --rounds 20", ("test",)),
        ("compare test.tsv tiny=MODEL --resamples 20 --rounds 20", ("test",)),
    ],
)
def test_commands(textkin: Textkin, home: Path, tmp_path: Path, words: str, files: tuple[str, ...]) -> None:
    model = str(home / "run" / "model")
    arguments = [
        str(home / word)
        if word.endswith(".tsv") and "OUT" not in word
        else word.replace("OUT", str(tmp_path / "out")).replace("MODEL", model)
        for word in words.split()
    ]
    shown = textkin(*arguments)
    assert shown.code == 0, shown.err
    expected = said(home, *files) if files else "doesn't know 20 % or more of the tokens of"
    assert expected in shown.out + shown.err
    account = json.dumps(textkin(*arguments, "--json").json)
    noticeable = counted(home, *files)[0] if files else ""
    assert f'"noticeable": {noticeable}' in account


@pytest.mark.parametrize("of", ["file", "sides"])
def test_what_trains_and_measures(textkin: Textkin, home: Path, tmp_path: Path, of: str) -> None:
    few = ["--seeds", 1, "--resamples", 20, "--rounds", 20, "--device", "cpu", "--out", tmp_path / "out"]
    sides = [one for side in ("train", "dev", "test") for one in (f"--{side}", home / f"{side}.tsv")]
    data = [home / "all.tsv"] if of == "file" else sides
    arguments = ["study", *data, "--models", home / "tiny.toml", *few]
    shown = textkin(*arguments)
    assert shown.code == 0, shown.err
    expected = "tiny doesn't know 20 % or more of the tokens of"
    assert expected in (shown.err if of == "file" else shown.out)
    again = textkin(*arguments, "--json").json
    assert again["coverages"][0]["model"] == "tiny" and again["coverages"][0]["noticeable"] > 0
    assert any(expected in note for note in again["report"]["notes"])
    assert expected in (tmp_path / "out" / "report.md").read_text()


def test_what_knows_all_says_nothing(textkin: Textkin, home: Path) -> None:
    shown = textkin("compare", home / "dev.tsv", "default", "--resamples", 20, "--rounds", 20)
    assert shown.code == 0 and "doesn't know" not in shown.out + shown.err
