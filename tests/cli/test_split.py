"""textkin data split."""

import json
from pathlib import Path

import pytest

from tests.cli.conftest import Textkin, write_pairs


@pytest.fixture
def pairs(tmp_path: Path) -> Path:
    return write_pairs(tmp_path / "pairs.tsv")


def test_writes_the_sides_and_says_so(textkin: Textkin, pairs: Path, tmp_path: Path) -> None:
    out = tmp_path / "split"
    shown = textkin("data", "split", pairs, "--out", out)
    assert shown.code == 0 and shown.out.startswith("pairs.tsv: 40 rows")
    sides = {name: (out / f"{name}.tsv").read_text() for name in ("train", "dev", "test")}
    told = textkin("data", "split", pairs, "--out", out, "--json").json
    assert told == json.loads((out / "split.json").read_text())
    assert sum(side["pairs"] for side in told["sides"].values()) == 40
    assert all(text.startswith("question1\tquestion2\tis_duplicate\n") for text in sides.values())
    textkin("data", "split", pairs, "--out", out, "--seed", 7)
    assert sides != {name: (out / f"{name}.tsv").read_text() for name in sides}


def test_takes_shares_rule_and_near_duplicates(textkin: Textkin, pairs: Path, tmp_path: Path) -> None:
    options = ["--dev-size", 0.25, "--test-size", 0.25, "--rule", "whole", "--near", "0.95"]
    told = textkin("data", "split", pairs, "--out", tmp_path / "s", *options, "--json").json
    assert (told["rule"], told["similarity"], told["sides"]["train"]["pairs"]) == ("whole", 0.95, 20)


def test_by_the_quora_rules(textkin: Textkin, tmp_path: Path) -> None:
    path = tmp_path / "quora.tsv"
    rows = ["id\tqid1\tqid2\tquestion1\tquestion2\tis_duplicate"]
    rows += [f"{i}\t{2 * i}\t{2 * i + 1}\tquestion {i} here\tquery {i} there\t{i % 2}" for i in range(30)]
    path.write_text("\n".join(rows) + "\n")
    told = textkin("data", "split", path, "--out", tmp_path / "s", "--scheme", "quora-ir", "--json").json
    assert told["scheme"] == "quora-ir" and "classification/train_pairs.tsv" in told["files"]
    shown = textkin("data", "split", path, "--out", tmp_path / "s", "--scheme", "quora-ir")
    assert shown.code == 0 and "information-retrieval/corpus.tsv" in shown.out


@pytest.mark.parametrize("shares", ["1", "a", "0.9"])
def test_refuses_other_shares(textkin: Textkin, pairs: Path, tmp_path: Path, shares: str) -> None:
    found = textkin("data", "split", pairs, "--out", tmp_path / "s", "--test-size", shares)
    assert found.code == 2 and "--test-size" in found.error
    assert not (tmp_path / "s").exists()


def test_does_not_replace_its_input(textkin: Textkin, tmp_path: Path) -> None:
    path = write_pairs(tmp_path / "train.tsv")
    before = path.read_bytes()
    assert textkin("data", "split", path, "--out", tmp_path).code == 2
    assert path.read_bytes() == before


def test_says_what_can_not_be_written(textkin: Textkin, pairs: Path, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    assert textkin("data", "split", pairs, "--out", tmp_path / "file").code == 7


def test_split_by_articles(textkin: Textkin, tmp_path: Path) -> None:
    pages = [{"title": f"Page {number}", "paragraphs": []} for number in range(6)]
    path, out = tmp_path / "squad.json", tmp_path / "out"
    path.write_text(
        json.dumps({"version": "1.1", "data": [*pages, pages[0]], "paragraphs": [], "x": "qas context"})
    )
    asked = ("data", "split", path, "--out", out, "--scheme", "articles")
    shown = textkin(*asked, "--dev-size", 1, "--test-size", 2)
    assert shown.code == 0, shown.error
    assert "written: train.json, dev.json, test.json, split.json" in shown.out
    found = textkin(
        "data", "split", path, "--out", tmp_path / "again", "--scheme", "articles", "--like", out, "--json"
    ).json
    again = [len(side["titles"]) for side in found["sides"].values()]
    assert sum(again) == 7 and found["seed"] is None
    for arguments, words in (
        (asked, "give --dev-size and --test-size, or --like"),
        ((*asked, "--dev-size", 1, "--near", "0.5"), "--near"),
        (("data", "split", path, "--out", out, "--dev-size", 1), "--dev-size"),
    ):
        failed = textkin(*arguments)
        assert failed.code == 2 and words in failed.error


def test_what_is_equal_can_be_chosen(textkin: Textkin, tmp_path: Path) -> None:
    rows = [f"Learn {sign}{number}.\ttext {number} {sign}\t1" for number in range(20) for sign in "#+"]
    (tmp_path / "pairs.tsv").write_text("question1\tquestion2\tis_duplicate\n" + "\n".join(rows) + "\n")
    groups = {
        equal: sum(
            side["components"]
            for side in textkin(
                "data", "split", tmp_path / "pairs.tsv", "--out", tmp_path / equal, "--equal", equal, "--json"
            )
            .json["sides"]
            .values()
        )
        for equal in ("letters", "case")
    }
    assert groups == {"letters": 20, "case": 40}
