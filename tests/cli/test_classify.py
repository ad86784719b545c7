"""textkin classify."""

import csv
import json

import pytest

ROWS = [(f"{thing} {verb}", thing) for thing in ("cats", "dogs", "boats") for verb in ("sleep", "eat", "run")]


@pytest.fixture
def examples(tmp_path):
    path = tmp_path / "examples.tsv"
    path.write_text("text\tkind\n" + "".join(f"{text}\t{kind}\n" for text, kind in ROWS))
    return path


@pytest.fixture
def texts(tmp_path):
    path = tmp_path / "texts.csv"
    path.write_text("id,text,kind\nx,all cats dream,cats\ny,my dogs bark,dogs\nz,cats eat,cats\n")
    return path


def test_labels_and_how_often_they_are_right(textkin, examples, texts, tmp_path):
    shown = textkin("classify", texts, examples, "--label", "kind")
    rows = list(csv.DictReader(shown.out.splitlines(), delimiter="\t"))
    assert [(row["id"], row["label"], row["own"]) for row in rows] == [
        *(("x", "cats", "cats"), ("y", "dogs", "dogs"), ("z", "cats", "cats")),
    ]
    assert rows[0]["second"] in ("dogs", "boats") and float(rows[0]["similarity"]) > 0
    assert "accuracy of default: 1.00 (" in shown.err and "accuracy of (any label): 0.333" in shown.err
    assert "left out of these figures, being among the examples: 1 text" in shown.err
    out = tmp_path / "labels.jsonl"
    saved = textkin("classify", texts, examples, "--label", "kind", "--out", out)
    assert saved.out.splitlines()[-1] == f"3 texts with labels by default written to {out}"
    assert [json.loads(line)["label"] for line in out.read_text().splitlines()] == ["cats", "dogs", "cats"]
    told = textkin("classify", texts, examples, "--label", "kind", "--json").json
    assert told["figures"]["judged"] == 2 and told["labels"][0]["label"] == "cats"


def test_a_plain_file_and_a_threshold(textkin, examples, tmp_path):
    path = tmp_path / "new.txt"
    path.write_text("cats sleep\nsomething else\n")
    shown = textkin("classify", path, examples, "--label", "kind", "--threshold", "0.99")
    rows = list(csv.DictReader(shown.out.splitlines(), delimiter="\t"))
    assert [row["label"] for row in rows] == ["cats", "none"] and "own" not in rows[0]
    assert "no label: 1 text, below the threshold 0.99 (not fitted)" in shown.err


def test_episodes(textkin, examples):
    shown = textkin("classify", examples, "--model", "tfidf", "--label", "kind", "--ways", 3, "--rounds", 30)
    lines = shown.out.splitlines()
    assert lines[2].startswith("tfidf ") and lines[3].split() == ["(chance)", "0.333"]
    assert "examples.tsv: 3-way 1-shot accuracy in 30 episodes from 3 classes, seed 0" in shown.out
    told = textkin(
        "classify", examples, "--model", "tfidf", "--label", "kind", "--ways", 2, "--shots", 2, "--json"
    ).json
    assert told["options"] == {"ways": 2, "shots": 2, "rounds": 1000, "seed": 0}


@pytest.mark.parametrize(
    ("arguments", "code", "expected"),
    [
        ([], 2, "EXAMPLES"),
        (["{examples}", "--ways", "3"], 2, "EXAMPLES and --ways"),
        (["{examples}", "--shots", "2"], 2, "--ways"),
        (["--ways", "3", "--out", "x.tsv"], 2, "--out doesn't apply"),
        (["{examples}", "--out", "x.txt"], 2, "--out is 'x.txt'"),
        (["--ways", "1"], 2, "--ways is 1"),
        (["--ways", "9"], 3, "3 of 3 classes have 2 texts or more, and 9 are needed"),
        (["--ways", "2", "--threshold", "0.5"], 2, "--threshold doesn't apply"),
        (["{examples}", "--threshold", "inf"], 2, "expected a finite number"),
        (["{examples}", "--baselines", "tfdif"], 2, "--baselines is 'tfdif'"),
        (["nosuch.tsv"], 3, "nosuch.tsv"),
    ],
)
def test_classify_refuses(textkin, examples, tmp_path, monkeypatch, arguments, code, expected):
    monkeypatch.chdir(tmp_path)
    given = [one.format(examples=examples) for one in arguments]
    found = textkin("classify", examples, *given, "--label", "kind")
    assert found.code == code and expected in found.error


def test_classify_needs_its_column(textkin, examples, texts):
    assert textkin("classify", texts, examples, "--label", "topic").code == 2
    assert textkin("classify", texts, examples, "--model", "nosuch", "--label", "kind").code in (2, 5)
