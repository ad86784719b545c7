"""textkin data lint."""

from pathlib import Path

import pytest

from tests.cli.conftest import Textkin, write_pairs
from textkin.verbs.experiments.sample_files import write_pairs as write_sample


@pytest.fixture
def pairs(tmp_path: Path) -> Path:
    return write_pairs(tmp_path / "pairs.tsv")


@pytest.mark.slow
def test_of_the_sample(textkin: Textkin, tmp_path: Path) -> None:
    count = write_sample(tmp_path / "sample.tsv")
    found = textkin("data", "lint", tmp_path / "sample.tsv", "--json")
    assert found.code == 0
    assert found.json["pairs"] == [[str(tmp_path / "sample.tsv"), count]]
    assert textkin("data", "lint", tmp_path / "sample.tsv").out.startswith("file ")


def test_says_what_must_be_repaired(textkin: Textkin, pairs: Path) -> None:
    text = pairs.read_text(encoding="utf-8")
    pairs.write_text(text + "how do I repair printer 0\tways of repairing printer 0\t0\n", encoding="utf-8")
    found = textkin("data", "lint", pairs, "-q")
    assert found.code == 1 and found.err == ""
    assert "contradictory-label" in found.out and f"{pairs}:42" in found.out
    report = textkin("data", "lint", pairs, "--json")
    assert report.code == 1
    assert "error" in {finding["severity"] for finding in report.json["findings"]}


def test_finds_what_two_files_share(textkin: Textkin, pairs: Path, tmp_path: Path) -> None:
    other = write_pairs(tmp_path / "other.tsv", start=19, stop=22)
    found = textkin("data", "lint", pairs, other, "--json")
    assert {"shared-pair", "shared-text"} <= {finding["kind"] for finding in found.json["findings"]}


def test_takes_the_columns_that_it_is_told(textkin: Textkin, tmp_path: Path) -> None:
    path = tmp_path / "odd.csv"
    path.write_text("first,between,second,verdict\none two,three,four five,1\nsix,seven,eight,0\n")
    found = textkin("data", "lint", path, "--columns", "a=first,b=3,label=verdict", "--json")
    assert found.code == 0 and found.json["pairs"][0][1] == 2
    assert textkin("data", "lint", path, "--columns", "a").code == 2
    assert "no column 'nosuch'" in textkin("data", "lint", path, "--columns", "a=nosuch,b=second").error
    assert textkin("data", "lint", path, "--format", "nosuch").code == 2


def test_takes_candidates(textkin: Textkin, wikiqa: Path) -> None:
    assert textkin("data", "lint", wikiqa, "--json").json["pairs"] == [[str(wikiqa), 4]]


def test_superscripts_contradict_no_label(textkin: Textkin, tmp_path: Path) -> None:
    path = tmp_path / "pairs.tsv"
    path.write_text("question1\tquestion2\tis_duplicate\n10² m\thow big?\t1\n102 m\thow big?\t0\n")
    assert "contradictory" not in textkin("data", "lint", path).out
    path.write_text("question1\tquestion2\tis_duplicate\nC++\twhat?\t1\nc++\twhat?\t0\n")
    assert "contradictory" in textkin("data", "lint", path).out
    assert "contradictory" not in textkin("data", "lint", path, "--equal", "form").out
