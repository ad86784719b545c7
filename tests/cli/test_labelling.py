"""Labelling by keys, resuming, and the summary."""

from __future__ import annotations

import io
from pathlib import Path

import pytest

import textkin as tk
from tests.cli.conftest import Textkin
from tests.verbs.label.test_session import write_pairs


@pytest.fixture
def typed(monkeypatch: pytest.MonkeyPatch):
    def typed(*lines: str) -> None:
        monkeypatch.setattr("sys.stdin", io.StringIO("".join(f"{line}\n" for line in lines)))

    return typed


@pytest.mark.slow
def test_a_session_from_the_first_key_to_the_proof(textkin: Textkin, typed, tmp_path: Path) -> None:
    pairs = str(write_pairs(tmp_path / "pairs.tsv"))
    typed("y", "n the first is a claim", "z", "z", "z", "x", "u", "q")
    first = textkin("label", pairs, "--threshold", "0.5", "--by", "ann")
    assert first.code == 0 and "nothing is proven yet" in first.out
    assert first.err.count("is removed") == 2 and "no label to remove" in first.err
    assert "the first is a claim" in (tmp_path / "pairs.tsv.labels.jsonl").read_text()
    typed(*["y"] * 300)
    out = tmp_path / "labelled.tsv"
    found = textkin("label", pairs, "--threshold", "0.5", "--by", "ann", "--out", str(out), "--json")
    assert found.json["proven"] == 0.5 and found.json["unsure"] == 1
    written = f"{found.json['answered'] - 1:,} labelled pairs written to labelled.tsv"
    assert f"{written}; without 1 unsure or not settled" in found.err.replace(f"{tmp_path}/", "")
    assert out.read_text().splitlines()[0] == "label\tscore\ttext_a\ttext_b\tanswer\tby\tnote"
    checked = textkin("data", "lint", str(out))
    assert checked.code in (0, 1) and "nothing is proven" not in checked.out


@pytest.mark.parametrize("option", [("--precision", "1"), ("--precision", "x"), ("--port", "70000")])
def test_what_is_out_of_range(textkin: Textkin, typed, tmp_path: Path, option: tuple[str, str]) -> None:
    typed("q")
    found = textkin("label", str(write_pairs(tmp_path / "pairs.tsv")), *option)
    assert found.code == 2 and option[0] in found.error


@pytest.mark.parametrize("name", ["labelled.xlsx", "pairs.tsv"])
def test_a_table_that_cannot_be_written_is_refused_before_the_first_label(
    textkin: Textkin, typed, tmp_path: Path, name: str
) -> None:
    typed("y")
    pairs = write_pairs(tmp_path / "pairs.tsv")
    found = textkin("label", str(pairs), "--out", str(tmp_path / name))
    assert found.code == 2 and "--out" in found.error
    assert not pairs.with_name("pairs.tsv.labels.jsonl").exists()


def test_the_page_settles_by_its_own_button(textkin: Textkin, tmp_path: Path) -> None:
    found = textkin("label", str(write_pairs(tmp_path / "pairs.tsv")), "--page", "--settle")
    assert found.code == 2 and "--settle doesn't apply to the page" in found.error


def test_a_port_without_the_page_is_refused(textkin: Textkin, tmp_path: Path) -> None:
    found = textkin("label", str(write_pairs(tmp_path / "pairs.tsv")), "--port", "8081")
    assert found.code == 2 and "--port doesn't apply to labelling in a terminal; add --page" in found.error


def test_no_pair_from_the_threshold_on(textkin: Textkin, typed, tmp_path: Path) -> None:
    typed("q")
    found = textkin("label", str(write_pairs(tmp_path / "pairs.tsv")), "--threshold", "2")
    assert found.code == 3 and "no pair has a score from 2 on" in found.error


