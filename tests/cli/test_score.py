"""textkin score."""

import csv
from pathlib import Path

import numpy as np
import pytest

from tests.cli.conftest import Textkin, write_pairs
from textkin.models.inference.scorers import load_scorer

pytestmark = pytest.mark.torch


def test_score_two_texts(textkin: Textkin, trained: Path) -> None:
    a, b = "how do I repair printer 1", "ways of repairing printer 1"
    told = textkin("score", a, b, "--model", trained / "model", "--json").json
    (score,) = load_scorer(trained / "model").score([(a, b)]).tolist()
    assert set(told) == {
        *("model", "threshold", "threshold_fitted", "truncation", "coverage"),
        *("score", "probability", "same"),
    }
    assert told["threshold_fitted"] is True
    assert told["score"] == score
    assert told["probability"] == pytest.approx(1 / (1 + np.exp(1 - 4 * score)))
    assert told["same"] is (score >= told["threshold"])
    header, _, row = textkin("score", a, b, "--model", trained / "model").out.splitlines()
    assert header.split() == ["model", "score", "probability", "threshold", "decision"]
    assert row.split()[:2] == ["tiny", f"{score:.4f}"] and row.split()[-1] in ("same", "different")


def test_score_a_file_of_pairs(textkin: Textkin, trained: Path, tmp_path: Path) -> None:
    path = write_pairs(tmp_path / "pairs.tsv", stop=3)
    with path.open("a") as stream:
        stream.write("\tno first text\t1\nlast\ttexts\t0\n")
    shown = textkin("score", "--pairs", path, "--model", trained / "model")
    rows = list(csv.DictReader(shown.out.splitlines(), delimiter="\t"))
    assert "skipped 1: 1 empty text (line 8)" in shown.err
    assert [row["row"] for row in rows] == ["1", "2", "3", "4", "5", "6", "8"]
    assert rows[-1]["text_a"] == "last" and {row["decision"] for row in rows} <= {"same", "different"}
    told = textkin("score", "--pairs", path, "--model", trained / "model", "--json").json["pairs"]
    assert [row["row"] for row in told] == [1, 2, 3, 4, 5, 6, 8]
    assert [float(row["score"]) for row in rows] == pytest.approx([row["score"] for row in told], abs=1e-6)
    out = tmp_path / "scored.tsv"
    assert textkin("score", "--pairs", path, "--model", trained / "model", "--out", out).code == 0
    assert out.read_text() == shown.out
    saved = textkin("score", "--pairs", path, "--model", trained / "model", "--out", out, "--json").json
    assert (saved["count"], saved["out"]) == (7, str(out))


def test_score_with_a_baseline(textkin: Textkin, tmp_path: Path) -> None:
    found = textkin("score", "green apple", "green pear", "--model", "tfidf", "--json")
    assert 0 < found.json["score"] < 1 and found.json["same"] is None
    assert (
        found.err
        == "textkin: tfidf takes its word frequencies from these two texts; give more of them with --fit\n"
    )
    texts = tmp_path / "texts.txt"
    texts.write_text("green apple\ngreen pear\ngreen\ngreen\n")
    fitted = textkin("score", "green apple", "green pear", "--model", "tfidf", "--fit", texts, "--json")
    assert fitted.err == "" and fitted.json["score"] < found.json["score"]
    constant = textkin("score", "a", "b", "--model", "constant").out.splitlines()
    assert constant[0].split() == ["model", "score"]


