"""SNLI and MultiNLI."""

import json
from pathlib import Path

import pytest

from textkin.data.readers import load
from textkin.data.readers.datasets import nli
from textkin.data.records import Pair


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "data.tsv"


def test_undecided_pairs_are_dropped(tmp_path: Path) -> None:
    file = tmp_path / "snli.jsonl"
    rows = [("neutral", "a", "b"), ("-", "c", "d"), ("contradiction", "e", "f")]
    file.write_text(
        "".join(
            json.dumps(dict(zip(("gold_label", "sentence1", "sentence2"), row, strict=True))) + "\n"
            for row in rows
        )
    )
    loaded = nli.read_nli(file)
    assert loaded.data.classes == ("contradiction", "entailment", "neutral")
    assert loaded.data.labels.tolist() == [2.0, 0.0]
    assert loaded.report.skipped == {"without gold label": 1}


def test_the_official_fields_of_multinli(tmp_path: Path) -> None:
    row = {
        "annotator_labels": ["neutral", "entailment"],
        "genre": "oup",
        "gold_label": "-",
        "pairID": "82890e",
        "sentence1": 'He said "no".',
        "sentence1_binary_parse": "( He ( said no ) )",
        "sentence2": "He refused.",
    }
    file = tmp_path / "multinli_1.0_dev_matched.jsonl"
    file.write_text("".join(json.dumps(row | {"gold_label": label}) + "\n" for label in ("-", "entailment")))
    text = tmp_path / "multinli_1.0_dev_matched.txt"
    names = ["gold_label", "sentence1_binary_parse", "sentence1", "sentence2", "label1"]
    lines = [[label, "( x )", row["sentence1"], row["sentence2"], "neutral"] for label in ("-", "entailment")]
    text.write_text("".join("\t".join(map(str, cells)) + "\n" for cells in (names, *lines)))
    for path in (file, text):
        loaded = load(path)
        assert loaded.format == "nli"
        assert loaded.data.pairs == (Pair('He said "no".', "He refused.", 1.0, row=1),)  # type: ignore[union-attr]
        assert loaded.report.skipped == {"without gold label": 1}