def test_the_sample_of_a_deduplication_is_not_labelled_here(textkin: Textkin, typed, tmp_path: Path) -> None:
    """Its pairs aren't a random sample of all, so they would prove nothing."""
    texts = tmp_path / "texts.txt"
    texts.write_text("How do I pay?\nHow do I pay\u00a0now?\nHow do I pay here?\nWhere do I park?\n")
    out = tmp_path / "deduped"
    drawn = textkin("dedupe", str(texts), "--out", str(out), "--threshold", "0.5", "--sample", "3")
    assert drawn.code == 0, drawn.err
    typed("y", "y")
    refused = textkin("label", str(out / "sample.csv"))
    assert (
        refused.code == 3
        and "into its column same, and give it to textkin dedupe as --labelled" in refused.err
    )


def test_recall_is_told_beside_the_precision(textkin: Textkin, typed, tmp_path: Path) -> None:
    pairs = str(write_pairs(tmp_path / "pairs.tsv", 200))
    typed(*["y"] * 24, *["n"] * 6)
    given = ("label", pairs, "--precision", "0.8", "--threshold", "0.5", "--recall")
    found = textkin(*given)
    assert found.code == 0 and "proven recall" in found.out
    assert "recall at least 0." in found.err and "of the duplicates in this file" in found.out
    typed("q")
    assert 0 < textkin(*given, "--json").json["recall"] < 1
    typed("q")
    assert "was begun with recall True, not False" in textkin(*given[:-1]).error


def test_two_people_and_what_they_disagree_on(textkin: Textkin, typed, tmp_path: Path) -> None:
    pairs, out = str(write_pairs(tmp_path / "pairs.tsv", 200)), str(tmp_path / "labelled.tsv")
    given = ("label", pairs, "--precision", "0.5", "--threshold", "0.5", "--overlap", "1")
    typed("y", "y", "q")
    textkin(*given, "--by", "ann")
    typed("y", "n another year", "z", "n another year", "q")
    found = textkin(*given, "--by", "bob")
    assert "2 pairs judged by several of ann, bob: they agree on 0.50" in found.out
    assert "1 on which people disagree count as unsure" in found.out
    assert "another year" not in found.out, "what others say is not shown"
    typed("x", "y")
    settled = textkin(*given, "--by", "cyd", "--settle", "--out", out, "--json")
    assert settled.err.count("bob said different: another year") == 2 and settled.json["disputed"] == 0
    assert settled.json["agreement"]["pairs"] == 2 and settled.json["agreement"]["same"]["value"] == 0.5
    assert len((tmp_path / "labelled.tsv").read_text().splitlines()) == 3
    assert "no disagreement to settle" in textkin(*given, "--by", "cyd", "--settle").err


def test_an_overlap_out_of_range(textkin: Textkin, tmp_path: Path) -> None:
    found = textkin("label", str(write_pairs(tmp_path / "pairs.tsv")), "--overlap", "1.5")
    assert found.code == 2 and "--overlap is 1.5" in found.error


def test_who_is_late_is_told_and_asked_about_the_next_pair(
    textkin: Textkin, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    pairs = write_pairs(tmp_path / "pairs.tsv")
    other = tk.label(pairs, threshold=0.5)

    class Typing(io.StringIO):
        def readline(self, size: int | None = -1, /) -> str:
            if not other.state().answered:  # somebody is faster
                question = other.next()
                assert question is not None
                other.answer(question, "same", by="bob")
            return super().readline(size)

    monkeypatch.setattr("sys.stdin", Typing("y\ny\nq\n"))
    found = textkin("label", str(pairs), "--threshold", "0.5", "--by", "ann")
    assert found.code == 0 and "the answer is not kept" in found.err and "2 labelled" in found.err


def test_texts_are_shown_as_they_are_written(textkin: Textkin, typed, tmp_path: Path) -> None:
    pairs = tmp_path / "pairs.tsv"
    pairs.write_text("score\ttext_a\ttext_b\n0.9\twhat is `precision`\tcall `label()`, `long=accept`\n")
    typed("q")
    told = textkin("label", str(pairs), "--threshold", "0.5", "--by", "ann").err
    assert "what is `precision`\n" in told and "call `label()`, `long=accept`\n" in told
