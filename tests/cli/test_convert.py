from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.conftest import Textkin

TEXT = "Ada met Bob. Bob left."


@pytest.fixture
def squad(tmp_path: Path) -> Path:
    asked = [
        {"id": "1", "question": "Who left?", "answers": [{"text": "Bob", "answer_start": 13}]},
        {"id": "2", "question": "Who came?", "answers": []},
    ]
    document = {"data": [{"title": "People", "paragraphs": [{"context": TEXT, "qas": asked}]}]}
    path = tmp_path / "dev-v2.0.json"
    path.write_text(json.dumps(document))
    return path


def test_convert_says_what_it_left_out(textkin: Textkin, squad: Path, tmp_path: Path) -> None:
    out = tmp_path / "dev.tsv"
    found = textkin("data", "convert", squad, "--out", out)
    assert found.code == 0
    assert found.out.splitlines() == [
        f"{squad}: 2 questions",
        "left out 1: the passage does not answer it",
        f"written to {out}: 1 questions with 2 sentences, 1 of them right",
    ]
    assert textkin("data", "convert", squad, "--out", out, "--json").json["written"] == 1
    assert textkin("compare", out, "order", "--baselines", "constant", "-m", "MAP").code == 0


def test_convert_of_lines(textkin: Textkin, tmp_path: Path) -> None:
    (tmp_path / "src-x.txt").write_text("one .\ntwo .\nthree .\n")
    (tmp_path / "tgt-x.txt").write_text("1 ?\n2 ?\n3 ?\n")
    out = tmp_path / "x.tsv"
    told = textkin(
        "data", "convert", tmp_path / "src-x.txt", "--out", out, "--neighbours", "1", "--json"
    ).json
    assert (told["questions"], told["sentences"], told["right"]) == (3, 6, 3)


def test_convert_refuses_what_it_can_not_do(textkin: Textkin, squad: Path, tmp_path: Path) -> None:
    out = tmp_path / "out.tsv"
    assert textkin("data", "convert", squad, "--out", out, "--neighbours", "2").code == 2
    assert textkin("data", "convert", squad, "--out", squad).code == 2
    squad.write_text(squad.read_text()[:-20])
    assert (
        f"{squad}:1: broken JSON" in textkin("data", "convert", squad, "--out", out, "--format", "json").error
    )
    assert not out.exists()


def test_other_commands_point_to_it(textkin: Textkin, squad: Path) -> None:
    found = textkin("data", "split", squad, "--out", squad.parent / "split")
    assert found.code == 2 and found.error.startswith("PAIRS is 'squad'") and "articles" in found.error
