from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from tests.cli.conftest import Textkin

TEXTS = "How do I reset my password?\nhow do i reset my password\nWhere is the station?\n\n"


@pytest.fixture
def texts(tmp_path: Path) -> Path:
    path = tmp_path / "texts.txt"
    path.write_text(TEXTS)
    return path


def test_what_is_said(textkin: Textkin, texts: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    found = textkin("dedupe", texts, "--out", out)
    assert found.code == 0
    assert "3 texts, 3 different: 2 kept, 1 removed (33.3 %)" in found.out
    assert "threshold 0.9: default; its precision" in found.out and "--sample 200" in found.out
    assert "no two of the 2 kept texts are similar" in found.out
    assert "1 empty text (line 4)" in found.err
    assert (out / "kept.txt").read_text() == "How do I reset my password?\nWhere is the station?\n\n"


@pytest.mark.slow
def test_json(textkin: Textkin, texts: Path, tmp_path: Path) -> None:
    np.save(tmp_path / "v.npy", np.array([[1, 0], [1, 0.1], [0, 1]], dtype=np.float32))
    (tmp_path / "gold.csv").write_text("id,group\n1,a\n2,a\n3,b\n")
    arguments = ("--embeddings", tmp_path / "v.npy", "--gold", tmp_path / "gold.csv", "--sample", "5")
    found = textkin("dedupe", texts, "--out", tmp_path / "out", *arguments, "--json").json
    assert found["counts"]["removed"] == 1 == found["gold"]["pairwise"]["recall"]
    assert found["guarantee"]["unlike"] == 0
    sample = tmp_path / "out" / "sample.csv"
    sample.write_text(sample.read_text().replace(",,", ",yes,", 1))
    said = textkin("dedupe", texts, "--out", tmp_path / "out", *arguments[:2], "--labelled", sample)
    assert "Precision by 1 label, 0 left blank" in said.out and "1.000 (all judged)" in said.out
    assert "--proof allows that" in said.out
    judged = (*arguments[:2], "--labelled", sample, "--precision", "0.9", "--proof")
    proven = textkin("dedupe", texts, "--out", tmp_path / "out", *judged)
    assert "Proven by 1 label, however often you look" in proven.out and "allows that" not in proven.out


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--threshold", "2"], "--threshold is 2.0"),
        (["--threshold", "0.5", "--precision", "0.9"], "--threshold and --precision can't be combined"),
        (["--precision", "0.9"], "no threshold for precision 0.9"),
        (["--guards", "numbres"], "did you mean 'numbers'?"),
        (["--most", "0"], "--most is 0"),
        (["--lexical", "3"], "--lexical is 3.0"),
        (["--shingles", "words"], "needs --lexical"),
        (["--linkage", "single"], "single"),
        (["--keep", "votes"], "--keep is 'votes'"),
        (["--text", "text"], "no column 'text'"),
        (["--model", "nowhere"], "nowhere"),
        (["--embeddings", "nowhere.npy"], "nowhere.npy"),
        (["--labelled", "nowhere.csv"], "nowhere.csv"),
        (["--proof", "--precision", "0.9"], "needs --labelled"),
        (["--gold", "nowhere.csv"], "nowhere.csv"),
    ],
)
def test_wrong_arguments_are_one_line(
    textkin: Textkin, texts: Path, tmp_path: Path, arguments: list[str], words: str
) -> None:
    found = textkin("dedupe", texts, "--out", tmp_path / "out", *arguments)
    assert found.code in (2, 3, 5, 10)
    assert words in found.err.splitlines()[-1]
    assert found.err.splitlines()[-1].startswith("textkin: error: ")
    assert not (tmp_path / "out").exists() or not list((tmp_path / "out").iterdir())


@pytest.mark.parametrize("content", [b"", b"\n\n", b"a\xff\n", b"a\x00b\n"])
def test_broken_files_are_one_line(textkin: Textkin, texts: Path, tmp_path: Path, content: bytes) -> None:
    texts.write_bytes(content)
    found = textkin("dedupe", texts, "--out", tmp_path / "out")
    assert found.code == 3 and found.out == ""
    assert found.err.count("\n") == 1


@pytest.mark.slow
def test_a_file_of_templates_is_told(textkin: Textkin, tmp_path: Path) -> None:
    texts = tmp_path / "doors.txt"
    texts.write_text("".join(f"The {one} door is open today\n" for one in ("red", "blue", "green", "white")))
    found = textkin("dedupe", texts, "--out", tmp_path / "out", "--threshold", "0.3")
    assert "4 of 4 different texts share all but a word or two" in found.out
    told = textkin("dedupe", texts, "--out", tmp_path / "out", "--threshold", "0.3", "--json").json
    assert (told["counts"]["kept"], told["guards"]["templated"]) == (4, 4)
    assert told["guards"]["names"][-1] == "content"
    account = json.loads((tmp_path / "out" / "dedupe.json").read_text(encoding="utf-8"))
    assert account["guards"] == told["guards"]
    named = textkin(
        "dedupe", texts, "--out", tmp_path / "out", "--threshold", "0.3", "--guards", "order", "--json"
    ).json
    assert named["counts"]["kept"] == 1
    assert textkin("dedupe", texts, "--out", tmp_path / "out", "--guards", "").code == 2
