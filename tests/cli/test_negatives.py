from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.conftest import Textkin, write_pairs


@pytest.fixture
def pairs(tmp_path: Path) -> Path:
    return write_pairs(tmp_path / "pairs.tsv")


def test_negatives_says_what_each_filter_dropped(textkin: Textkin, pairs: Path, tmp_path: Path) -> None:
    out = tmp_path / "triplets.tsv"
    found = textkin(
        "data", "negatives", pairs, "--out", out, "--ranks", "2-6", "--each", "3", "--relative-margin", "0.1"
    )
    assert found.code == 0
    lines = found.out.splitlines()
    told = dict(line.rsplit(maxsplit=1) for line in lines[2:10])
    assert told["same text as the anchor or a positive"] == "20"
    assert told["before the window of ranks"] == "20"
    assert lines[11] == "20 anchors with 20 positives, and 40 texts ranked by bm25"
    assert lines[-1] == f"written to {out}: 60 rows"
    header, first, *_ = out.read_text().splitlines()
    assert header == "anchor\tpositive\tnegative\tpositive_score\tnegative_score\trank\tsource"
    assert first.startswith("how do I repair bicycle 15\tways of repairing bicycle 15\t")
    as_json = textkin("data", "negatives", pairs, "--out", out, "--ranks", "2-6", "--each", "3", "--json")
    assert as_json.json["rows"] == 60
    assert as_json.json["dropped"]["relative margin to the positive"] == 0


@pytest.mark.torch
def test_a_model_a_filter_and_a_corpus(textkin: Textkin, trained: Path, tmp_path: Path) -> None:
    corpus = tmp_path / "corpus.txt"
    corpus.write_text("how to buy an oven\n\nwhere to sell a guitar\nhow do I repair a laptop\nAn oven?\n")
    out, model = tmp_path / "triplets.jsonl", trained / "model"
    found = textkin(
        *(
            "data",
            "negatives",
            trained.parent / "train.tsv",
            "--corpus",
            corpus,
            "--model",
            model,
            "--model",
            "tfidf",
        ),
        *("--filter", model, "--filter-max", "0.99", "--ranks", "1-4", "--each", "2", "--pick", "random"),
        *("--known", "first", "--wide", "--out", out, "--json"),
    )
    assert found.json["sources"][1] == "tfidf"
    assert found.json["corpus"] == 4
    assert found.json["rows"] == 20
    assert "1 empty text" in found.err
    for row in map(json.loads, out.read_text().splitlines()):
        assert row["negative_1"] in corpus.read_text() and row["negative_1_score"] <= 0.99
        assert row["negative_2"] in corpus.read_text()


def test_questions_without_an_answer_give_negatives(textkin: Textkin, tmp_path: Path) -> None:
    rows = ["QuestionID\tQuestion\tDocumentID\tDocumentTitle\tSentenceID\tSentence\tLabel"]
    rows += ["Q1\twho eats apples\tD1\tt\tD1-0\tHorses eat apples.\t1"]
    rows += ["Q2\twho grows apples\tD2\tt\tD2-0\tApples grow on trees.\t0"]
    source = tmp_path / "questions.tsv"
    source.write_text("\n".join(rows) + "\n")
    out = tmp_path / "out.csv"
    assert textkin("data", "negatives", source, "--out", out, "--ranks", "1-5").code == 0
    assert (
        out.read_text()
        .splitlines()[1]
        .startswith("who eats apples,Horses eat apples.,Apples grow on trees.,")
    )


@pytest.mark.slow
def test_negatives_refuses_in_one_line(textkin: Textkin, pairs: Path, tmp_path: Path) -> None:
    out = tmp_path / "out.tsv"
    empty, unlike = tmp_path / "empty.tsv", tmp_path / "unlike.tsv"
    empty.write_text("")
    unlike.write_text("text1\ttext2\tlabel\none\ttwo\t0\nthree\tfour\t0\n")
    for code, message, arguments in (
        (3, "the file is empty", [empty]),
        (3, "no such file", [tmp_path / "nosuch.tsv"]),
        (3, "none of 2 pairs joins two texts that are the same", [unlike]),
        (5, "did you mean 'bm25'?", [pairs, "--model", "bm52"]),
        (2, "--model is 'constant'", [pairs, "--model", "constant"]),
        (2, "--ranks is '50'", [pairs, "--ranks", "50"]),
        (2, "expected 1 <= first <= last", [pairs, "--ranks", "9-3"]),
        (2, "--each is 5", [pairs, "--ranks", "3-4"]),
        (2, "--each is 0", [pairs, "--each", "0"]),
        (2, "--margin is -1.0", [pairs, "--margin", "-1"]),
        (2, "--filter needs --filter-max or --filter-margin", [pairs, "--filter", "tfidf"]),
        (2, "--filter-max or --filter-margin needs --filter", [pairs, "--filter-max", "0.5"]),
        (2, "--pick is 'best'", [pairs, "--pick", "best"]),
        (2, "--split doesn't apply to the format", [pairs, "--split", "train"]),
        (3, "the file is empty", [pairs, "--corpus", empty]),
    ):
        found = textkin("data", "negatives", *arguments, "--out", out)
        assert message in found.error
        assert found.code == code
    assert "--out would overwrite the input" in textkin("data", "negatives", pairs, "--out", pairs).error
    assert (
        "expected a name that ends in one of .tsv"
        in textkin("data", "negatives", pairs, "--out", tmp_path / "out.txt").error
    )
    assert "--out is missing" in textkin("data", "negatives", pairs).error
    found = textkin("data", "negatives", pairs, "--out", out, "--max-score", "0")
    assert found.code == 3
    assert "dropped: 20 same text as the anchor or a positive, 80 before the window of ranks;" in found.err
    assert found.err.endswith(" give a larger corpus, wider ranks, or weaker filters\n")
    assert not out.exists()
