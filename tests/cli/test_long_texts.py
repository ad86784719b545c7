"""Texts longer than a model's limit: every command reports and records them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.conftest import RECIPE, Textkin, write_pairs
from textkin.cli import main

pytestmark = pytest.mark.torch

CUT = RECIPE + "[text]\nmax_length = 5\n"
SAID = "texts are longer than the 5 tokens that tiny reads (the longest has 6) and were cut"


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A model with a limit of five tokens, pairs in which every fourth text has six, and the texts."""
    folder = tmp_path_factory.mktemp("cut")
    (folder / "tiny.toml").write_text(CUT, encoding="utf-8")
    for name, start, stop in (("train", 0, 20), ("dev", 20, 30), ("test", 30, 40)):
        write_pairs(folder / f"{name}.tsv", start=start, stop=stop)
    write_pairs(folder / "all.tsv", stop=60)
    texts = [f"how do I repair printer {name}" for name in ("one", "two", "three")]
    (folder / "texts.txt").write_text("\n".join([*texts, "printer one", "printer two"]) + "\n")
    train = ["train", "tiny.toml", "--train", "train.tsv", "--dev", "dev.tsv", "--out", "run"]
    arguments = [str(folder / one) if "." in one or one == "run" else one for one in train]
    assert main([*arguments, "--device", "cpu"]) == 0
    return folder


def test_train(textkin: Textkin, home: Path) -> None:
    paths = ["--train", home / "train.tsv", "--dev", home / "dev.tsv"]
    told = textkin("train", home / "tiny.toml", *paths, "--out", home / "other", "--device", "cpu")
    assert f"textkin: warning: 30 of 120 {SAID}: 30 tokens were not read" in told.err
    again = textkin("train", home / "tiny.toml", *paths, "--out", home / "other", "--device", "cpu", "--json")
    assert again.json["truncation"]["cut"] == 30
    assert "It reads 5 tokens of a text" in (home / "other" / "model" / "README.md").read_text()


@pytest.mark.parametrize(
    ("words", "counted"),
    [
        ("score --model MODEL --pairs dev.tsv", "10 of 40"),
        ("encode texts.txt MODEL --out OUT.npy", "3 of 5"),
        ("mine texts.txt --model MODEL --out OUT.tsv", "3 of 5"),
        ("dedupe texts.txt --model MODEL --out OUT", "3 of 5"),
        ("encode texts.txt MODEL --bits 64 --out OUT.npy", "3 of 5"),
        ("data negatives dev.tsv --model MODEL --out OUT.tsv --ranks 1-10", "10 of 30"),
        ("calibrate MODEL dev.tsv --f1 --test test.tsv", "20 of 80"),
        ("compare test.tsv tiny=MODEL --resamples 20 --rounds 20", "10 of 40"),
    ],
)
def test_commands(textkin: Textkin, home: Path, tmp_path: Path, words: str, counted: str) -> None:
    model = home / "run" / "model"
    arguments = [
        str(home / word)
        if word.endswith((".tsv", ".txt")) and "OUT" not in word
        else word.replace("OUT", str(tmp_path / "out")).replace("MODEL", str(model))
        for word in words.split()
    ]
    shown = textkin(*arguments)
    assert shown.code == 0, shown.err
    assert f"{counted} {SAID}" in shown.out + shown.err
    told = textkin(*arguments, "--json")
    account = json.dumps(told.json)
    assert f'"cut": {counted.split()[0]}, "limit": 5, "longest": 6' in account


def test_default_reads_all_and_says_nothing(textkin: Textkin, home: Path) -> None:
    shown = textkin("score", "--pairs", home / "dev.tsv", "--json")
    assert "longer" not in shown.err and "longer" not in shown.out


def test_dedupe_withholds_compares_or_accepts(textkin: Textkin, home: Path, tmp_path: Path) -> None:
    command = ["dedupe", home / "texts.txt", "--model", home / "run" / "model", "--threshold", -1]
    command += ["--guards", "none", "--unknown", "accept"]
    plain = textkin(*command, "--out", tmp_path / "a")
    assert "9 pairs that are similar as far as they were read. --long windows" in plain.out
    assert textkin(*command, "--out", tmp_path / "a", "--json").json["counts"]["withheld"] == 9
    for rule in ("windows", "accept"):
        told = textkin(*command, "--out", tmp_path / "b", "--json", "--long", rule).json
        assert (told["counts"]["withheld"], told["counts"]["kept"]) == (0, 1)
        recorded = json.loads((tmp_path / "b" / "dedupe.json").read_text())
        assert recorded["made_with"]["long texts"] == rule
        assert recorded["truncation"]["cut"] == 3
    page = (tmp_path / "b" / "report.html").read_text()
    assert "3 of 5 texts are longer" in page


def test_mine_withholds_compares_or_accepts(textkin: Textkin, home: Path, tmp_path: Path) -> None:
    command = ["mine", home / "texts.txt", "--model", home / "run" / "model", "--threshold", -1]
    command += ["--unknown", "accept"]
    plain = textkin(*command, "--out", tmp_path / "a.tsv")
    assert "9 more pairs excluded" in plain.out and "--long windows compares them whole" in plain.err
    for rule in ("windows", "accept"):
        told = textkin(*command, "--out", tmp_path / "b.tsv", "--json", "--long", rule).json
        assert (told["withheld"], told["pairs"], told["truncation"]["cut"]) == (0, 10, 3)


def test_lint(textkin: Textkin, home: Path) -> None:
    shown = textkin("data", "lint", home / "dev.tsv", "--model", home / "run" / "model")
    assert f"10 of 40 {SAID}" in shown.out and "long-text" in shown.out


def test_lint_single_texts(textkin: Textkin, home: Path) -> None:
    shown = textkin("data", "lint", home / "texts.txt", "--model", home / "run" / "model", "--json")
    (long,) = (one for one in shown.json["findings"] if one["kind"] == "long-text")
    assert long["count"] == 3 and f"3 of 5 {SAID}" in long["message"]
    assert [one["places"][0]["row"] for one in long["examples"]] == [0, 1, 2]
    assert "how do I repair printer one (6 tokens)" in long["examples"][0]["text"]
    whole = textkin("data", "lint", home / "texts.txt", "--model", "default", "--json")
    assert not [one for one in whole.json["findings"] if one["kind"] == "long-text"]


@pytest.mark.parametrize("of", ["file", "sides"])
def test_what_trains_and_measures(textkin: Textkin, home: Path, tmp_path: Path, of: str) -> None:
    few = ["--seeds", 1, "--resamples", 20, "--rounds", 20, "--device", "cpu", "--out", tmp_path / "out"]
    sides = [one for side in ("train", "dev", "test") for one in (f"--{side}", home / f"{side}.tsv")]
    data = [home / "all.tsv"] if of == "file" else sides
    arguments = ["study", *data, "--models", home / "tiny.toml", *few]
    shown = textkin(*arguments)
    assert shown.code == 0, shown.err
    assert SAID in shown.err + shown.out
    again = textkin(*arguments, "--json").json
    assert again["truncations"][0]["cut"] > 0
    assert any(SAID in note for note in again["report"]["notes"])
    assert SAID in (tmp_path / "out" / "report.md").read_text()
    if of == "file":
        card = (tmp_path / "out" / "model" / "README.md").read_text()
        assert "It reads 5 tokens of a text, special ones aside; longer ones are cut." in card
