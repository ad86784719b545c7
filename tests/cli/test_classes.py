from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.conftest import Textkin

LINES = [
    ("a cat sleeps", "an animal sleeps", "entailment"),
    ("a cat sleeps", "a cat never sleeps", "contradiction"),
    ("a cat sleeps", "the cat is black", "neutral"),
    ("two men talk", "people talk", "entailment"),
    ("two men talk", "men never talk", "contradiction"),
    ("two men talk", "the men are friends", "neutral"),
]


@pytest.fixture
def data(tmp_path: Path) -> Path:
    lines = ["sentence1\tsentence2\tgold_label", *map("\t".join, LINES)]
    (tmp_path / "nli.tsv").write_text("\n".join(lines) + "\n")
    return tmp_path / "nli.tsv"


def test_evaluate_prints_class_by_class(textkin: Textkin, data: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    shown = textkin(
        "evaluate", "bag-of-words", data, "--fit", data, "--resamples", 20, "--rounds", 50, "--out", out
    )
    assert (shown.code, shown.err) == (0, "")
    for words in (
        "accuracy",
        "macro F1",
        "Baselines are fitted on 6 labelled pairs of nli.tsv.",
        "nli.tsv and nli.tsv share 8 texts and 6 pairs: figures may be too good",
        "Decisions of bag-of-words.",
        "called contradiction",
    ):
        assert words in shown.out
    found = textkin("evaluate", "majority", data, "--resamples", 20, "--rounds", 50, "--json").json
    assert [row["name"] for row in found["systems"]["rows"]] == ["random", "majority"]
    assert found["by_class"][0]["rows"][0]["called"] == [2, 0, 0]
    assert (
        (out / "classes.tsv").read_text().startswith("label\trandom\tmajority\tsecond-text\tbag-of-words\n")
    )


def test_dev_pairs_do_not_go_with_classes(textkin: Textkin, data: Path) -> None:
    failed = textkin("compare", data, "majority", "--dev", data)
    assert failed.code == 2 and "labelled otherwise than yes or no" in failed.error
