from __future__ import annotations

import json
import shutil
from pathlib import Path

import numpy as np
import pytest

from tests.cli.conftest import Textkin, write_pairs


def test_mine_says_what_it_found(textkin: Textkin, texts: Path, tmp_path: Path) -> None:
    out = tmp_path / "pairs.tsv"
    found = textkin("mine", texts, "--threshold", "0.8", "--out", out)
    assert found.code == 0 and "1 empty text (line 3)" in found.err
    told = found.out.splitlines()
    assert told[:3] == [
        "5 texts, 4 different; vectors: default in fp32",
        "2 pairs with a score of at least 0.8: given",
        "1 of them is of equal texts",
    ]
    assert told[3].startswith("6 pairs of different texts compared, all found: exact")
    assert told[-1] == f"written to {out}"
    _, equal, near = out.read_text().splitlines()
    assert equal == "1.0\t2\t5\tWhen do you open?\tWhen do you open?"
    assert near.endswith("\t1\t4\tCan I pay by card?\tCan I pay with a card?")
    assert 0.8 < float(near.split("\t")[0]) < 1


def test_mine_without_a_choice_shows_the_best(textkin: Textkin, texts: Path, tmp_path: Path) -> None:
    found = textkin("mine", texts, "--out", tmp_path / "p.jsonl", "--json").json
    assert found["pairs"] == 7 and found["threshold"] == -1 and found["compared"] == 6
    assert found["chosen"].startswith("the 1,000 best pairs, as no threshold is known (--threshold,")
    rows = [json.loads(line) for line in (tmp_path / "p.jsonl").read_text().splitlines()]
    assert list(rows[0]) == ["score", "id_a", "id_b", "text_a", "text_b"] and len(rows) == 7
    assert rows[0]["score"] == 1 and rows[0]["id_b"] == "5"


def test_mine_ids_only(textkin: Textkin, texts: Path, tmp_path: Path) -> None:
    out = tmp_path / "pairs.csv"
    assert textkin("mine", texts, "--threshold", "0.8", "--ids-only", "--out", out).code == 0
    header, equal, near = out.read_text().splitlines()
    assert (header, equal) == ("score,id_a,id_b", "1.0,2,5") and near.endswith(",1,4")


@pytest.mark.slow
def test_mine_with_the_vectors_that_encode_wrote(textkin: Textkin, texts: Path, tmp_path: Path) -> None:
    vectors, by_model, by_vectors = (tmp_path / name for name in ("v.npy", "m.csv", "v.csv"))
    textkin("encode", texts, "--out", vectors)
    textkin("mine", texts, "--per-text", "1", "--out", by_model)
    textkin("mine", texts, "--per-text", "1", "--out", by_vectors, "--embeddings", vectors)
    assert by_model.read_text() == by_vectors.read_text()
    cut = textkin("mine", texts, "--against", texts, "--top", "3", "--out", by_model)
    assert "3 of them are of equal texts; 1 more such pair was left out" in cut.out
    again = textkin(
        *("mine", texts, "--against", texts, "--top", "3", "--out", by_vectors, "--json"),
        *("--embeddings", vectors, "--against-embeddings", vectors),
    )
    assert (again.json["against"], again.json["equal"], again.json["left_out"]) == (5, 3, 1)


@pytest.mark.torch
def test_mine_by_the_threshold_that_was_calibrated(textkin: Textkin, trained: Path, tmp_path: Path) -> None:
    model, out = trained / "model", tmp_path / "pairs.tsv"
    table = write_pairs(tmp_path / "pairs-in.tsv")
    arguments = ("mine", table, "--text", "question1", "--model", model, "--out", out)
    own = textkin(*arguments, "--json").json
    assert own["chosen"].startswith("the model's own, fitted on dev.tsv for f1: there precision")
    refused = textkin(*arguments, "--precision", "0.9")
    assert refused.code == 10
    assert "is for f1, not for precision 0.9; fit one on labelled pairs: textkin cal" in refused.error
    other = tmp_path / "model"
    shutil.copytree(model, other)
    asked = ("calibrate", other, trained.parent / "dev.tsv", "--precision", "0.9")
    assert textkin(*asked).code == 10  # so few pairs show no such precision
    assert textkin(*asked, "--rule", "estimate").code == 0
    refused = textkin(
        "mine", table, "--text", "question1", "--model", other, "--out", out, "--precision", "0.8"
    )
    assert refused.code == 10
    assert "estimate" in refused.error


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        (["--threshold", "2"], 2, "--threshold is 2.0"),
        (["--threshold", "x"], 2, "--threshold"),
        (["--threshold", "0.5", "--top", "3"], 2, "--threshold and --top can't be combined"),
        (["--top", "0"], 2, "--top is 0"),
        (["--model", "tfidf"], 5, "tfidf"),
        (["--text", "none"], 2, "none"),
        (["--against", "missing.txt"], 3, "no such file"),
        (["--embeddings", "missing.npy"], 3, "no such file"),
        (["--precision", "0.95"], 10, "default has no threshold for precision 0.95"),
    ],
)
def test_mine_refuses(
    textkin: Textkin, texts: Path, tmp_path: Path, arguments: list[str], code: int, words: str
) -> None:
    found = textkin("mine", texts, "--out", tmp_path / "pairs.tsv", *arguments)
    assert found.code == code and words in found.err.splitlines()[-1]
    assert [path.name for path in tmp_path.iterdir()] == ["texts.txt"]


def test_mine_names_the_file_of_vectors_that_does_not_fit(
    textkin: Textkin, texts: Path, tmp_path: Path
) -> None:
    np.save(tmp_path / "v.npy", np.ones((6, 3)))
    found = textkin("mine", texts, "--out", tmp_path / "p.tsv", "--embeddings", tmp_path / "v.npy")
    assert found.code == 3 and "v.npy: 6 vectors for 5 texts" in found.err


@pytest.mark.torch
def test_a_share_of_the_pairs_on_several_machines_is_refused_at_once(
    textkin: Textkin, tmp_path: Path
) -> None:
    pytest.importorskip("ray")
    (tmp_path / "texts.txt").write_text("one text\nanother text\n")
    given = ("--threshold", 0.5, "--recall", 0.9, "--on", "ray", "--address", "127.0.0.1:1")
    shown = textkin("mine", tmp_path / "texts.txt", *given, "--out", tmp_path / "pairs.tsv")
    assert shown.code == 2 and "--recall and --on can't be combined" in shown.error
    assert [path.name for path in tmp_path.iterdir()] == ["texts.txt"]
