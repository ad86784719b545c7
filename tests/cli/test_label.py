"""``textkin label``: judging by keys, going on, and what is printed at the end."""

from __future__ import annotations

import io
from pathlib import Path

import pytest

from tests.cli.conftest import Textkin
from tests.tasks.label.test_session import write_pairs


@pytest.fixture
def typed(monkeypatch: pytest.MonkeyPatch):
    def typed(*lines: str) -> None:
        monkeypatch.setattr("sys.stdin", io.StringIO("".join(f"{line}\n" for line in lines)))

    return typed


def test_a_session_from_the_first_key_to_the_proof(textkin: Textkin, typed, tmp_path: Path) -> None:
    pairs = str(write_pairs(tmp_path / "pairs.tsv"))
    typed("y", "n the first is a claim", "b", "b", "b", "x", "u", "q")
    first = textkin("label", pairs, "--threshold", "0.5", "--by", "ann")
    assert first.code == 0 and "nothing is proven yet" in first.out
    assert first.err.count("taken back") == 2 and "no answer to take back" in first.err
    assert "the first is a claim" in (tmp_path / "pairs.tsv.labels.jsonl").read_text()
    typed(*["y"] * 300)
    out = tmp_path / "labelled.tsv"
    found = textkin("label", pairs, "--threshold", "0.5", "--by", "ann", "--out", str(out), "--json")
    assert found.json["proven"] == 0.5 and found.json["unsure"] == 1
    assert f"{found.json['answered'] - 1:,} judged pairs written" in found.err
    assert out.read_text().splitlines()[0] == "label\tscore\ttext_a\ttext_b\tanswer\tby\tnote"
    checked = textkin("lint", str(out))
    assert checked.code in (0, 1) and "nothing is proven" not in checked.out


@pytest.mark.parametrize("goal", ["recall=0.9", "f1", "precision=1", "precision=x", "precision"])
def test_what_labels_can_not_prove(textkin: Textkin, typed, tmp_path: Path, goal: str) -> None:
    typed("q")
    found = textkin("label", str(write_pairs(tmp_path / "pairs.tsv")), "--goal", goal)
    assert found.code == 2


def test_no_pair_from_the_threshold_on(textkin: Textkin, typed, tmp_path: Path) -> None:
    typed("q")
    found = textkin("label", str(write_pairs(tmp_path / "pairs.tsv")), "--threshold", "2")
    assert found.code == 3 and "no pair has a score from 2 on" in found.error


def test_the_sample_of_a_deduplication_is_not_labelled_here(textkin: Textkin, typed, tmp_path: Path) -> None:
    """Its pairs are no random ones of all, so what they prove would be of nothing."""
    texts = tmp_path / "texts.txt"
    texts.write_text("How do I pay?\nHow do I pay\u00a0now?\nHow do I pay here?\nWhere do I park?\n")
    out = tmp_path / "deduped"
    drawn = textkin("dedupe", str(texts), "--out", str(out), "--threshold", "0.5", "--sample", "3")
    assert drawn.code == 0, drawn.err
    typed("y", "y")
    refused = textkin("label", str(out / "sample.csv"))
    assert (
        refused.code == 3 and "into its column same, and give it to textkin dedupe --labelled" in refused.err
    )