def test_a_threshold_of_the_user_is_marked_as_not_fitted(
    textkin: Textkin, trained: Path, tmp_path: Path
) -> None:
    a, b = "how do I repair printer 1", "ways of repairing printer 1"
    (score,) = load_scorer(trained / "model").score([(a, b)]).tolist()
    shown = textkin("score", a, b, "--model", trained / "model", "--threshold", score + 0.01)
    assert "(not fitted)   different" in shown.out
    assert "was given and is not fitted; the model's own, " in shown.err
    assert textkin("score", a, b, "--model", trained / "model", "--threshold", score - 0.01).out.endswith(
        "same\n"
    )
    told = textkin("score", a, b, "--model", "constant", "--threshold", "0.7", "--json").json
    assert (told["threshold"], told["threshold_fitted"], told["same"]) == (0.7, False, False)
    path = write_pairs(tmp_path / "pairs.tsv", stop=3)
    header, *rows = textkin(
        "score", "--pairs", path, "--model", "tfidf", "--threshold", "0.2"
    ).out.splitlines()
    assert header.split("\t") == ["row", "text_a", "text_b", "score", "decision (not fitted)"]
    for row in rows:
        *_, found, decision = row.split("\t")
        assert decision == ("same" if float(found) >= 0.2 else "different")


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (["a", "b", "--threshold", "nan"], 2),
        (["a", "b", "--threshold", "-inf"], 2),
        (["a", "b", "--threshold", "0.5", "--decision", "x.json"], 2),
        (["a", "b", "--model", "nosuch"], 5),
        ([], 2),
        (["a"], 2),
        (["a", "b", "--pairs", "x.tsv"], 2),
        (["a", "b", "--out", "x.tsv"], 2),
        (["a", "b", "--model", "mean-vectors"], 2),
        (["a", "b", "--model", "."], 5),
        (["--pairs", "pairs.tsv", "--attention", "x.html"], 2),
        (["a", "b", "--layers", "1"], 2),
    ],
)
def test_score_refuses(
    textkin: Textkin, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, arguments: list[str], code: int
) -> None:
    monkeypatch.chdir(tmp_path)
    write_pairs(tmp_path / "pairs.tsv", stop=3)
    assert textkin("score", *arguments).code == code


def test_the_pairs_are_never_written_over(textkin: Textkin, tmp_path: Path) -> None:
    pairs = tmp_path / "pairs.tsv"
    pairs.write_text("a\tb\nx\ty\n")
    assert textkin("score", "--pairs", pairs, "--out", pairs).code == 2
    assert pairs.read_text() == "a\tb\nx\ty\n"


PAIR = ("How do I reset my password?", "I forgot the password")


def test_an_explanation_prints_the_weights(textkin: Textkin, tmp_path: Path) -> None:
    page = tmp_path / "why.html"
    found = textkin("score", *PAIR, "--explain", "--out", page)
    assert found.code == 0, found.error
    assert "sum to the score, 0.7965" in found.out
    assert found.out.count("password   password") == 1 and "++++++++++" in found.out
    assert str(page) in found.err and page.read_text().startswith("<!doctype html>")
    told = textkin("score", *PAIR, "--explain", "--model", "tfidf", "--json")
    assert told.json["method"] == "shares" and len(told.json["shares"]) == 6
    assert "word frequencies from these two texts" in told.err


def test_explanations_of_a_file_are_measured(textkin: Textkin, tmp_path: Path) -> None:
    path = tmp_path / "pairs.tsv"
    rows = [f"red number{at} cat\ta blue number{at} dog\t{at % 2}\n" for at in range(8)]
    path.write_text("a\tb\tlabel\n" + "".join(rows))
    found = textkin("score", "--pairs", path, "--explain", "--sample", 6)
    assert found.code == 0, found.error
    assert "random" in found.out and "6 pairs of pairs.tsv" in found.out
    told = textkin("score", "--pairs", path, "--explain", "--json").json
    assert [one["order"] for one in told["curves"]] == ["random", "shares"]


def test_an_explanation_refuses(textkin: Textkin, tmp_path: Path) -> None:
    assert textkin("score", "one", "--explain").code == 2
    assert textkin("score", *PAIR, "--explain", "--out", "x.txt").code == 2
    assert textkin("score", *PAIR, "--explain", "--model", "nobody").code == 5
